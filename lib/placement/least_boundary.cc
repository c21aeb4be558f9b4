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
  Border border = Border::kLeaving;
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

// The factor's edges, repeated along those dimensions of the box that it doesn't have.
std::vector<WeightedEdge> EdgesIn(const Dimensions& dimensions, const std::vector<size_t>& dims, const Factor& factor,
                                  Scalar scalar) {
  const Box box = BoxOf(dimensions, dims);
  std::vector<int32_t> shifts = {0};
  for (const size_t d : dims) {
    if (std::find(factor.dims.begin(), factor.dims.end(), d) != factor.dims.end()) continue;
    const size_t count = shifts.size();
    for (int64_t digit = 1; digit < dimensions.dims[d].size; ++digit) {
      for (size_t i = 0; i < count; ++i) {
        shifts.push_back(static_cast<int32_t>(shifts[i] + digit * dimensions.dims[d].stride));
      }
    }
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> joined;
  for (const UnitEdge& edge : factor.edges) {
    for (const int32_t shift : shifts) {
      const auto [low, high] = std::minmax({box.Vertex(edge.a + shift), box.Vertex(edge.b + shift)});
      if (low != high) joined[{low, high}] += scalar(edge);
    }
  }
  std::vector<WeightedEdge> edges;
  for (const auto& [ends, weight] : joined) edges.push_back({ends.first, ends.second, weight});
  return edges;
}

// All subsets, each one vertex away from the one before.
Profile Listed(int64_t n, const std::vector<WeightedEdge>& edges, Border border) {
  std::vector<int64_t> weight(n * n);
  for (const WeightedEdge& edge : edges) {
    weight[edge.a * n + edge.b] += edge.weight;
    weight[edge.b * n + edge.a] += edge.weight;
  }
  Profile least(n + 1, kInfinite);
  least[0] = 0;
  uint32_t set = 0;
  int64_t now = 0;  // what leaves, or minus twice what is inside
  for (uint32_t i = 1; i < (uint32_t{1} << n); ++i) {
    const int v = std::countr_zero(i);
    int64_t inside = 0;
    int64_t outside = 0;
    for (int64_t u = 0; u < n; ++u) (set >> u & 1 ? inside : outside) += weight[v * n + u];
    const int64_t joining = border == Border::kLeaving ? outside - inside : -2 * inside;
    now += set >> v & 1 ? -joining : joining;
    set ^= uint32_t{1} << v;
    int64_t& at = least[std::popcount(set)];
    at = std::min(at, now);
  }
  return least;
}

// A ring, a chain or a clique of any size with equal weights. Of any other graph only what is never wrong: nothing
// leaves, all may be inside. `exact`: it is one of the three.
Profile OfPattern(int64_t n, const std::vector<WeightedEdge>& edges, Border border, bool& exact) {
  Profile least(n + 1);
  exact = false;
  if (edges.empty()) return least;
  const bool inside = border == Border::kInside;
  int64_t all = 0;
  for (const WeightedEdge& edge : edges) all += edge.weight;
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
  const bool equal =
      std::all_of(edges.begin(), edges.end(), [&](const WeightedEdge& edge) { return edge.weight == weight; });
  if (parts > 1 || (inside && !equal)) {
    for (int64_t s = 2; inside && s <= n; ++s) least[s] = -2 * all;
    return least;
  }
  const auto count = static_cast<int64_t>(edges.size());
  const bool clique = count == n * (n - 1) / 2;
  const bool ring = count == n && *std::min_element(degree.begin(), degree.end()) == 2;
  const bool chain = count == n - 1 && *std::max_element(degree.begin(), degree.end()) <= 2;
  exact = equal && (clique || ring || chain);
  if (!inside) {
    for (int64_t s = 1; s < n; ++s) least[s] = weight * (clique ? s * (n - s) : ring ? 2 : 1);
    return least;
  }
  const bool tree = count == n - 1;
  for (int64_t s = 1; s <= n; ++s) {
    const int64_t kept = s == n ? count : clique ? s * (s - 1) / 2 : ring || tree ? s - 1 : count;
    least[s] = s == 1 ? 0 : -2 * weight * kept;
  }
  return least;
}

// The graph of these factors over these dimensions: exact if small, else the sum of what is known of each factor.
Profile OfGraph(const Dimensions& dimensions, const std::vector<size_t>& dims,
                const std::vector<const Factor*>& factors, Scalar scalar) {
  const int64_t n = BoxOf(dimensions, dims).size();
  std::vector<WeightedEdge> all;
  Profile sum(n + 1);
  bool exact = false;
  for (const Factor* factor : factors) {
    const std::vector<WeightedEdge> edges = EdgesIn(dimensions, dims, *factor, scalar);
    const Profile part = OfPattern(n, edges, scalar.border, exact);
    for (int64_t s = 0; s <= n; ++s) sum[s] += part[s];
    if (n <= kMaxListedUnits) all.insert(all.end(), edges.begin(), edges.end());
  }
  if (n > kMaxListedUnits || all.empty() || (exact && factors.size() == 1)) return sum;
  return Listed(n, all, scalar.border);
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
  const int64_t n = BoxOf(dimensions, bundle.dims).size();
  if (n <= kMaxListedUnits || bundle.dims.size() == 1) return OfGraph(dimensions, bundle.dims, bundle.factors, scalar);
  // The product of what stays within one dimension, plus each item that ties dimensions.
  Profile sum = {0, 0};
  for (const size_t d : bundle.dims) {
    std::vector<const Factor*> pure;
    for (const Factor* factor : bundle.factors) {
      if (factor->dims.size() == 1 && factor->dims[0] == d) pure.push_back(factor);
    }
    sum = Product(sum, OfGraph(dimensions, {d}, pure, scalar), n);
  }
  for (const Factor* factor : bundle.factors) {
    if (factor->dims.size() < 2) continue;
    Profile part = OfGraph(dimensions, factor->dims, {factor}, scalar);
    for (const size_t d : bundle.dims) {
      if (std::find(factor->dims.begin(), factor->dims.end(), d) != factor->dims.end()) continue;
      part = Product(part, Profile(dimensions.dims[d].size + 1), n);
    }
    for (int64_t s = 0; s <= n; ++s) sum[s] += part[s];
  }
  return sum;
}

Profile Max(Profile a, const Profile& b) {
  for (size_t s = 0; s < a.size(); ++s) a[s] = std::max(a[s], b[s]);
  return a;
}

}  // namespace

