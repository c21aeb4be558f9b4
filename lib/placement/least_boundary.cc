#include "lib/placement/least_boundary.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace muster::placement {
namespace {

using Profile = std::vector<int64_t>;  // entry s: least boundary of s vertices

constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;

struct Scalar {
  int64_t same = 1;
  int64_t cross = 1;
  int64_t operator()(const UnitEdge& edge) const { return edge.same_rail * same + edge.cross_rail * cross; }
};

// Vertices of a few dimensions, numbered 0..n-1 in mixed radix.
struct Box {
  std::vector<Dimension> dims;

  int64_t size() const {
    int64_t n = 1;
    for (const Dimension& dim : dims) n *= dim.size;
    return n;
  }
  int64_t Vertex(int32_t unit) const {
    int64_t vertex = 0;
    int64_t radix = 1;
    for (const Dimension& dim : dims) {
      vertex += unit / dim.stride % dim.size * radix;
      radix *= dim.size;
    }
    return vertex;
  }
};

Box BoxOf(const Dimensions& dimensions, const std::vector<size_t>& dims) {
  Box box;
  for (const size_t d : dims) box.dims.push_back(dimensions.dims[d]);
  return box;
}

struct WeightedEdge {
  int64_t a, b, weight;
};

std::vector<WeightedEdge> EdgesIn(const Box& box, const Factor& factor, Scalar scalar) {
  std::map<std::pair<int64_t, int64_t>, int64_t> joined;
  for (const UnitEdge& edge : factor.edges) {
    const auto [low, high] = std::minmax({box.Vertex(edge.a), box.Vertex(edge.b)});
    if (low != high) joined[{low, high}] += scalar(edge);
  }
  std::vector<WeightedEdge> edges;
  for (const auto& [ends, weight] : joined) edges.push_back({ends.first, ends.second, weight});
  return edges;
}

// All subsets, each one vertex away from the one before.
Profile Listed(int64_t n, const std::vector<WeightedEdge>& edges) {
  std::vector<int64_t> weight(n * n);
  for (const WeightedEdge& edge : edges) {
    weight[edge.a * n + edge.b] += edge.weight;
    weight[edge.b * n + edge.a] += edge.weight;
  }
  Profile least(n + 1, kInfinite);
  least[0] = 0;
  uint32_t set = 0;
  int64_t boundary = 0;
  for (uint32_t i = 1; i < (uint32_t{1} << n); ++i) {
    const int v = std::countr_zero(i);
    int64_t inside = 0;
    int64_t outside = 0;
    for (int64_t u = 0; u < n; ++u) (set >> u & 1 ? inside : outside) += weight[v * n + u];
    boundary += set >> v & 1 ? inside - outside : outside - inside;
    set ^= uint32_t{1} << v;
    int64_t& at = least[std::popcount(set)];
    at = std::min(at, boundary);
  }
  return least;
}

// A ring, a chain or a clique of any size with equal weights; all zeros (never wrong) for any other graph.
Profile OfPattern(int64_t n, const std::vector<WeightedEdge>& edges) {
  Profile least(n + 1);
  if (edges.empty()) return least;
  std::vector<int> degree(n);
  std::vector<int64_t> root(n);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int64_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  int64_t weight = edges[0].weight;
  int64_t parts = n;
  for (const WeightedEdge& edge : edges) {
    weight = std::min(weight, edge.weight);
    ++degree[edge.a];
    ++degree[edge.b];
    if (find(edge.a) != find(edge.b)) {
      root[find(edge.a)] = find(edge.b);
      --parts;
    }
  }
  if (parts > 1) return least;
  const auto count = static_cast<int64_t>(edges.size());
  const bool clique = count == n * (n - 1) / 2;
  const bool ring = count == n && *std::min_element(degree.begin(), degree.end()) == 2;
  for (int64_t s = 1; s < n; ++s) least[s] = weight * (clique ? s * (n - s) : ring ? 2 : 1);
  return least;
}

Profile OfGraph(const Box& box, const std::vector<const Factor*>& factors, Scalar scalar) {
  const int64_t n = box.size();
  std::vector<WeightedEdge> all;
  Profile sum(n + 1);
  for (const Factor* factor : factors) {
    const std::vector<WeightedEdge> edges = EdgesIn(box, *factor, scalar);
    if (n <= kMaxListedUnits) {
      all.insert(all.end(), edges.begin(), edges.end());
      continue;
    }
    const Profile part = OfPattern(n, edges);
    for (int64_t s = 0; s <= n; ++s) sum[s] += part[s];
  }
  return n <= kMaxListedUnits ? Listed(n, all) : sum;
}

// The product of two graphs: layers of the first along the second. `least[v * width + t]`: so many layers of at least v
// vertices each, t vertices in all.
Profile Product(const Profile& layer, const Profile& along, int64_t most) {
  const auto width = static_cast<int64_t>(layer.size()) - 1;
  const auto layers = static_cast<int64_t>(along.size()) - 1;
  const int64_t top = std::min(most, width * layers);
  const int64_t row = top + 1;
  std::vector<int64_t> before((width + 2) * row, kInfinite);
  for (int64_t v = 0; v <= width + 1; ++v) before[v * row] = 0;
  std::vector<int64_t> now(before.size());
  for (int64_t j = 1; j <= layers; ++j) {
    std::fill(now.begin() + (width + 1) * row, now.end(), kInfinite);
    for (int64_t v = width; v >= 0; --v) {
      // The j-th layer, the least, has v vertices, or all have more.
      const int64_t added = layer[v] + (along[j] - along[j - 1]) * v;
      const int64_t* const more = &now[(v + 1) * row];
      int64_t* const here = &now[v * row];
      std::copy(more, more + row, here);
      for (int64_t t = v; t <= top; ++t) here[t] = std::min(here[t], before[v * row + t - v] + added);
    }
    before.swap(now);
  }
  return Profile(before.begin(), before.begin() + row);
}

// Dimensions that some item ties together, with all items that stay within them.
struct Bundle {
  std::vector<size_t> dims;
  std::vector<const Factor*> factors;
};

std::vector<Bundle> BundlesOf(const Dimensions& dimensions) {
  std::vector<size_t> root(dimensions.dims.size());
  std::iota(root.begin(), root.end(), 0);
  for (const Factor& factor : dimensions.factors) {
    if (!factor.uniform) continue;
    for (const size_t d : factor.dims) {
      const size_t from = root[d];
      const size_t to = root[factor.dims[0]];
      for (size_t& r : root) r = r == from ? to : r;
    }
  }
  std::map<size_t, Bundle> bundles;
  for (size_t d = 0; d < root.size(); ++d) bundles[root[d]].dims.push_back(d);
  for (const Factor& factor : dimensions.factors) {
    if (factor.uniform && !factor.dims.empty()) bundles[root[factor.dims[0]]].factors.push_back(&factor);
  }
  std::vector<Bundle> found;
  for (auto& [r, bundle] : bundles) found.push_back(std::move(bundle));
  return found;
}

Profile OfBundle(const Dimensions& dimensions, const Bundle& bundle, Scalar scalar) {
  const Box box = BoxOf(dimensions, bundle.dims);
  const int64_t n = box.size();
  if (n <= kMaxListedUnits || bundle.dims.size() == 1) return OfGraph(box, bundle.factors, scalar);
  // The product of what stays within one dimension, plus each item that ties dimensions.
  Profile sum = {0, 0};
  for (const size_t d : bundle.dims) {
    std::vector<const Factor*> pure;
    for (const Factor* factor : bundle.factors) {
      if (factor->dims.size() == 1 && factor->dims[0] == d) pure.push_back(factor);
    }
    sum = Product(sum, OfGraph(BoxOf(dimensions, {d}), pure, scalar), n);
  }
  for (const Factor* factor : bundle.factors) {
    if (factor->dims.size() < 2) continue;
    Profile part =
        OfPattern(BoxOf(dimensions, factor->dims).size(), EdgesIn(BoxOf(dimensions, factor->dims), *factor, scalar));
    for (const size_t d : bundle.dims) {
      if (std::find(factor->dims.begin(), factor->dims.end(), d) != factor->dims.end()) continue;
      part = Product(part, Profile(dimensions.dims[d].size + 1), n);
    }
    for (int64_t s = 0; s <= n; ++s) sum[s] += part[s];
  }
  return sum;
}

}  // namespace

std::vector<int64_t> LeastBoundaries(const Dimensions& dimensions, int64_t same, int64_t cross, int64_t most) {
  Profile least = {0, 0};
  std::vector<Profile> parts;
  for (const Bundle& bundle : BundlesOf(dimensions)) parts.push_back(OfBundle(dimensions, bundle, {same, cross}));
  std::sort(parts.begin(), parts.end(), [](const Profile& a, const Profile& b) { return a.size() < b.size(); });
  for (const Profile& part : parts) least = Product(least, part, most);
  return least;
}

}  // namespace muster::placement
