#include "lib/placement/apart_rows.h"

#include <algorithm>

#include "lib/placement/bin_cover.h"

namespace muster::placement {
namespace {

// The first slots below a domain, each as often as it has nodes.
void Append(const Site& site, const SiteDomain& domain, int32_t count, std::vector<int32_t>& row) {
  for (int32_t slot = domain.first_slot; slot < domain.last_slot && count > 0; ++slot) {
    const int32_t taken = std::min(count, site.slots()[slot].capacity());
    row.insert(row.end(), taken, slot);
    count -= taken;
  }
}

// Domains in this order, each to the replica whose turn it is until that has enough.
std::vector<int32_t> InTurn(const Site& site, const std::vector<int32_t>& domains) {
  const ApartRule& rule = site.rules().apart;
  std::vector<int32_t> row;
  int32_t missing = rule.units;
  for (const int32_t d : domains) {
    const SiteDomain& domain = site.domains()[d];
    const int32_t taken = std::min(missing, domain.nodes);
    Append(site, domain, taken, row);
    missing -= taken;
    if (missing == 0) missing = rule.units;
    if (static_cast<int32_t>(row.size()) == rule.units * rule.replicas) return row;
  }
  return {};
}

std::vector<int32_t> Covering(const Site& site, const std::vector<int32_t>& domains) {
  const ApartRule& rule = site.rules().apart;
  std::vector<int32_t> capacities;
  for (const int32_t d : domains) capacities.push_back(site.domains()[d].nodes);
  BinCover cover = CoverBins(capacities, rule.replicas, rule.units);
  if (cover.covered != Covered::kYes) return {};
  // Replicas next to each other in the mesh go to domains near each other.
  std::sort(cover.bins.begin(), cover.bins.end());
  std::vector<int32_t> order;
  for (const std::vector<size_t>& bin : cover.bins) {
    for (const size_t item : bin) order.push_back(domains[item]);
  }
  return InTurn(site, order);
}

}  // namespace

std::vector<std::vector<int32_t>> ApartRows(const Site& site) {
  std::vector<int32_t> domains;
  for (size_t d = 0; d < site.domains().size(); ++d) {
    if (site.domains()[d].tier == site.rules().apart.tier) domains.push_back(static_cast<int32_t>(d));
  }
  std::vector<int32_t> big_first = domains;
  std::stable_sort(big_first.begin(), big_first.end(),
                   [&](int32_t a, int32_t b) { return site.domains()[a].nodes > site.domains()[b].nodes; });
  std::vector<std::vector<int32_t>> rows;
  for (std::vector<int32_t> row : {Covering(site, domains), InTurn(site, domains), InTurn(site, big_first)}) {
    if (!row.empty() && std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace muster::placement
