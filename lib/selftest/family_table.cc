#include "lib/selftest/family_table.h"

#include <algorithm>
#include <map>

#include "lib/selftest/pair_gate.h"
#include "lib/selftest/spec_defaults.h"
#include "lib/selftest/verdict.h"

namespace muster::selftest {
namespace {

v1::FamilyResult NewRow(const Setting& setting, const SiblingKey& key) {
  v1::FamilyResult row;
  row.set_family(key.family);
  row.set_collective(key.collective);
  row.set_bytes(key.bytes);
  row.set_verdict(v1::SKIPPED);
  const auto floor = setting.spec.floor_gbps().find(key.family);
  if (floor != setting.spec.floor_gbps().end()) row.set_floor_gbps(floor->second);
  for (const v1::FamilyResult& past : setting.history) {
    if (SiblingKey{past.family(), past.collective(), past.bytes()} == key) row.set_history_gbps(past.median_gbps());
  }
  return row;
}

void Add(const v1::GroupResult& r, v1::FamilyResult& row) {
  row.set_groups(row.groups() + 1);
  row.set_group_size(std::max(row.group_size(), r.size()));
  row.set_wrong_elements(row.wrong_elements() + r.wrong_elements());
  if (r.verdict() == v1::FAIL) row.set_failed_groups(row.failed_groups() + 1);
  if (r.verdict() == v1::INCONCLUSIVE) row.set_inconclusive_groups(row.inconclusive_groups() + 1);
  row.set_verdict(Worse(row.verdict(), r.verdict()));
}

}  // namespace

std::vector<v1::FamilyResult> FamilyTable(const Setting& setting, const Judged& judged) {
  std::map<SiblingKey, v1::FamilyResult> rows;
  std::map<SiblingKey, std::vector<double>> bandwidths;
  for (const auto& [key, group] : judged) {
    const auto [row, fresh] = rows.try_emplace(key.first);
    if (fresh) row->second = NewRow(setting, key.first);
    Add(group.result, row->second);
    if (group.result.measured()) bandwidths[key.first].push_back(group.result.busbw_gbps());
  }
  std::vector<v1::FamilyResult> table;
  for (auto& [key, row] : rows) {
    if (const std::vector<double>& all = bandwidths[key]; !all.empty()) {
      row.set_measured(true);
      row.set_slowest_gbps(*std::min_element(all.begin(), all.end()));
      row.set_median_gbps(MedianOf(all));
      if (row.median_gbps() < MinSiblingRatioOf(setting.spec) * row.history_gbps()) {
        row.set_verdict(Worse(row.verdict(), v1::WARN));
      }
    }
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace muster::selftest
