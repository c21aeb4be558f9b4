#include "server/core/released_table.h"

#include "server/core/incarnations.h"

namespace muster::core {
namespace {

bool Asserts(const v1::GetRankRequest& request, const gang::Released& released) {
  return (!request.has_expected_epoch() || request.expected_epoch() == released.epoch.value()) &&
         (!request.has_expected_attempt() || request.expected_attempt() == released.attempt.value());
}

// On another node than the placement's, the caller is for the loop to refuse.
bool OnItsNode(const v1::GetRankRequest& request, const gang::Released& released, NodeRank rank) {
  if (request.node().empty() || !released.placement) return true;
  const auto& ranks = released.placement->ranks();
  return rank.value() >= 0 && rank.value() < ranks.size() && ranks[rank.value()].node() == request.node();
}

}  // namespace

void ReleasedTable::Publish(const std::string& uid, const std::string& ns, const std::string& name, int32_t workers,
                            gang::ReleasedPtr released) {
  MutexLock lock(&mu_);
  by_uid_[uid] = {ns, name, workers, std::move(released)};
  uid_of_[{ns, name}] = uid;
}

void ReleasedTable::Remove(const std::string& uid) {
  MutexLock lock(&mu_);
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return;
  const auto named = uid_of_.find({found->second.ns, found->second.name});
  if (named != uid_of_.end() && named->second == uid) uid_of_.erase(named);
  by_uid_.erase(found);
}

std::optional<ReleasedTable::Hit> ReleasedTable::Find(const v1::GetRankRequest& request) const {
  Hit hit;
  {
    const v1::JobRef& ref = request.job();
    MutexLock lock(&mu_);
    auto found = by_uid_.end();
    if (!ref.uid().empty()) {
      found = by_uid_.find(ref.uid());
      if (found != by_uid_.end() && !ref.name().empty()) return std::nullopt;
    } else {
      const auto named = uid_of_.find({ref.namespace_().empty() ? "default" : ref.namespace_(), ref.name()});
      if (named != uid_of_.end()) found = by_uid_.find(named->second);
    }
    if (found == by_uid_.end()) return std::nullopt;
    if (request.workers() != 0 && request.workers() != found->second.workers) return std::nullopt;
    hit.released = found->second.released;
  }
  if (!request.has_pod_index() || !Asserts(request, *hit.released)) return std::nullopt;
  const auto member = hit.released->members.find(PodIndex(request.pod_index()));
  if (member == hit.released->members.end()) return std::nullopt;
  const gang::Incarnation incarnation = IncarnationOf(request.incarnation());
  if (request.has_local_rank()) {
    const auto worker = member->second.workers.find(request.local_rank());
    if (worker == member->second.workers.end() || worker->second.first != incarnation) return std::nullopt;
    hit.assignment = &worker->second.second;
  } else {
    if (member->second.incarnation != incarnation || !member->second.workers.empty()) return std::nullopt;
    hit.assignment = &member->second.assignment;
  }
  if (!OnItsNode(request, *hit.released, member->second.rank)) return std::nullopt;
  return hit;
}

}  // namespace muster::core
