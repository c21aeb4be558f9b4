#include "lib/selftest/pair_evidence.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/selftest/diagnose.h"
#include "lib/selftest/error_kind.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/pair_gate.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {
namespace {

PairEvidence Base(const JudgedGroup& group, const PairOf& pair) {
  PairEvidence e;
  e.round = group.result.round();
  e.step = group.step;
  e.a = pair.a;
  e.b = pair.b;
  e.rail = pair.rail;
  e.bytes = group.result.bytes();
  e.gbps = group.result.measured() ? group.result.busbw_gbps() : 0;
  e.alone = group.result.family() == kRailAloneFamily;
  if (group.wrong_data) e.error = absl::StrCat(group.result.wrong_elements(), " wrong elements");
  if (e.error.empty()) e.error = group.result.error();
  return e;
}

// What needs no comparison; nullopt: `gbps` decides.
absl::optional<Seen> Plain(const JudgedGroup& group) {
  if (group.wrong_data) return Seen::kBad;
  if (group.errored) {
    const bool blameless = IsConfigError(group.result.error()) || IsInternalError(group.result.error());
    return group.all_reported && !blameless ? Seen::kBad : Seen::kUnknown;
  }
  if (!group.result.measured()) return Seen::kUnknown;
  return absl::nullopt;
}

class Reader {
 public:
  Reader(const Setting& setting, const Parties& parties)
      : setting_(setting), parties_(parties), limit_(MinSiblingRatioOf(setting.spec)) {}

  std::vector<PairEvidence> Run(absl::Span<const Round> rounds, const Judged& first) {
    for (const v1::GroupResult& carried : setting_.carried) Carry(carried);
    for (const auto& [key, group] : first) Screen(group);
    for (size_t r = 1; r < rounds.size(); ++r) Confirm(rounds[r]);
    return std::move(evidence_);
  }

 private:
  void Keep(PairEvidence e, int span) {
    if (e.seen == Seen::kGood && e.gbps > 0 && !e.alone) good_[span].push_back(e.gbps);
    evidence_.push_back(std::move(e));
  }

  void Carry(const v1::GroupResult& carried) {
    const PairOf pair = PairOfResult(parties_, carried);
    if (pair.b < 0) return;
    JudgedGroup group;
    group.result = carried;
    PairEvidence e = Base(group, pair);
    e.round = 0;
    e.seen = Seen::kGood;
    Keep(std::move(e), parties_.SpanOf(carried.node_ranks()));
  }

  void Screen(const JudgedGroup& group) {
    const PairOf pair = PairOfResult(parties_, group.result);
    if (pair.b < 0) return;
    PairEvidence e = Base(group, pair);
    const absl::optional<Seen> plain = Plain(group);
    e.reference = group.reference;
    e.seen = plain ? *plain : group.slow ? Seen::kBad : Seen::kGood;
    Keep(std::move(e), group.span);
  }

  void Confirm(const Round& round) {
    const Diagnosis before = Diagnose(parties_.fabric(), ResultsOf(parties_, evidence_));
    const std::vector<JudgedGroup> groups = ReadRound(setting_, parties_, round);
    std::map<int, std::vector<double>> controls, alone;
    for (const JudgedGroup& group : groups) {
      const PairOf pair = PairOfResult(parties_, group.result);
      if (pair.b < 0 || Plain(group) || before.rails.count(pair.rail) > 0) continue;
      if (before.good.count(pair.a) == 0 || before.good.count(pair.b) == 0) continue;
      (group.result.family() == kRailAloneFamily ? alone : controls)[group.span].push_back(group.result.busbw_gbps());
    }
    // Kept apart from good_ while the round is read: its order must not matter.
    std::map<int, std::vector<double>> earlier = good_;
    for (const JudgedGroup& group : groups) {
      const PairOf pair = PairOfResult(parties_, group.result);
      if (pair.b < 0) continue;
      PairEvidence e = Base(group, pair);
      e.reference = ReferenceOf(e.alone ? alone : controls, earlier, group.span);
      const absl::optional<Seen> plain = Plain(group);
      e.seen = plain ? *plain : e.gbps < limit_ * e.reference ? Seen::kBad : Seen::kGood;
      Keep(std::move(e), group.span);
    }
  }

