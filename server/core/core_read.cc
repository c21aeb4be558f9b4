// What people read while the store fails: never more than is durable. The failed turn is the only one in memory that is
// not, so the store is asked for what that turn has changed, once.

#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <utility>

#include "lib/gang/demands.h"
#include "server/core/core.h"
#include "server/core/job_record.h"
#include "server/core/node_record.h"

namespace muster::core {
namespace {

absl::StatusOr<std::unique_ptr<NodeEntry>> StoredNode(store::Store& store, const NodeUid& uid) {
  absl::StatusOr<absl::optional<std::string>> bytes = store.Get(store::Kind::kNode, uid.value());
  if (!bytes.ok()) return bytes.status();
  if (!*bytes) return nullptr;
  absl::StatusOr<NodeEntry> node = DecodeNode(uid.value(), **bytes);
  if (!node.ok()) return node.status();
  return std::make_unique<NodeEntry>(*std::move(node));
}

}  // namespace

void Core::KeepStored() {
  // What can't be read either is shown as what the store doesn't have.
  const auto note = [](const absl::Status& status) {
    spdlog::error("event=store_not_read why=\"{}\"", std::string(status.message()));
  };
  for (JobKey key : turn_jobs_) {
    const Job* job = jobs_.Find(key);
    if (job == nullptr) continue;
    absl::StatusOr<std::unique_ptr<Job>> stored = StoredJob(store_, job->gang.uid);
    if (!stored.ok()) note(stored.status());
    std::unique_ptr<Job>& kept = stored_jobs_[key];
    if (!stored.ok() || *stored == nullptr) continue;
    kept = *std::move(stored);
    kept->phase = gang::PhaseOf(kept->gang.state);
    kept->holds = gang::Holds(kept->gang);
  }
  for (const NodeUid& uid : turn_nodes_) {
    absl::StatusOr<std::unique_ptr<NodeEntry>> stored = StoredNode(store_, uid);
    if (!stored.ok()) note(stored.status());
    stored_nodes_[uid] = stored.ok() ? *std::move(stored) : nullptr;
  }
}

void Core::RunReads(const absl::Status& status) {
  for (auto& read : std::exchange(reads_, {})) read(status);
}

std::optional<v1::Job> Core::DurableView(const Job& job, bool brief) const {
  const auto stored = stored_jobs_.find(job.key());
  if (stored == stored_jobs_.end()) return View(job, brief);
  if (stored->second == nullptr) return std::nullopt;
  return View(*stored->second, brief);
}

std::optional<v1::Node> Core::DurableView(const NodeEntry& node) {
  if (stored_jobs_.empty() && stored_nodes_.empty()) return View(node);
  const auto stored = stored_nodes_.find(node.uid);
  if (stored != stored_nodes_.end() && stored->second == nullptr) return std::nullopt;
  NodeEntry shown = stored == stored_nodes_.end() ? node : *stored->second;
  if (shown.last_seen == absl::InfinitePast()) shown.last_seen = node.last_seen;
  shown.users = node.users;
  for (const auto& [key, job] : stored_jobs_) {
    shown.users.erase(key);
    if (job == nullptr) continue;
    const auto use = job->holds.find(node.uid);
    if (use != job->holds.end()) shown.users[key] = use->second;
  }
  return View(shown);
}

}  // namespace muster::core
