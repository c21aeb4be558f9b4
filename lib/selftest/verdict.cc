#include "lib/selftest/verdict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/selftest/bandwidth.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/payload.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {
namespace {

// Ranks listed with a group's result.
constexpr size_t kRanksHead = 8;
// A group this much above the limit passes with a warning.
constexpr double kWarnBand = 1.1;

using ResultKey = std::pair<int32_t /*step*/, int64_t /*rank*/>;
using Results = std::map<ResultKey, const v1::StepResult*>;

// One result a step and rank. Repeats of a report are equal; if a broken agent's differ, which one counts must not
// depend on arrival: the one with more to complain about, then the greater in bytes.
Results Index(const std::vector<v1::StepResult>& results) {
  const auto weight = [](const v1::StepResult& r) {
    return std::make_tuple(r.wrong_elements(), !r.error().empty(), r.SerializeAsString());
  };
  Results index;
  for (const v1::StepResult& result : results) {
    const v1::StepResult*& kept = index[{result.step(), result.global_rank()}];
    if (kept == nullptr || weight(*kept) < weight(result)) kept = &result;
  }
  return index;
}

bool Readable(const v1::StepResult& result, const v1::TestStep& step, int64_t group_index) {
  if (result.group_index() != group_index || result.iteration_us_size() != step.iterations()) return false;
  return std::all_of(result.iteration_us().begin(), result.iteration_us().end(),
                     [](double us) { return std::isfinite(us) && us > 0; });
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Median of the sorted `values` without the one at `left_out`, in O(1).
double MedianOfOthers(const std::vector<double>& values, size_t left_out) {
  const auto at = [&](size_t i) { return values[i < left_out ? i : i + 1]; };
  const size_t n = values.size() - 1;
  return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
}

std::string RankList(const std::vector<int64_t>& ranks) {
  std::vector<std::string> names;
  for (int64_t rank : ranks) names.push_back(absl::StrCat(rank));
  return FewNames(names);
}

// One group of one step, with what its members reported.
class Group {
 public:
  Group(const Setting& setting, const v1::TestStep& step, const v1::TestGroup& group, const Results& results)
      : setting_(setting), step_(step), index_(group.index()) {
    if (auto members = MembersOf(group.ranks()); members.ok()) members_ = *std::move(members);
    for (int64_t rank : members_) {
      const auto at = results.find({step.index(), rank});
      reports_.push_back(at == results.end() ? nullptr : at->second);
    }
  }

  JudgedGroup Read() const {
    JudgedGroup judged;
    v1::GroupResult& r = judged.result;
    r.set_family(step_.family());
    r.set_collective(step_.collective());
    r.set_bytes(step_.bytes());
    r.set_group_index(index_);
    r.set_size(static_cast<int64_t>(members_.size()));
    for (size_t i = 0; i < members_.size() && i < kRanksHead; ++i) r.add_ranks_head(members_[i]);
    std::set<int32_t> nodes;
    for (int64_t rank : members_) nodes.insert(setting_.NodeRankOf(rank));
    for (int32_t node : nodes) r.add_node_ranks(node);
    ReadErrors(judged);
    ReadData(judged);
    ReadTimes(judged);
    return judged;
  }

 private:
  void ReadErrors(JudgedGroup& judged) const {
    size_t errors = 0;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (reports_[i] == nullptr || reports_[i]->error().empty()) continue;
      if (errors++ == 0) judged.result.set_error(absl::StrCat("rank ", members_[i], ": ", reports_[i]->error()));
    }
    if (errors > 1) absl::StrAppend(judged.result.mutable_error(), " (and ", errors - 1, " more ranks)");
    judged.errored = errors > 0;
  }

  void ReadData(JudgedGroup& judged) const {
    for (size_t i = 0; i < members_.size(); ++i) {
      const v1::StepResult* report = reports_[i];
      if (report == nullptr || report->wrong_elements() <= 0) continue;
      if (!judged.wrong_data) *judged.result.mutable_first_wrong() = report->first_wrong();
      judged.wrong_data = true;
      // Clamped: what agents count must not overflow a sum.
      const int64_t wrong = std::min(report->wrong_elements(), int64_t{1} << 40);
      judged.result.set_wrong_elements(judged.result.wrong_elements() + wrong);
      AddEdge(judged, i, report->first_wrong().index());
    }
  }

  void AddEdge(JudgedGroup& judged, size_t receiver, int64_t element) const {
    const auto payload =
        Payload::Create(step_.collective(), step_.bytes(), members_, static_cast<int64_t>(receiver), /*seed=*/0);
    if (!payload.ok() || element < 0 || element >= payload->output_elements()) return;
    const absl::optional<int64_t> sender = payload->SenderOf(element);
    if (!sender) return;
    judged.corrupt.insert(CorruptEdge{setting_.NodeRankOf(members_[static_cast<size_t>(*sender)]),
                                      setting_.NodeRankOf(members_[receiver])});
  }

  void ReadTimes(JudgedGroup& judged) const {
    std::vector<int64_t> missing, unreadable;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (reports_[i] == nullptr) {
        missing.push_back(members_[i]);
      } else if (reports_[i]->error().empty() && !Readable(*reports_[i], step_, index_)) {
        unreadable.push_back(members_[i]);
      }
    }
    v1::GroupResult& r = judged.result;
    if (members_.empty()) r.set_why("the plan's group is unreadable");
    if (!unreadable.empty()) r.set_why(absl::StrCat("unreadable results of rank ", RankList(unreadable)));
    if (!missing.empty()) {
      r.set_why(absl::StrCat(missing.size(), " of ", members_.size(), " ranks did not report: ", RankList(missing)));
    }
    if (judged.errored || !r.why().empty()) return;
    std::vector<double> slowest;
    for (int i = 0; i < step_.iterations(); ++i) {
      double us = 0;
      for (const v1::StepResult* report : reports_) us = std::max(us, report->iteration_us(i));
      slowest.push_back(us);
    }
    if (slowest.empty()) return r.set_why("no timed iteration");
    const double time = Median(std::move(slowest));
    const auto bandwidth = BandwidthOf(step_.collective(), r.size(), step_.bytes(), time);
    if (!bandwidth) return r.set_why("not measured");
    r.set_time_us(time);
    r.set_measured(true);
    r.set_algbw_gbps(bandwidth->algbw_gbps);
    r.set_busbw_gbps(bandwidth->busbw_gbps);
  }

