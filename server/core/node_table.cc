#include "server/core/node_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "lib/base/errors.h"
#include "server/core/times.h"

namespace muster::core {

v1::NodeUse NodeEntry::use() const {
  v1::NodeUse use = v1::FREE;
  for (const auto& [job, as] : users) use = std::max(use, as);
  return use;
}

std::string NodeEntry::WhyLost(Term term) const {
  if (session == gang::Incarnation()) return "its agent is gone for good; the next one that registers has the node";
  if (registrations == 0) return "its agent has not been heard for a lease";
  if (registrations == 1) return "its agent has registered and not come for orders yet";
  return absl::StrCat("its agent registers again and again but takes no orders",
                      seen_term > term ? absl::StrCat(": it has taken some of term ", seen_term.value(),
                                                      ", and this coordinator is at term ", term.value())
                                       : "");
}

NodeEntry* NodeTable::Find(const NodeUid& uid) {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : found->second.get();
}

NodeEntry* NodeTable::FindName(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

absl::StatusOr<NodeEntry*> NodeTable::Named(const std::string& name) {
  if (name.empty()) return FieldError("name", "is empty", "give a node's name");
  if (NodeEntry* node = FindName(name)) return node;
  // Looking for near names costs too much in a large cluster.
  std::vector<std::string> names;
  if (by_name_.size() <= 1000)
    for (const auto& [known, node] : by_name_) names.push_back(known);
  const std::string nearest = NearestName(name, names);
  return OutcomeError(
      absl::StatusCode::kNotFound, v1::BAD_REQUEST, absl::StrCat("there is no node ", name),
      nearest.empty() ? "list what there is with \"muster get nodes\"" : absl::StrCat("did you mean ", nearest, "?"));
}

absl::StatusOr<NodeEntry*> NodeTable::Put(const NodeUid& uid, const v1::NodeInfo& info) {
  NodeEntry* const named = FindName(info.name());
  if (named != nullptr && named->uid != uid) {
    return FieldError("node.name",
                      absl::StrCat("\"", info.name(), "\" is the name of the node with uid ", named->uid.value()),
                      "give each node its own name, or the same uid again");
  }
  std::unique_ptr<NodeEntry>& node = nodes_[uid];
  if (node == nullptr) {
    node = std::make_unique<NodeEntry>();
    node->uid = uid;
    ++facts_version_;
  } else if (!google::protobuf::util::MessageDifferencer::Equals(node->info, info)) {
    ++facts_version_;
  }
  if (!node->info.name().empty()) by_name_.erase(node->info.name());
  node->info = info;
  by_name_[info.name()] = node.get();
  return node.get();
}

void NodeTable::SetHolds(JobKey job, const std::map<NodeUid, v1::NodeUse>& before,
                         const std::map<NodeUid, v1::NodeUse>& holds) {
  for (const auto& [uid, use] : before) {
    if (holds.count(uid) > 0) continue;
    if (NodeEntry* node = Find(uid)) node->users.erase(job);
  }
  for (const auto& [uid, use] : holds)
    if (NodeEntry* node = Find(uid)) node->users[job] = use;
}

v1::Node NodeTable::View(const NodeEntry& node) const {
  v1::Node view;
  *view.mutable_info() = node.info;
  view.set_use(node.use());
  view.set_condition(node.condition());
  view.set_reason(node.set == v1::NODE_OK && node.lost ? node.WhyLost(term_) : node.reason);
  if (node.until != absl::InfiniteFuture()) SetTime(node.until, view.mutable_until());
  for (const std::string& domain : PathOf(node.info.labels(), tiers_)) view.add_topology_path(domain);
  if (node.last_seen != absl::InfinitePast()) SetTime(node.last_seen, view.mutable_last_seen());
  view.set_source("agent");
  view.set_set_by(node.set_by);
  return view;
}

absl::Time NodeTable::NextExpiry() const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [uid, node] : nodes_)
    if (node->set == v1::QUARANTINED) next = std::min(next, node->until);
  return next;
}

std::vector<NodeUid> NodeTable::Expired(absl::Time now) const {
  std::vector<NodeUid> expired;
  for (const auto& [uid, node] : nodes_)
    if (node->set == v1::QUARANTINED && node->until <= now) expired.push_back(uid);
  return expired;
}

}  // namespace muster::core