  // By pairs that cross as much; where there are none, by all.
  static double ReferenceOf(const std::map<int, std::vector<double>>& controls,
                            const std::map<int, std::vector<double>>& earlier, int span) {
    const auto of = [&](const auto& map) {
      const auto at = map.find(span);
      return at == map.end() ? std::vector<double>() : at->second;
    };
    if (const double own = PairReference(of(controls), of(earlier)); own > 0) return own;
    const auto all = [](const auto& map) {
      std::vector<double> values;
      for (const auto& [any, some] : map) values.insert(values.end(), some.begin(), some.end());
      return values;
    };
    return PairReference(all(controls), all(earlier));
  }

  const Setting& setting_;
  const Parties& parties_;
  const double limit_;
  std::map<int, std::vector<double>> good_;  // by span
  std::vector<PairEvidence> evidence_;
};

}  // namespace

std::vector<PairEvidence> ReadPairs(const Setting& setting, const Parties& parties, absl::Span<const Round> rounds,
                                    const Judged& first) {
  return Reader(setting, parties).Run(rounds, first);
}

std::vector<PairResult> ResultsOf(const Parties& parties, const std::vector<PairEvidence>& evidence) {
  std::map<std::tuple<int, int, int, int>, PairResult> results;
  for (const PairEvidence& e : evidence) {
    if (e.alone || e.rail < 0) continue;
    PairResult& r = results[{e.round, e.step, e.a, e.b}];
    r.a = e.a;
    r.b = e.b;
    r.round = e.round;
    r.rails.resize(static_cast<size_t>(parties.fabric().rails), Seen::kUnknown);
    if (e.rail < parties.fabric().rails) r.rails[static_cast<size_t>(e.rail)] = e.seen;
  }
  std::vector<PairResult> list;
  for (auto& [key, r] : results) list.push_back(std::move(r));
  return list;
}

std::string LineOf(const Parties& parties, const PairEvidence& e) {
  std::string line = absl::StrCat(parties[e.a].name, " ↔ ", parties[e.b].name);
  if (parties.fabric().rails > 1) absl::StrAppend(&line, " rail ", e.rail);
  absl::StrAppend(&line, e.alone ? " alone: " : ": ");
  if (!e.error.empty()) {
    absl::StrAppend(&line, e.error);
  } else if (e.gbps <= 0) {
    absl::StrAppend(&line, "no result");
  } else if (e.reference > 0) {
    absl::StrAppend(&line, absl::StrFormat("%.3g GB/s, %.2f of %.3g", e.gbps, e.gbps / e.reference, e.reference));
  } else {
    absl::StrAppend(&line, absl::StrFormat("%.3g GB/s", e.gbps));
  }
  return absl::StrCat(line, e.round > 0 ? absl::StrCat(" (round ", e.round, ")") : " (carried over)");
}

v1::PairProbe ProbeOf(const Parties& parties, const PairEvidence& e) {
  v1::PairProbe probe;
  probe.set_round(e.round);
  probe.set_node_a(parties[e.a].name);
  probe.set_node_b(parties[e.b].name);
  probe.set_rail(e.rail);
  probe.set_collective(v1::SEND_RECV);
  probe.set_bytes(e.bytes);
  probe.set_busbw_gbps(e.gbps);
  probe.set_reference_gbps(e.reference);
  probe.set_verdict(e.seen == Seen::kGood ? v1::PASS : e.seen == Seen::kBad ? v1::FAIL : v1::INCONCLUSIVE);
  probe.set_error(e.error);
  return probe;
}

}  // namespace muster::selftest