  const Setting& setting_;
  const v1::TestStep& step_;
  const int64_t index_;
  std::vector<int64_t> members_;
  std::vector<const v1::StepResult*> reports_;  // nullptr: absent
};

// What a measured group is compared with.
struct Yardstick {
  absl::optional<double> siblings;  // GB/s
  size_t count = 0;                 // how many siblings; 0 with a reference of an earlier round
  double min_ratio = 0;
  double floor = 0;  // 0: none
};

void Measure(const Yardstick& yardstick, JudgedGroup& judged) {
  v1::GroupResult& r = judged.result;
  const double bw = r.busbw_gbps();
  if (yardstick.floor > 0 && bw < yardstick.floor) {
    judged.slow = true;
    r.set_verdict(v1::FAIL);
    return r.set_why(absl::StrFormat("busbw %.3g GB/s is below the floor of %.3g", bw, yardstick.floor));
  }
  if (!yardstick.siblings) {
    r.set_verdict(v1::PASS);
    return r.set_why(absl::StrFormat("busbw %.3g GB/s; no siblings to compare with", bw));
  }
  const double ratio = bw / *yardstick.siblings;
  std::string whose = "the passing siblings' median";
  if (yardstick.count > 0) whose = absl::StrCat("the median of ", yardstick.count, " siblings,");
  const std::string numbers =
      absl::StrFormat("busbw %.3g GB/s is %.2f of %s %.3g", bw, ratio, whose, *yardstick.siblings);
  judged.slow = ratio < yardstick.min_ratio;
  if (judged.slow) {
    r.set_verdict(v1::FAIL);
  } else {
    r.set_verdict(ratio < std::min(1.0, yardstick.min_ratio * kWarnBand) ? v1::WARN : v1::PASS);
  }
  r.set_why(absl::StrFormat("%s (limit %.2f)", numbers, yardstick.min_ratio));
}

void Conclude(const Yardstick& yardstick, JudgedGroup& judged) {
  v1::GroupResult& r = judged.result;
  if (r.measured()) {
    Measure(yardstick, judged);
  } else {
    r.set_verdict(judged.errored ? v1::FAIL : v1::INCONCLUSIVE);
    if (judged.errored) r.set_why(r.error());
  }
  if (!judged.wrong_data) return;
  r.set_verdict(v1::FAIL);
  const v1::WrongElement& w = r.first_wrong();
  r.set_why(absl::StrFormat("%d wrong elements; first at rank %d, element %d: got %u, want %u", r.wrong_elements(),
                            w.rank(), w.index(), w.got(), w.want()));
}

