#include "lib/selftest/conclude.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/selftest/family_table.h"
#include "lib/selftest/hints.h"
#include "lib/selftest/verdict.h"

namespace muster::selftest {
namespace {

using Outcome = Conclusion::Outcome;

constexpr size_t kMaxProbes = 1024;

// The lowest-ranked error of a kind, with its rank.
absl::optional<std::string> ErrorWith(const char* kind, absl::Span<const Round> rounds) {
  absl::optional<std::pair<int64_t, std::string>> found;
  for (const Round& round : rounds) {
    for (const v1::StepResult& r : round.results) {
      if (!absl::StartsWith(r.error(), kind)) continue;
      std::pair<int64_t, std::string> candidate(r.global_rank(), r.error());
      if (!found || candidate < *found) found = std::move(candidate);
    }
  }
  if (!found) return absl::nullopt;
  return absl::StrCat("rank ", found->first, ": ", found->second);
}

struct Counts {
  int64_t all = 0, failed = 0, inconclusive = 0, warned = 0, once = 0, compared = 0;
};

Counts Count(const Judged& judged) {
  Counts counts;
  for (const auto& [key, group] : judged) {
    const v1::GroupResult& r = group.result;
    ++counts.all;
    counts.failed += r.verdict() == v1::FAIL;
    counts.warned += r.verdict() == v1::WARN;
    counts.inconclusive += r.verdict() == v1::INCONCLUSIVE;
    counts.once += r.verdict() == v1::PASS && r.round() > 1;
    counts.compared += !absl::StrContains(r.why(), "no siblings to compare with");
  }
  return counts;
}

// "gpu-c07 rail 3", "link gpu-a ↔ gpu-b"
std::string NameOf(const v1::Accusation& a) {
  switch (a.kind()) {
    case v1::Accusation::LINK:
      return absl::StrCat("the link ", a.node(), " ↔ ", a.part());
    case v1::Accusation::SWITCH_DOMAIN:
      return absl::StrCat("the network of ", a.part());
    case v1::Accusation::ACCELERATOR:
      return absl::StrCat(a.node(), " accelerator ", a.part());
    default:
      return absl::StrCat(a.node(), a.node().empty() || a.part().empty() ? "" : " ", a.part());
  }
}

std::string PassedText(const Counts& counts) {
  std::string text = absl::StrCat("all ", counts.all, " groups pass, data exact");
  if (counts.warned > 0) absl::StrAppend(&text, "; ", counts.warned, " with a warning");
  if (counts.once > 0) absl::StrAppend(&text, "; ", counts.once, " only when tried again alone");
  if (counts.compared == 0) absl::StrAppend(&text, "; there was nothing to compare bandwidths with");
  return text;
}

std::string Summary(const Conclusion& c, const Counts& counts) {
  if (counts.all == 0) return "nothing to test: no group has two workers";
  if (c.outcome == Outcome::kPassed) return PassedText(counts);
  std::string text = absl::StrCat(counts.failed, " of ", counts.all, " groups fail");
  if (counts.inconclusive > 0) absl::StrAppend(&text, ", ", counts.inconclusive, " gave no result");
  std::vector<std::string> names;
  for (const v1::Accusation& a : c.accusations) {
    if (const std::string name = NameOf(a); !name.empty()) names.push_back(name);
  }
  if (!names.empty()) return absl::StrCat(text, "; at fault: ", FewNames(names));
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
  accusation.set_hint(HintText(evidence));
  return accusation;
}

void FindFault(absl::Span<const Round> rounds, const Findings& findings, Conclusion& c) {
  Localised localised = Localise(findings);
  c.accused = std::move(localised.accused);
  c.accusations = std::move(localised.accusations);
  const auto named = [](const v1::Accusation& a) { return !NameOf(a).empty(); };
  if (!c.accused.empty()) {
    c.outcome = Outcome::kAccused;
  } else if (std::any_of(c.accusations.begin(), c.accusations.end(), named)) {
    c.outcome = Outcome::kInconclusive;  // something is at fault that no choice of nodes avoids
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

std::vector<v1::PairProbe> Probes(const Findings& f) {
  const auto telling = [&](const PairEvidence& e) {
    return std::any_of(f.diagnosis.culprits.begin(), f.diagnosis.culprits.end(),
                       [&](const auto& c) { return c.node == e.a || c.node == e.b; }) ||
           e.seen == Seen::kBad;
  };
  std::vector<v1::PairProbe> probes;
  for (const bool first : {true, false}) {
    for (const PairEvidence& e : f.pairs) {
      if (telling(e) == first && probes.size() < kMaxProbes) probes.push_back(ProbeOf(f.parties, e));
    }
  }
  return probes;
}

}  // namespace

bool HasOwnFault(absl::Span<const Round> rounds) {
  return ErrorWith(kConfigError, rounds).has_value() || ErrorWith(kInternalError, rounds).has_value();
}

Conclusion ConclusionOf(const Setting& setting, absl::Span<const Round> rounds, const Findings& findings) {
  Judged judged = findings.merged;
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
  for (const v1::FamilyResult& family : c.families) c.verdict = Worse(c.verdict, family.verdict());
  if (c.verdict == v1::FAIL || c.verdict == v1::INCONCLUSIVE) {
    FindFault(rounds, findings, c);
    c.probes = Probes(findings);
  } else {
    c.outcome = Outcome::kPassed;
  }
  c.summary = Summary(c, Count(judged));
  return c;
}

}  // namespace muster::selftest
