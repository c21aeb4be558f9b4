#include "client/cli/pair_map.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/escape.h"
#include "client/cli/format.h"
#include "lib/topology/natural_order.h"

namespace muster::cli {
namespace {

constexpr size_t kMostNodes = 32;
constexpr int kBarTenths = 10;

using Pair = std::pair<std::string, std::string>;

struct Cell {
  double gbps = 0;  // the slowest; 0: none measured
  bool failed = false;
};

using Pairs = std::map<Pair, Cell>;

void Add(Pairs& pairs, const std::string& a, const std::string& b, double gbps, bool failed) {
  if (a.empty() || b.empty() || a == b) return;
  Cell& cell = pairs[a < b ? Pair(a, b) : Pair(b, a)];
  cell.failed |= failed;
  if (gbps > 0) cell.gbps = cell.gbps == 0 ? gbps : std::min(cell.gbps, gbps);
}

Pairs PairsOf(const v1::Receipt& receipt) {
  Pairs pairs;
  const auto& ranks = receipt.placement().ranks();
  const auto name = [&](int32_t rank) { return rank >= 0 && rank < ranks.size() ? ranks.Get(rank).node() : ""; };
  for (const v1::GroupResult& g : receipt.groups()) {
    if (g.family() != "pairs" || g.node_ranks_size() != 2) continue;
    Add(pairs, name(g.node_ranks(0)), name(g.node_ranks(1)), g.measured() ? g.busbw_gbps() : 0,
        g.verdict() == v1::FAIL);
  }
  for (const v1::PairProbe& p : receipt.probes()) {
    Add(pairs, p.node_a(), p.node_b(), p.busbw_gbps(), p.verdict() == v1::FAIL);
  }
  return pairs;
}

double MedianOf(const Pairs& pairs) {
  std::vector<double> values;
  for (const auto& [pair, cell] : pairs) {
    if (cell.gbps > 0) values.push_back(cell.gbps);
  }
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// In natural order; of too many those with most bad pairs.
std::vector<std::string> NodesOf(const Pairs& pairs, double median) {
  std::map<std::string, double, NaturalLess> badness;
  for (const auto& [pair, cell] : pairs) {
    const double share = cell.failed || median <= 0 ? 0 : std::min(1.0, cell.gbps / median);
    badness[pair.first] += 1 - share;
    badness[pair.second] += 1 - share;
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [node, bad] : badness) order.emplace_back(-bad, node);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (order.size() > kMostNodes) order.resize(kMostNodes);
  std::vector<std::string> nodes;
  for (const auto& [bad, node] : order) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end(), NaturalLess());
  return nodes;
}

Span CellText(const Cell* cell, double median) {
  if (cell == nullptr) return {" ·", Style::kDim};
  const double share = cell->gbps / median;
  if (cell->failed || cell->gbps <= 0) return {" █", Style::kBad};
  if (share < 0.5) return {" ▓", Style::kBad};
  if (share < 0.85) return {" ▒", Style::kWarn};
  return {" ░", Style::kGood};
}

}  // namespace

void PrintPairMap(Screen& out, const v1::Receipt& receipt) {
  const Pairs pairs = PairsOf(receipt);
  const double median = MedianOf(pairs);
  const std::vector<std::string> nodes = NodesOf(pairs, median);
  if (nodes.size() < 3 || median <= 0) return;
  size_t width = 0;
  for (const std::string& node : nodes) width = std::max(width, Width(Printable(node)));
  out.Blank();
  out.Line(
      {Span("NODE PAIRS", Style::kDim),
       absl::StrCat("  median ", GbpsText(median), " GB/s; of it: ░ 0.85 and more  ▒ 0.5  ▓ less  █ failed  · none")});
  for (const std::string& row : nodes) {
    const std::string name = Printable(row);
    Spans line = {Span(absl::StrCat(name, std::string(width - Width(name), ' ')))};
    for (const std::string& column : nodes) {
      if (row == column) {
        if (column != nodes.back()) line.emplace_back("  ");
        continue;
      }
      const auto at = pairs.find(row < column ? Pair(row, column) : Pair(column, row));
      line.push_back(CellText(at == pairs.end() ? nullptr : &at->second, median));
    }
    out.Line(line);
  }
}

std::string Bar(double share) {
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarTenths + 0.5);
  std::string bar;
  for (int i = 0; i < kBarTenths; ++i) absl::StrAppend(&bar, i < full ? "▇" : "▁");
  return bar;
}

}  // namespace muster::cli
