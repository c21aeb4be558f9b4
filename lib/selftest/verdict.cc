#include "lib/selftest/verdict.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {
namespace {

// A group this much above the limit is looked at again.
constexpr double kDoubtfulBand = 1.1;

SiblingKey KeyOf(const v1::GroupResult& result) { return {result.family(), result.collective(), result.bytes()}; }

class Judging {
 public:
  Judging(const Setting& setting, const Parties& parties, const Yardsticks* reference)
      : setting_(setting), reference_(reference), min_ratio_(MinSiblingRatioOf(setting.spec)) {
    for (const v1::GroupResult& carried : setting.carried) {
      if (carried.measured()) {
        siblings_.Add(KeyOf(carried), parties.SpanOf(carried.node_ranks()), carried.busbw_gbps());
      }
    }
    for (const v1::FamilyResult& family : setting.history) {
      history_[{family.family(), family.collective(), family.bytes()}] = family.median_gbps();
    }
  }

  Judged Run(std::vector<JudgedGroup> groups) {
    for (const JudgedGroup& group : groups) {
      const v1::GroupResult& r = group.result;
      if (r.measured()) siblings_.Add(KeyOf(r), group.span, r.busbw_gbps());
    }
    siblings_.Sort();
    Judged judged;
    for (JudgedGroup& group : groups) {
      Conclude(group);
      const GroupKey key{KeyOf(group.result), group.result.group_index()};
      judged.emplace(key, std::move(group));
    }
    return judged;
  }

 private:
  void Conclude(JudgedGroup& group) const {
    v1::GroupResult& r = group.result;
    if (r.measured()) {
      Measure(group);
    } else {
      r.set_verdict(group.errored ? v1::FAIL : v1::INCONCLUSIVE);
      if (group.errored) r.set_why(r.error());
    }
    if (!group.wrong_data) return;
    r.set_verdict(v1::FAIL);
    const v1::WrongElement& w = r.first_wrong();
    r.set_why(absl::StrFormat("%d wrong elements; first at rank %d, element %d: got %u, want %u", r.wrong_elements(),
                              w.rank(), w.index(), w.got(), w.want()));
  }

  void Measure(JudgedGroup& group) const {
    v1::GroupResult& r = group.result;
    const SiblingKey key = KeyOf(r);
    const double bw = r.busbw_gbps();
    const auto floor = setting_.spec.floor_gbps().find(key.family);
    if (floor != setting_.spec.floor_gbps().end() && floor->second > 0 && bw < floor->second) {
      group.slow = true;
      r.set_verdict(v1::FAIL);
      return r.set_why(absl::StrFormat("busbw %.3g GB/s is below the floor of %.3g", bw, floor->second));
    }
    absl::optional<Yardsticks::Measure> measure;
    std::string whose;
    if (reference_ != nullptr && (measure = reference_->Of(key, group.span, absl::nullopt))) {
      whose = "the passing siblings' median";
    } else if (key.family == kPairFamily) {
      if ((measure = siblings_.OfPairs(key, group.span)))
        whose = absl::StrCat("the upper quartile of ", Count(*measure));
    } else if ((measure = siblings_.Of(key, group.span, bw))) {
      whose = absl::StrCat("the median of ", Count(*measure));
    }
    if (!measure) {
      const auto past = history_.find(key);
      if (past == history_.end() || past->second <= 0) {
        r.set_verdict(v1::PASS);
        return r.set_why(absl::StrFormat("busbw %.3g GB/s; no siblings to compare with", bw));
      }
      measure = Yardsticks::Measure{past->second, 0, false};
      whose = absl::StrCat("this placement's median in ", setting_.history_from);
    }
    Compare(*measure, whose, group);
  }

  static std::string Count(const Yardsticks::Measure& measure) {
    const char* what = measure.wider ? "group that crosses more" : "sibling";
    if (measure.siblings == 1) return absl::StrCat("1 ", what);
    return absl::StrCat(measure.siblings, measure.wider ? " groups that cross more" : " siblings");
  }

  void Compare(const Yardsticks::Measure& measure, const std::string& whose, JudgedGroup& group) const {
    v1::GroupResult& r = group.result;
    const double ratio = r.busbw_gbps() / measure.gbps;
    group.reference = measure.gbps;
    group.slow = ratio < min_ratio_;
    group.doubtful = !group.slow && ratio < std::min(1.0, min_ratio_ * kDoubtfulBand);
    r.set_verdict(group.slow ? v1::FAIL : v1::PASS);
    r.set_why(absl::StrFormat("busbw %.3g GB/s is %.2f of %s, %.3g (limit %.2f)", r.busbw_gbps(), ratio, whose,
                              measure.gbps, min_ratio_));
  }

  const Setting& setting_;
  const Yardsticks* const reference_;
  const double min_ratio_;
  Yardsticks siblings_;
  std::map<SiblingKey, double> history_;
};

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

Judged Judge(const Setting& setting, const Parties& parties, const Round& round, const Yardsticks* reference) {
  return Judging(setting, parties, reference).Run(ReadRound(setting, parties, round));
}

bool IsSuspect(const JudgedGroup& group) {
  const v1::TestVerdict verdict = group.result.verdict();
  return group.doubtful || (verdict != v1::PASS && verdict != v1::WARN && verdict != v1::SKIPPED);
}

v1::TestVerdict Worse(v1::TestVerdict a, v1::TestVerdict b) { return Badness(b) > Badness(a) ? b : a; }

}  // namespace muster::selftest
