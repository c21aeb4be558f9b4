#include "lib/selftest/rounds.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"
#include "lib/selftest/confirming_plan.h"
#include "lib/selftest/localise.h"
#include "lib/selftest/plan.h"

namespace muster::selftest {
namespace {

using Outcome = Conclusion::Outcome;

// The lowest-ranked error that begins with `prefix`, with its rank.
absl::optional<std::string> ErrorWith(const char* prefix, absl::Span<const Round> rounds) {
  absl::optional<std::pair<int64_t, std::string>> found;
  for (const Round& round : rounds) {
    for (const v1::StepResult& r : round.results) {
      if (!absl::StartsWith(r.error(), prefix)) continue;
      std::pair<int64_t, std::string> candidate(r.global_rank(), r.error());
      if (!found || candidate < *found) found = std::move(candidate);
    }
  }
  if (!found) return absl::nullopt;
  return absl::StrCat("rank ", found->first, ": ", found->second);
}

double Median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// What the suspects of the second round are measured by: the good siblings that ran beside them, else those of round 1.
std::map<SiblingKey, double> ReferenceOf(const Judged& first, const Judged& again) {
  std::map<SiblingKey, std::vector<double>> then, now;
  for (const auto& [key, group] : first) {
    if (group.result.verdict() != v1::PASS) continue;
    then[key.first].push_back(group.result.busbw_gbps());
    const auto at = again.find(key);
    if (at != again.end() && at->second.result.measured()) now[key.first].push_back(at->second.result.busbw_gbps());
  }
  std::map<SiblingKey, double> reference;
  for (auto& [key, values] : then) reference[key] = Median(values);
  for (auto& [key, values] : now) reference[key] = Median(values);
  return reference;
}

// A suspect's two results as one.
JudgedGroup Confirm(const JudgedGroup& first, JudgedGroup again) {
  if (first.wrong_data) {
    // Corruption comes and goes (one run in three, in public reports): a clean repeat takes nothing back.
    JudgedGroup both = first;
    both.corrupt.insert(again.corrupt.begin(), again.corrupt.end());
    if (again.wrong_data) absl::StrAppend(both.result.mutable_why(), "; again in round ", again.result.round());
    return both;
  }
  if (again.wrong_data) return again;
  v1::GroupResult& r = again.result;
  if (!IsSuspect(again)) {
    r.set_verdict(v1::WARN);
    r.set_why(absl::StrCat(r.why(), "; not so in round ", first.result.round(), ": ", first.result.why()));
  } else if (again.slow && !first.slow) {
    again.slow = false;
    r.set_why(absl::StrCat(r.why(), "; seen once only, round ", first.result.round(), ": ", first.result.why()));
  }
  return again;
}

Judged Merge(const Setting& setting, const Round& first_round, const Round& second_round) {
  Judged judged = Judge(setting, first_round);
  const Judged alone = Judge(setting, second_round);
  for (auto& [key, group] : Judge(setting, second_round, ReferenceOf(judged, alone))) {
    const auto at = judged.find(key);
    if (at == judged.end()) continue;
    if (IsSuspect(at->second)) {
      at->second = Confirm(at->second, std::move(group));
    } else if (group.wrong_data) {
      at->second = std::move(group);
    }
  }
  return judged;
}

struct Counts {
  int64_t all = 0, failed = 0, inconclusive = 0, warned = 0;
};

Counts Count(const Judged& judged) {
  Counts counts;
  for (const auto& [key, group] : judged) {
    ++counts.all;
    counts.failed += group.result.verdict() == v1::FAIL;
    counts.warned += group.result.verdict() == v1::WARN;
    counts.inconclusive += group.result.verdict() == v1::INCONCLUSIVE;
  }
  return counts;
}

std::string Summary(const Conclusion& c, const Counts& counts) {
  if (counts.all == 0) return "nothing to test: no group has two workers";
  if (c.outcome == Outcome::kPassed) {
    std::string text = absl::StrCat("all ", counts.all, " groups pass, data exact");
    if (counts.warned > 0) absl::StrAppend(&text, "; ", counts.warned, " with a warning");
    return text;
  }
  std::string text = absl::StrCat(counts.failed, " of ", counts.all, " groups fail");
  if (counts.inconclusive > 0) absl::StrAppend(&text, ", ", counts.inconclusive, " gave no result");
  if (c.outcome == Outcome::kAccused) {
    std::vector<std::string> names;
    for (const v1::Accusation& a : c.accusations) names.push_back(a.node());
    return absl::StrCat(text, "; at fault: ", FewNames(names));
  }
  absl::StrAppend(&text, "; nobody is accused");
  if (!c.accusations.empty() && c.accusations[0].evidence_size() > 0) {
    absl::StrAppend(&text, ": ", c.accusations[0].evidence(0));
  }
  return text;
}

v1::Accusation OwnFault(v1::Accusation::Kind kind, const std::string& evidence) {
  v1::Accusation accusation;
  accusation.set_kind(kind);
  accusation.set_confidence(v1::Accusation::HIGH);
  accusation.add_evidence(evidence);
  return accusation;
}

void FindFault(const Setting& setting, absl::Span<const Round> rounds, const Judged& judged, Conclusion& c) {
  Localised localised = Localise(setting, judged);
  c.accused = std::move(localised.accused);
  c.accusations = std::move(localised.accusations);
  if (!c.accused.empty()) {
    c.outcome = Outcome::kAccused;
  } else if (const auto config = ErrorWith(kConfigError, rounds)) {
    c.outcome = Outcome::kConfig;
    c.accusations = {OwnFault(v1::Accusation::CONFIG, *config)};
  } else if (const auto internal = ErrorWith(kInternalError, rounds)) {
    c.outcome = Outcome::kInternal;
    c.accusations = {OwnFault(v1::Accusation::INTERNAL, *internal)};
  } else {
    c.outcome = Outcome::kInconclusive;
  }
}

Conclusion Conclude(const Setting& setting, absl::Span<const Round> rounds, Judged judged) {
  for (const v1::GroupResult& carried : setting.carried) {
    const SiblingKey key{carried.family(), carried.collective(), carried.bytes()};
    JudgedGroup group;
    group.result = carried;
    judged.emplace(GroupKey{key, carried.group_index()}, std::move(group));
  }
  Conclusion c;
  c.verdict = v1::SKIPPED;
  for (const auto& [key, group] : judged) {
    c.verdict = Worse(c.verdict, group.result.verdict());
    c.groups.push_back(group.result);
  }
  c.families = FamilyTable(setting, judged);
  if (c.verdict == v1::FAIL || c.verdict == v1::INCONCLUSIVE) {
    FindFault(setting, rounds, judged, c);
  } else {
    c.outcome = Outcome::kPassed;
  }
  c.summary = Summary(c, Count(judged));
  return c;
}

}  // namespace

std::variant<v1::TestPlan, Conclusion> NextRound(const Setting& setting, absl::Span<const Round> rounds) {
  if (rounds.empty()) {
    Conclusion nothing;
    nothing.summary = "no round has run";
    return nothing;
  }
  if (rounds.size() > 1) return Conclude(setting, rounds, Merge(setting, rounds[0], rounds[1]));
  Judged judged = Judge(setting, rounds[0]);
  const bool hopeless = ErrorWith(kConfigError, rounds) || ErrorWith(kInternalError, rounds);
  v1::TestPlan next;
  if (!hopeless) next = ConfirmingPlan(setting, rounds[0].plan, judged);
  if (next.steps().empty()) return Conclude(setting, rounds, std::move(judged));
  *next.mutable_estimate() = ToProto(EstimateOf(next));
  return next;
}

}  // namespace muster::selftest
