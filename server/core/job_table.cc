#include "server/core/job_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/page.h"

namespace muster::core {

Job& JobTable::Add(std::unique_ptr<Job> owned) {
  Job& job = *owned;
  next_key_ = std::max(next_key_, job.key() + 1);
  job.weight = WeightOf(*job.gang.spec);
  job.spec_is_long = static_cast<int64_t>(job.gang.spec->ByteSizeLong()) > kLongEntry;
  job.finished_weight = FinishedWeightOf(*job.gang.spec);
  by_uid_[job.gang.uid.value()] = &job;
  Job*& named = by_name_[{job.gang.ns, job.gang.name}];
  if (named == nullptr || named->key() < job.key()) named = &job;
  if (!job.gang.request_id.empty()) by_request_[{job.gang.ns, job.gang.request_id}] = &job;
  jobs_[job.key()] = std::move(owned);
  return job;
}

void JobTable::PhaseChanged(Job& job, v1::Phase phase) {
  if (phase == job.phase) return;
  Uncount(job);
  job.phase = phase;
  ++by_phase_[phase];
  if (job.finished()) {
    finished_.insert(job.key());
    finished_weight_ += job.finished_weight;
  } else {
    budget_.Take(job.gang.ns, job.weight);
  }
}

void JobTable::Uncount(Job& job) {
  if (job.phase == v1::PHASE_UNSPECIFIED) return;
  --by_phase_[job.phase];
  if (job.finished()) {
    finished_.erase(job.key());
    finished_weight_ -= job.finished_weight;
  } else {
    budget_.Return(job.gang.ns, job.weight);
  }
}

void JobTable::DeadlineChanged(Job& job, absl::Time deadline) {
  if (deadline == job.deadline) return;
  deadlines_.erase({job.deadline, job.key()});
  if (deadline != absl::InfiniteFuture()) deadlines_.insert({deadline, job.key()});
  job.deadline = deadline;
}

void JobTable::Remove(JobKey key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) return;
  Job& job = *found->second;
  by_uid_.erase(job.gang.uid.value());
  const auto named = by_name_.find({job.gang.ns, job.gang.name});
  if (named != by_name_.end() && named->second == &job) by_name_.erase(named);
  const auto request = by_request_.find({job.gang.ns, job.gang.request_id});
  if (request != by_request_.end() && request->second == &job) by_request_.erase(request);
  deadlines_.erase({job.deadline, key});
  Uncount(job);
  jobs_.erase(found);
}

Job* JobTable::Find(JobKey key) {
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? nullptr : found->second.get();
}

Job* JobTable::FindUid(const std::string& uid) {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : found->second;
}

Job* JobTable::FindName(const std::string& ns, const std::string& name) {
  const auto found = by_name_.find({ns, name});
  return found == by_name_.end() ? nullptr : found->second;
}

Job* JobTable::FindRequest(const std::string& ns, const std::string& request_id) {
  const auto found = by_request_.find({ns, request_id});
  return found == by_request_.end() ? nullptr : found->second;
}

absl::StatusOr<Job*> JobTable::Find(const v1::JobRef& ref) {
  if (ref.uid().empty() && ref.name().empty())
    return FieldError("job", "neither uid nor name is given", "give the job's name or its uid");
  const std::string ns = ref.namespace_().empty() ? "default" : ref.namespace_();
  Job* job = ref.uid().empty() ? FindName(ns, ref.name()) : FindUid(ref.uid());
  if (job == nullptr) {
    return OutcomeError(
        absl::StatusCode::kNotFound, v1::UNKNOWN_JOB,
        absl::StrCat("there is no job ", ref.uid().empty() ? absl::StrCat(ns, "/", ref.name()) : ref.uid()),
        "list what there is with \"muster get jobs\"");
  }
  if (!ref.uid().empty() && !ref.name().empty() && (job->gang.ns != ns || job->gang.name != ref.name())) {
    return FieldError("job",
                      absl::StrCat("uid ", ref.uid(), " is of ", job->FullName(), ", not of ", ns, "/", ref.name()),
                      "give either, or both of one job");
  }
  return job;
}

std::vector<JobKey> JobTable::Due(absl::Time now) const {
  std::vector<JobKey> due;
  for (const auto& [at, key] : deadlines_) {
    if (at > now) break;
    due.push_back(key);
  }
  return due;
}

absl::Time JobTable::NextDeadline() const {
  return deadlines_.empty() ? absl::InfiniteFuture() : deadlines_.begin()->first;
}

}  // namespace muster::core