void JudgeStep(const Setting& setting, const v1::TestStep& step, const Results& results,
               const std::map<SiblingKey, double>& reference, Judged& out) {
  const SiblingKey key{step.family(), step.collective(), step.bytes()};
  std::vector<JudgedGroup> groups;
  std::vector<std::pair<double, size_t>> measured;
  for (const v1::TestGroup& group : step.groups()) {
    groups.push_back(Group(setting, step, group, results).Read());
    const v1::GroupResult& r = groups.back().result;
    if (r.measured()) measured.emplace_back(r.busbw_gbps(), groups.size() - 1);
  }
  std::sort(measured.begin(), measured.end());
  std::vector<double> sorted;
  std::vector<size_t> place(groups.size(), 0);
  for (const auto& [bw, i] : measured) {
    place[i] = sorted.size();
    sorted.push_back(bw);
  }
  Yardstick yardstick;
  yardstick.min_ratio = MinSiblingRatioOf(setting.spec);
  const auto floor = setting.spec.floor_gbps().find(step.family());
  if (floor != setting.spec.floor_gbps().end() && floor->second > 0) yardstick.floor = floor->second;
  const auto given = reference.find(key);
  for (size_t i = 0; i < groups.size(); ++i) {
    yardstick.siblings = absl::nullopt;
    yardstick.count = 0;
    if (given != reference.end()) {
      yardstick.siblings = given->second;
    } else if (sorted.size() > 1 && groups[i].result.measured()) {
      yardstick.siblings = MedianOfOthers(sorted, place[i]);
      yardstick.count = sorted.size() - 1;
    }
    Conclude(yardstick, groups[i]);
    out[{key, groups[i].result.group_index()}] = std::move(groups[i]);
  }
}

int Badness(v1::TestVerdict verdict) {
  switch (verdict) {
    case v1::FAIL:
      return 4;
    case v1::WARN:
      return 2;
    case v1::PASS:
      return 1;
    case v1::SKIPPED:
      return 0;
    default:
      return 3;
  }
}

}  // namespace

Judged Judge(const Setting& setting, const Round& round, const std::map<SiblingKey, double>& reference) {
  const Results results = Index(round.results);
  Judged judged;
  for (const v1::TestStep& step : round.plan.steps()) JudgeStep(setting, step, results, reference, judged);
  for (auto& [key, group] : judged) group.result.set_round(round.plan.round());
  return judged;
}

v1::TestVerdict Worse(v1::TestVerdict a, v1::TestVerdict b) { return Badness(b) > Badness(a) ? b : a; }

std::vector<v1::FamilyResult> FamilyTable(const Setting& setting, const Judged& judged) {
  std::vector<v1::FamilyResult> rows;
  std::map<SiblingKey, std::vector<double>> bandwidths;
  for (const auto& [key, group] : judged) {
    const v1::GroupResult& r = group.result;
    const SiblingKey& sibling = key.first;
    if (rows.empty() || rows.back().family() != sibling.family || rows.back().collective() != sibling.collective ||
        rows.back().bytes() != sibling.bytes) {
      v1::FamilyResult& row = rows.emplace_back();
      row.set_family(sibling.family);
      row.set_collective(sibling.collective);
      row.set_bytes(sibling.bytes);
      row.set_verdict(v1::SKIPPED);
      const auto floor = setting.spec.floor_gbps().find(sibling.family);
      if (floor != setting.spec.floor_gbps().end()) row.set_floor_gbps(floor->second);
    }
    v1::FamilyResult& row = rows.back();
    row.set_groups(row.groups() + 1);
    row.set_group_size(std::max(row.group_size(), r.size()));
    row.set_wrong_elements(row.wrong_elements() + r.wrong_elements());
    if (r.verdict() == v1::FAIL) row.set_failed_groups(row.failed_groups() + 1);
    if (r.verdict() == v1::INCONCLUSIVE) row.set_inconclusive_groups(row.inconclusive_groups() + 1);
    row.set_verdict(Worse(row.verdict(), r.verdict()));
    if (r.measured()) bandwidths[sibling].push_back(r.busbw_gbps());
  }
  for (v1::FamilyResult& row : rows) {
    const std::vector<double>& all = bandwidths[{row.family(), row.collective(), row.bytes()}];
    if (all.empty()) continue;
    row.set_measured(true);
    row.set_slowest_gbps(*std::min_element(all.begin(), all.end()));
    row.set_median_gbps(Median(all));
  }
  return rows;
}

}  // namespace muster::selftest
