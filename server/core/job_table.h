#pragma once
// All jobs that the coordinator knows, and the ways to find one. Loop only.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/state.h"
#include "lib/mesh/mesh.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/node.pb.h"
#include "server/core/job_budget.h"
#include "server/core/keys.h"

namespace muster::core {

struct Job {
  gang::Gang gang;
  // What it may take of memory while it lives, and when it has finished (job_budget.h).
  int64_t weight = 0;
  int64_t finished_weight = 0;
  // Too long to be shown in lists.
  bool spec_is_long = false;
  // What the careful mesh does differently from upstream.
  std::vector<std::string> notes;

  // Derived from the spec.
  std::shared_ptr<const mesh::Mesh> mesh;
  std::shared_ptr<const placement::Request> request;

  // Derived from the gang, as of its last step.
  std::map<NodeUid, v1::NodeUse> holds;
  v1::Phase phase = v1::PHASE_UNSPECIFIED;
  absl::Time deadline = absl::InfiniteFuture();

  // What the store has of the parts of its record that are written once.
  bool spec_stored = false;
  gang::ReleasedPtr released_stored;

  // From the last run of the engine; only while it waits for nodes.
  int32_t queue_position = 0;
  std::string waits_for;
  // It has nodes by then, as declared durations tell; InfiniteFuture: unknown.
  absl::Time starts_by = absl::InfiniteFuture();

  JobKey key() const { return gang.sequence; }
  // "namespace/name".
  std::string FullName() const { return gang.ns + "/" + gang.name; }
  bool finished() const { return phase == v1::FINISHED; }
};

class JobTable {
 public:
  // `max_bytes` for the jobs that live.
  explicit JobTable(int64_t max_bytes) : budget_(max_bytes) {}

  // The job's uid, name and request id are new among those that count.
  Job& Add(std::unique_ptr<Job> job);
  // Keeps the counts by phase and the order of deadlines true; call after each step.
  void PhaseChanged(Job& job, v1::Phase phase);
  void DeadlineChanged(Job& job, absl::Time deadline);
  void Remove(JobKey key);

  Job* Find(JobKey key);
  Job* FindUid(const std::string& uid);
  // The latest of that name.
  Job* FindName(const std::string& ns, const std::string& name);
  Job* FindRequest(const std::string& ns, const std::string& request_id);
  // NOT_FOUND (UNKNOWN_JOB); INVALID_ARGUMENT: neither uid nor name, or they disagree.
  absl::StatusOr<Job*> Find(const v1::JobRef& ref);

  // By submission.
  const std::map<JobKey, std::unique_ptr<Job>>& all() const { return jobs_; }
  // Jobs whose deadline has come, in the order of the deadlines.
  std::vector<JobKey> Due(absl::Time now) const;
  absl::Time NextDeadline() const;

  int64_t live() const { return static_cast<int64_t>(jobs_.size()) - static_cast<int64_t>(finished_.size()); }
  // Finished ones, oldest submission first.
  const std::set<JobKey>& finished() const { return finished_; }
  int64_t finished_weight() const { return finished_weight_; }
  const JobBudget& budget() const { return budget_; }
  const std::map<v1::Phase, int64_t>& by_phase() const { return by_phase_; }
  JobKey next_key() const { return next_key_; }

 private:
  // Takes the job out of what counts jobs by their phase.
  void Uncount(Job& job);

  std::map<JobKey, std::unique_ptr<Job>> jobs_;
  absl::flat_hash_map<std::string, Job*> by_uid_;
  std::map<std::pair<std::string, std::string>, Job*> by_name_;
  std::map<std::pair<std::string, std::string>, Job*> by_request_;
  std::set<std::pair<absl::Time, JobKey>> deadlines_;
  std::set<JobKey> finished_;
  int64_t finished_weight_ = 0;
  JobBudget budget_;
  std::map<v1::Phase, int64_t> by_phase_;
  JobKey next_key_ = 1;
};

}  // namespace muster::core
