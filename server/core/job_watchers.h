#pragma once
// Streams that follow a job. Each gets the newest view after each change; what lies between may be left out by a slow
// reader. Loop only.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "proto/muster/v1/job.pb.h"
#include "server/core/keys.h"

namespace muster::core {

// Where a stream's messages go. Both are called on the loop and must not block; after Done nothing is called.
class JobSink {
 public:
  virtual ~JobSink() = default;
  virtual void Send(std::shared_ptr<const v1::Job> job) = 0;
  virtual void Done(const absl::Status& status) = 0;
};

class JobWatchers {
 public:
  void Add(CallId id, JobKey job, std::shared_ptr<JobSink> sink) {
    by_job_[job][id] = std::move(sink);
    job_of_[id] = job;
  }
  // Those that have watchers.
  std::vector<JobKey> jobs() const {
    std::vector<JobKey> jobs;
    for (const auto& [job, sinks] : by_job_) jobs.push_back(job);
    return jobs;
  }
  bool Watched(JobKey job) const { return by_job_.count(job) > 0; }
  void Send(JobKey job, std::shared_ptr<const v1::Job> view) {
    const auto found = by_job_.find(job);
    if (found == by_job_.end()) return;
    for (auto& [id, sink] : found->second) sink->Send(view);
  }
  // Ends all streams of the job.
  void Done(JobKey job, const absl::Status& status) {
    const auto found = by_job_.find(job);
    if (found == by_job_.end()) return;
    for (auto& [id, sink] : found->second) {
      job_of_.erase(id);
      sink->Done(status);
    }
    by_job_.erase(found);
  }
  void DoneAll(const absl::Status& status) {
    while (!by_job_.empty()) Done(by_job_.begin()->first, status);
  }
  // The reader is gone: nothing is called any more but Done, now.
  void Remove(CallId id) {
    const auto found = job_of_.find(id);
    if (found == job_of_.end()) return;
    auto& sinks = by_job_[found->second];
    const std::shared_ptr<JobSink> sink = sinks[id];
    sinks.erase(id);
    if (sinks.empty()) by_job_.erase(found->second);
    job_of_.erase(found);
    sink->Done(absl::CancelledError("the caller has gone"));
  }
  size_t size() const { return job_of_.size(); }

 private:
  std::map<JobKey, std::map<CallId, std::shared_ptr<JobSink>>> by_job_;
  std::map<CallId, JobKey> job_of_;
};

}  // namespace muster::core