std::vector<int64_t> LeastBoundaries(const Dimensions& dimensions, Border border, int64_t same, int64_t cross,
                                     int64_t most) {
  const Scalar scalar{border, same, cross};
  std::vector<size_t> all_dims;
  std::vector<const Factor*> uniform;
  int64_t units = 1;
  for (size_t d = 0; d < dimensions.dims.size(); ++d) {
    all_dims.push_back(d);
    units *= dimensions.dims[d].size;
  }
  for (const Factor& factor : dimensions.factors) {
    if (factor.uniform) uniform.push_back(&factor);
  }
  // Factors that don't repeat may keep all inside.
  int64_t anywhere = 0;
  for (const Factor& factor : dimensions.factors) {
    for (const UnitEdge& edge : factor.edges) anywhere += factor.uniform ? 0 : scalar(edge);
  }
  const auto with_those = [&](Profile least) {
    for (size_t s = 2; border == Border::kInside && s < least.size(); ++s) least[s] -= 2 * anywhere;
    return least;
  };
  if (units <= kMaxListedUnits) return with_those(OfGraph(dimensions, all_dims, uniform, scalar));
  std::vector<Profile> parts;
  for (const Bundle& bundle : BundlesOf(dimensions)) parts.push_back(OfBundle(dimensions, bundle, scalar));
  // Either may be the layers; both bounds hold.
  std::sort(parts.begin(), parts.end(), [](const Profile& a, const Profile& b) { return a.size() < b.size(); });
  Profile least = {0, 0};
  for (const Profile& part : parts) {
    least =
        least.size() == 2 ? Product(least, part, most) : Max(Product(least, part, most), Product(part, least, most));
  }
  return with_those(std::move(least));
}

}  // namespace muster::placement
