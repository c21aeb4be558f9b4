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
  if (node.accelerator.size() > kMaxLabelLength) {
    return FieldError(absl::StrCat(field, ".accelerator"),
                      absl::StrCat("the domain has ", node.accelerator.size(), " characters"),
                      absl::StrCat("at most ", kMaxLabelLength, " are allowed"));
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

bool NameLess(const std::shared_ptr<const TopologyNode>& node, absl::string_view name) {
  return CompareNatural(node->name, name) < 0;
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
  made->nodes_.reserve(nodes.size());
  for (TopologyNode& node : nodes) made->nodes_.push_back(std::make_shared<const TopologyNode>(std::move(node)));
  made->SortTree();
  made->BuildTree({});
  return std::shared_ptr<const Topology>(std::move(made));
}

absl::StatusOr<std::shared_ptr<const Topology>> Topology::With(TopologyNode node) const {
  if (absl::Status status = CheckNode(node, tiers_); !status.ok()) return status;
  const auto added = std::make_shared<const TopologyNode>(std::move(node));
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), added->name, NameLess);
  const int32_t index = static_cast<int32_t>(at - nodes_.begin());
  const bool there = at != nodes_.end() && (*at)->name == added->name;
  std::shared_ptr<Topology> made(new Topology);
  made->tiers_ = tiers_;
  made->nodes_.reserve(nodes_.size() + 1);
  made->nodes_.assign(nodes_.begin(), at);
  made->nodes_.push_back(added);
  made->nodes_.insert(made->nodes_.end(), there ? at + 1 : at, nodes_.end());
  const auto moved = [&](int32_t i) { return i + (!there && i >= index ? 1 : 0); };
  std::vector<int32_t> homes_before(made->nodes_.size(), -1);
  for (int32_t i = 0; i < size(); ++i) homes_before[moved(i)] = homes_[i].value();
  homes_before[index] = -1;
  // The first in tree order that goes after it.
  const auto after = [&](NodeIndex other) {
    const int order = ComparePaths(this->node(other).path, added->path);
    return order != 0 ? order > 0 : moved(other.value()) > index;
  };
  std::vector<NodeIndex>& order = made->tree_order_;
  order.reserve(made->nodes_.size());
  const auto place =
      std::partition_point(tree_order_.begin(), tree_order_.end(), [&](NodeIndex other) { return !after(other); });
  for (auto i = tree_order_.begin();; ++i) {
    if (i == place) order.push_back(NodeIndex(index));
    if (i == tree_order_.end()) break;
    if (!there || i->value() != index) order.push_back(NodeIndex(moved(i->value())));
  }
  made->BuildTree(homes_before);
  return std::shared_ptr<const Topology>(std::move(made));
}

std::shared_ptr<const Topology> Topology::Without(absl::string_view name) const {
  const absl::optional<NodeIndex> found = Find(name);
  if (!found) return std::shared_ptr<const Topology>(new Topology(*this));
  const int32_t index = found->value();
  std::shared_ptr<Topology> made(new Topology);
  made->tiers_ = tiers_;
  made->nodes_.reserve(nodes_.size());
  made->nodes_.assign(nodes_.begin(), nodes_.begin() + index);
  made->nodes_.insert(made->nodes_.end(), nodes_.begin() + index + 1, nodes_.end());
  const auto moved = [&](int32_t i) { return i - (i > index ? 1 : 0); };
  std::vector<int32_t> homes_before(made->nodes_.size());
  for (int32_t i = 0; i < size(); ++i) {
    if (i != index) homes_before[moved(i)] = homes_[i].value();
  }
  made->tree_order_.reserve(made->nodes_.size());
  for (const NodeIndex other : tree_order_) {
    if (other.value() != index) made->tree_order_.push_back(NodeIndex(moved(other.value())));
  }
  made->BuildTree(homes_before);
  return made;
}

void Topology::SortTree() {
  tree_order_.reserve(nodes_.size());
  for (int32_t i = 0; i < size(); ++i) tree_order_.push_back(NodeIndex(i));
  std::stable_sort(tree_order_.begin(), tree_order_.end(),
                   [this](NodeIndex a, NodeIndex b) { return ComparePaths(node(a).path, node(b).path) < 0; });
}

void Topology::BuildTree(const std::vector<int32_t>& homes_before) {
  const int32_t count = size();
  homes_.assign(count, root());
  Domain top;
  top.path = "the cluster";
  top.last_node = count;
  domains_.push_back(std::move(top));
  // The open domains, coarse to fine, along the path of the node before; each closes where the path leaves it.
  std::vector<DomainIndex> open = {root()};
  const TopologyPath* before = nullptr;
  int32_t end = 0;
  for (int32_t at = 0; at < count; at = end) {
    // at..end-1 have one path.
    const int32_t home_before = homes_before.empty() ? -1 : homes_before[tree_order_[at].value()];
    end = at + 1;
    while (home_before >= 0 && end < count && homes_before[tree_order_[end].value()] == home_before) ++end;
    const TopologyPath& path = node(tree_order_[at]).path;
    int equal = 0;
    while (before != nullptr && equal < static_cast<int>(path.size()) && path[equal] == (*before)[equal]) ++equal;
    while (domain(open.back()).tier >= equal) Close(open, at);
    for (int tier = NextKnown(path, domain(open.back()).tier); tier < static_cast<int>(path.size());
         tier = NextKnown(path, tier)) {
      Domain opened;
      opened.tier = tier;
      opened.path = PathText(absl::MakeConstSpan(path).first(tier + 1));
      opened.parent = open.back();
      opened.first_node = at;
      const DomainIndex added(static_cast<int32_t>(domains_.size()));
      domains_[open.back().value()].children.push_back(added);
      domains_.push_back(std::move(opened));
      open.push_back(added);
    }
    std::vector<NodeIndex>& own = domains_[open.back().value()].own_nodes;
    own.insert(own.end(), tree_order_.begin() + at, tree_order_.begin() + end);
    for (int32_t i = at; i < end; ++i) homes_[tree_order_[i].value()] = open.back();
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
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), name, NameLess);
  if (found == nodes_.end() || (*found)->name != name) return absl::nullopt;
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
