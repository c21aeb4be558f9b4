#include "lib/selftest/read_group.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/selftest/bandwidth.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/hints.h"
#include "lib/selftest/pair_gate.h"
#include "lib/selftest/payload.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {
namespace {

// Ranks listed with a group's result.
constexpr size_t kRanksHead = 8;

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

std::string RankList(const std::vector<int64_t>& ranks) {
  std::vector<std::string> names;
  for (int64_t rank : ranks) names.push_back(absl::StrCat(rank));
  return FewNames(names);
}

// One group of one step, with what its members reported.
class Group {
 public:
  Group(const Setting& setting, const Parties& parties, const v1::TestStep& step, const v1::TestGroup& group,
        const Results& results)
      : setting_(setting), parties_(parties), step_(step), index_(group.index()) {
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
    judged.span = parties_.SpanOf(r.node_ranks());
    r.set_fabric(parties_.SpanName(judged.span));
    judged.all_reported = std::find(reports_.begin(), reports_.end(), nullptr) == reports_.end();
    ReadErrors(judged);
    ReadData(judged);
    ReadTimes(judged);
    return judged;
  }

 private:
  void ReadErrors(JudgedGroup& judged) const {
    std::vector<std::string> errors;
    std::vector<int64_t> ranks;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (reports_[i] == nullptr || reports_[i]->error().empty()) continue;
      errors.push_back(reports_[i]->error());
      ranks.push_back(members_[i]);
    }
    const int first = FirstOwnError(errors);
    if (first < 0) return;
    judged.errored = true;
    const std::string& error = errors[static_cast<size_t>(first)];
    judged.result.set_error(absl::StrCat("rank ", ranks[static_cast<size_t>(first)], ": ", error));
    if (errors.size() > 1) absl::StrAppend(judged.result.mutable_error(), " (and ", errors.size() - 1, " more ranks)");
    judged.result.set_hint(HintText(error));
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

  // All members of a group have run the same iterations, though a budget may have cut them.
  bool Readable(const v1::StepResult& report) const {
    const int ran = report.iteration_us_size(), asked = step_.iterations();
    if (report.group_index() != index_ || ran > asked || ran < std::min(asked, kFewestIterations)) return false;
    const auto same = [&](const v1::StepResult* other) {
      return other == nullptr || !other->error().empty() || other->iteration_us_size() == ran;
    };
    return std::all_of(reports_.begin(), reports_.end(), same) &&
           std::all_of(report.iteration_us().begin(), report.iteration_us().end(),
                       [](double us) { return std::isfinite(us) && us > 0; });
  }

  void ReadTimes(JudgedGroup& judged) const {
    std::vector<int64_t> missing, unreadable;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (reports_[i] == nullptr) {
        missing.push_back(members_[i]);
      } else if (reports_[i]->error().empty() && !Readable(*reports_[i])) {
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
    for (int i = 0; i < reports_.front()->iteration_us_size(); ++i) {
      double us = 0;
      for (const v1::StepResult* report : reports_) us = std::max(us, report->iteration_us(i));
      slowest.push_back(us);
    }
    r.set_iterations(static_cast<int32_t>(slowest.size()));
    if (slowest.empty()) return r.set_why("no timed iteration");
    const double time = MedianOf(std::move(slowest));
    const auto bandwidth = BandwidthOf(step_.collective(), r.size(), step_.bytes(), time);
    if (!bandwidth) return r.set_why("not measured");
    r.set_time_us(time);
    r.set_measured(true);
    r.set_algbw_gbps(bandwidth->algbw_gbps);
    r.set_busbw_gbps(bandwidth->busbw_gbps);
  }

  const Setting& setting_;
  const Parties& parties_;
  const v1::TestStep& step_;
  const int64_t index_;
  std::vector<int64_t> members_;
  std::vector<const v1::StepResult*> reports_;  // nullptr: absent
};

}  // namespace

std::vector<JudgedGroup> ReadRound(const Setting& setting, const Parties& parties, const Round& round) {
  const Results results = Index(round.results);
  std::vector<JudgedGroup> groups;
  for (const v1::TestStep& step : round.plan.steps()) {
    for (const v1::TestGroup& group : step.groups()) {
      groups.push_back(Group(setting, parties, step, group, results).Read());
      groups.back().result.set_round(round.plan.round());
      groups.back().step = step.index();
    }
  }
  return groups;
}

}  // namespace muster::selftest
