#include "lib/topology/topology.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/topology/natural_order.h"

namespace muster {
namespace {

constexpr size_t kMaxNameLength = 253;
constexpr size_t kMaxLabelLength = 256;

absl::Status CheckNode(const TopologyNode& node, const Tiers& tiers) {
  if (node.name.empty()) return FieldError("nodes", "a node has no name", "name every node");
  const std::string field = absl::StrCat("nodes.", absl::string_view(node.name).substr(0, 64));
  if (node.name.size() > kMaxNameLength) {
    return FieldError(field, absl::StrCat("the name has ", node.name.size(), " characters"),
                      absl::StrCat("at most ", kMaxNameLength, " are allowed"));
  }
  if (node.path.size() != tiers.size()) {
    return FieldError(field, absl::StrCat("its path has ", node.path.size(), " entries for ", tiers.size(), " tiers"),
                      "give one entry a tier, empty where it is unknown");
  }
  for (size_t i = 0; i < node.path.size(); ++i) {
    if (node.path[i].size() > kMaxLabelLength) {
      return FieldError(absl::StrCat(field, ".labels.", tiers[i].label),
                        absl::StrCat("the value has ", node.path[i].size(), " characters"),
                        absl::StrCat("at most ", kMaxLabelLength, " are allowed"));
    }
  }
  return absl::OkStatus();
}

// Tree order: at each domain the finer domains by tier and label, then its own nodes.
int ComparePaths(const TopologyPath& a, const TopologyPath& b) {
  size_t i = 0;
  while (true) {
    // The next tier that each one knows.
    size_t next_a = i;
    size_t next_b = i;
    while (next_a < a.size() && a[next_a].empty()) ++next_a;
    while (next_b < b.size() && b[next_b].empty()) ++next_b;
    if (next_a != next_b) return next_a < next_b ? -1 : 1;  // one that knows none comes last
    if (next_a == a.size()) return 0;
    if (const int order = CompareNatural(a[next_a], b[next_b])) return order;
    i = next_a + 1;
  }
}

// How the path continues below tier `after`: the next tier it knows, or its size.
int NextKnown(const TopologyPath& path, int after) {
  int next = after + 1;
  while (next < static_cast<int>(path.size()) && path[next].empty()) ++next;
  return next;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> Topology::Create(Tiers tiers, std::vector<TopologyNode> nodes) {
  for (const TopologyNode& node : nodes) {
    if (absl::Status status = CheckNode(node, tiers); !status.ok()) return status;
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const TopologyNode& a, const TopologyNode& b) { return CompareNatural(a.name, b.name) < 0; });
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].name == nodes[i - 1].name) {
      return FieldError(absl::StrCat("nodes.", nodes[i].name), "there are two nodes of this name",
                        "names must be unique: remove or rename one");
    }
  }
  std::shared_ptr<Topology> made(new Topology);
  made->tiers_ = std::move(tiers);
  made->nodes_ = std::move(nodes);
  made->BuildTree();
  return std::shared_ptr<const Topology>(std::move(made));
}

void Topology::BuildTree() {
  const int32_t count = size();
  tree_order_.reserve(count);
  for (int32_t i = 0; i < count; ++i) tree_order_.push_back(NodeIndex(i));
  std::stable_sort(tree_order_.begin(), tree_order_.end(),
                   [this](NodeIndex a, NodeIndex b) { return ComparePaths(node(a).path, node(b).path) < 0; });
  homes_.assign(count, root());
  Domain top;
  top.path = "the cluster";
  top.last_node = count;
  domains_.push_back(std::move(top));
  // The open domains, coarse to fine, along the path of the node before; each closes where the path leaves it.
  std::vector<DomainIndex> open = {root()};
  const TopologyPath* before = nullptr;
  for (int32_t at = 0; at < count; ++at) {
    const NodeIndex index = tree_order_[at];
    const TopologyPath& path = node(index).path;
    int equal = 0;
    while (before != nullptr && equal < static_cast<int>(path.size()) && path[equal] == (*before)[equal]) ++equal;
    while (domain(open.back()).tier >= equal) Close(open, at);
    for (int tier = NextKnown(path, domain(open.back()).tier); tier < static_cast<int>(path.size());
         tier = NextKnown(path, tier)) {
      Domain opened;
      opened.tier = tier;
      opened.path = PathText(TopologyPath(path.begin(), path.begin() + tier + 1));
      opened.parent = open.back();
      opened.first_node = at;
      const DomainIndex added(static_cast<int32_t>(domains_.size()));
      domains_[open.back().value()].children.push_back(added);
      domains_.push_back(std::move(opened));
      open.push_back(added);
    }
    domains_[open.back().value()].own_nodes.push_back(index);
    homes_[index.value()] = open.back();
    before = &path;
  }
  while (!open.empty()) Close(open, count);
}

void Topology::Close(std::vector<DomainIndex>& open, int32_t end) {
  Domain& closing = domains_[open.back().value()];
  closing.last_node = end;
  closing.last_domain = static_cast<int32_t>(domains_.size());
  open.pop_back();
}

absl::optional<NodeIndex> Topology::Find(absl::string_view name) const {
  const auto found = std::lower_bound(
      nodes_.begin(), nodes_.end(), name,
      [](const TopologyNode& node, absl::string_view wanted) { return CompareNatural(node.name, wanted) < 0; });
  if (found == nodes_.end() || found->name != name) return absl::nullopt;
  return NodeIndex(static_cast<int32_t>(found - nodes_.begin()));
}

absl::optional<DomainIndex> Topology::DomainOf(NodeIndex node, int tier) const {
  DomainIndex at = HomeOf(node);
  while (domain(at).tier > tier) at = domain(at).parent;
  if (tier == kNoTier || domain(at).tier != tier) return absl::nullopt;
  return at;
}

std::vector<DomainIndex> Topology::DomainsOfTier(int tier) const {
  std::vector<DomainIndex> found;
  for (size_t i = 0; i < domains_.size(); ++i) {
    if (domains_[i].tier == tier) found.push_back(DomainIndex(static_cast<int32_t>(i)));
  }
  return found;
}

int Topology::SharedTier(DomainIndex a, DomainIndex b) const {
  while (a != b) {
    // The later of two in depth-first order can't be above the other.
    if (a < b) {
      b = domain(b).parent;
    } else {
      a = domain(a).parent;
    }
  }
  return domain(a).tier;
}

int64_t Topology::CountTouched(absl::Span<const NodeIndex> nodes, int tier) const {
  std::set<DomainIndex> known;
  std::set<NodeIndex> unknown;
  for (const NodeIndex node : nodes) {
    if (const absl::optional<DomainIndex> domain = DomainOf(node, tier)) {
      known.insert(*domain);
    } else {
      unknown.insert(node);
    }
  }
  return static_cast<int64_t>(known.size() + unknown.size());
}

}  // namespace muster
