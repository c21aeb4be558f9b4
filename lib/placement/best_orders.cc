#include "lib/placement/best_orders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace muster::placement {
namespace {

// A tile: its extent along each dimension.
using Tile = std::vector<int64_t>;

int64_t SizeOf(const Tile& tile) {
  int64_t size = 1;
  for (const int64_t extent : tile) size *= extent;
  return size;
}

struct Traffic {
  int64_t same = 0;
  int64_t cross = 0;
};

// What leaves a tile that begins at unit 0.
class TileTraffic {
 public:
  explicit TileTraffic(const Dimensions& dimensions) : dimensions_(dimensions) {}

  const Traffic& Leaving(const Tile& tile) {
    const auto [at, added] = known_.emplace(tile, Traffic());
    if (!added) return at->second;
    for (const Factor& factor : dimensions_.factors) {
      if (!factor.uniform) continue;
      int64_t copies = SizeOf(tile);
      for (const size_t d : factor.dims) copies /= tile[d];
      for (const UnitEdge& edge : factor.edges) {
        if (Inside(factor, tile, edge.a) == Inside(factor, tile, edge.b)) continue;
        at->second.same += copies * edge.same_rail;
        at->second.cross += copies * edge.cross_rail;
      }
    }
    return at->second;
  }

 private:
  bool Inside(const Factor& factor, const Tile& tile, int32_t unit) const {
    return std::all_of(factor.dims.begin(), factor.dims.end(), [&](size_t d) {
      return unit / dimensions_.dims[d].stride % dimensions_.dims[d].size < tile[d];
    });
  }

  const Dimensions& dimensions_;
  std::map<Tile, Traffic> known_;
};

struct Node;

// One way to a tile: the step from another tile, along one of the ways there.
struct Path {
  int64_t cost = 0;
  const Node* from = nullptr;
  size_t way = 0;  // place in from->paths
  OrderStep step;
};

struct Node {
  std::vector<Path> paths;
};

Order OrderOf(const Path* path) {
  Order order;
  for (; path->from != nullptr; path = &path->from->paths[path->way]) order.push_back(path->step);
  std::reverse(order.begin(), order.end());
  return order;
}

// Whether a step from `tile` units to `next` can be part of an order that keeps consecutive units together in blocks:
// up to the block's size only digits below it, after it only above.
bool Keeps(const Dimension& dim, int64_t done, int64_t factor, int64_t tile, int32_t block) {
  const int64_t stride = dim.stride * done;  // of the step, in units
  return tile < block ? stride * factor <= block && tile * factor <= block : stride >= block;
}

Tile WholeTile(const std::vector<Dimension>& dims) {
  Tile whole;
  for (const Dimension& dim : dims) whole.push_back(dim.size);
  return whole;
}

}  // namespace

std::vector<Order> BestOrders(const Dimensions& dimensions, const std::vector<TileGoal>& goals,
                              const std::vector<int32_t>& blocks, size_t count) {
  const std::vector<Dimension>& dims = dimensions.dims;
  const Order plain = PlainOrder(dims);
  std::vector<TileGoal> sorted = goals;
  std::sort(sorted.begin(), sorted.end(), [](const TileGoal& a, const TileGoal& b) { return a.units < b.units; });
  TileTraffic traffic(dimensions);
  // By size, so that every tile comes after those within it.
  std::map<std::pair<int64_t, Tile>, Node> lattice;
  lattice[{1, Tile(dims.size(), 1)}].paths.resize(1);
  for (auto at = lattice.begin(); at != lattice.end(); ++at) {
    const auto& [size, tile] = at->first;
    Node& node = at->second;
    std::stable_sort(node.paths.begin(), node.paths.end(),
                     [](const Path& a, const Path& b) { return a.cost < b.cost; });
    if (node.paths.size() > count) node.paths.resize(count);
    for (size_t d = 0; d < dims.size(); ++d) {
      int64_t tried = 0;
      for (const OrderStep& step : plain) {
        if (step.dim != d || step.factor == tried || dims[d].size / tile[d] % step.factor != 0) continue;
        tried = step.factor;
        const bool keeps = std::all_of(blocks.begin(), blocks.end(), [&](int32_t block) {
          return Keeps(dims[d], tile[d], step.factor, size, block);
        });
        if (!keeps) continue;
        int64_t cost = 0;
        const auto from = std::lower_bound(sorted.begin(), sorted.end(), size,
                                           [](const TileGoal& goal, int64_t s) { return goal.units < s; });
        for (auto goal = from; goal != sorted.end() && goal->units < size * step.factor; ++goal) {
          Tile held = tile;
          held[d] *= goal->units / size;
          const Traffic& leaving = traffic.Leaving(held);
          cost += goal->same * leaving.same + goal->cross * leaving.cross;
        }
        Tile next = tile;
        next[d] *= step.factor;
        Node& there = lattice[{size * step.factor, next}];
        for (size_t way = 0; way < node.paths.size(); ++way) {
          there.paths.push_back({node.paths[way].cost + cost, &node, way, step});
        }
      }
    }
  }
  std::vector<Order> orders;
  // The whole is the last, unless blocks stand in every way to it.
  const auto& [last, node] = *lattice.rbegin();
  if (last.second == WholeTile(dims)) {
    for (const Path& path : node.paths) orders.push_back(OrderOf(&path));
  }
  if (std::find(orders.begin(), orders.end(), plain) == orders.end()) orders.push_back(plain);
  return orders;
}

}  // namespace muster::placement
