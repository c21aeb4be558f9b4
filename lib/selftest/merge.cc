#include "lib/selftest/merge.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/yardsticks.h"

namespace muster::selftest {
namespace {

bool Good(const JudgedGroup& group) { return group.result.verdict() == v1::PASS && !group.doubtful; }

Yardsticks ReferenceOf(const Setting& setting, const Parties& parties, const Judged& first, const Judged& again) {
  Yardsticks reference;
  std::set<std::pair<SiblingKey, int>> beside;
  for (const auto& [key, group] : first) {
    const auto at = again.find(key);
    if (!Good(group) || at == again.end() || !at->second.result.measured()) continue;
    reference.Add(key.first, group.span, at->second.result.busbw_gbps());
    beside.emplace(key.first, group.span);
  }
  for (const auto& [key, group] : first) {
    if (!Good(group) || beside.count({key.first, group.span}) > 0) continue;
    reference.Add(key.first, group.span, group.result.busbw_gbps());
  }
  for (const v1::GroupResult& r : setting.carried) {
    const SiblingKey key{r.family(), r.collective(), r.bytes()};
    const int span = parties.SpanOf(r.node_ranks());
    if (r.measured() && beside.count({key, span}) == 0) reference.Add(key, span, r.busbw_gbps());
  }
  reference.Sort();
  return reference;
}

// All rounds of one group, the first included.
JudgedGroup MergeOne(const std::vector<const JudgedGroup*>& rounds) {
  const JudgedGroup& last = *rounds.back();
  JudgedGroup merged = last;
  int slow = 0, doubtful = 0, failed = 0;
  const JudgedGroup* worst = nullptr;
  const JudgedGroup* corrupt = nullptr;
  std::set<CorruptEdge> edges;
  for (const JudgedGroup* group : rounds) {
    slow += group->slow;
    doubtful += group->slow || group->doubtful;
    failed += IsSuspect(*group) && !group->doubtful;
    if (group->wrong_data && corrupt == nullptr) corrupt = group;
    if (IsSuspect(*group)) worst = group;
    edges.insert(group->corrupt.begin(), group->corrupt.end());
  }
  if (corrupt != nullptr) {
    merged = *corrupt;
    if (rounds.size() > 1 && last.wrong_data && &last != corrupt) {
      absl::StrAppend(merged.result.mutable_why(), "; again in round ", last.result.round());
    }
    merged.corrupt = std::move(edges);
    return merged;
  }
  v1::GroupResult& r = merged.result;
  merged.doubtful = false;
  merged.slow = last.slow && slow > 1;
  if (rounds.size() > 1 && worst != nullptr && worst != &last) {
    r.set_why(absl::StrCat(r.why(), "; in round ", worst->result.round(), ": ", worst->result.why()));
  }
  if (r.verdict() == v1::PASS && (failed > 1 || doubtful > 1)) r.set_verdict(v1::WARN);
  return merged;
}

}  // namespace

Judged Merge(const Setting& setting, const Parties& parties, absl::Span<const Round> rounds, Judged first) {
  std::map<GroupKey, std::vector<JudgedGroup>> again;
  Judged strangers;
  for (size_t i = 1; i < rounds.size(); ++i) {
    const Judged alone = Judge(setting, parties, rounds[i]);
    const Yardsticks reference = ReferenceOf(setting, parties, first, alone);
    for (auto& [key, group] : Judge(setting, parties, rounds[i], &reference)) {
      const auto at = first.find(key);
      if (at == first.end()) {
        // A pair that only localisation had: nothing to confirm, but wrong data is wrong data.
        if (group.wrong_data) strangers.emplace(key, std::move(group));
        continue;
      }
      // Good siblings ran only as the measure.
      if (IsSuspect(at->second) || group.wrong_data) again[key].push_back(std::move(group));
    }
  }
  for (auto& [key, more] : again) {
    JudgedGroup& group = first.at(key);
    std::vector<const JudgedGroup*> all = {&group};
    for (const JudgedGroup& g : more) all.push_back(&g);
    group = MergeOne(all);
  }
  first.merge(strangers);
  return first;
}

}  // namespace muster::selftest
