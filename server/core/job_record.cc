#include "server/core/job_record.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/record.h"
#include "server/core/derive.h"

namespace muster::core {
namespace {

constexpr store::Kind kKind = store::Kind::kJob;

std::string SpecKey(const Job& job) { return job.gang.uid.value() + "/spec"; }
std::string ReleasedKey(const Job& job) { return job.gang.uid.value() + "/released"; }

gang::ReleasedPtr ReleasedOf(const Job& job) {
  const auto* running = std::get_if<gang::Running>(&job.gang.state);
  return running == nullptr ? nullptr : running->released;
}

absl::StatusOr<std::unique_ptr<Job>> ReadJob(const std::string& bytes) {
  absl::StatusOr<gang::Gang> gang = gang::FromRecord(bytes);
  if (!gang.ok()) return gang.status();
  auto job = std::make_unique<Job>();
  job->gang = *std::move(gang);
  job->spec_stored = true;
  job->released_stored = ReleasedOf(*job);
  if (absl::Status derived = Derive(*job); !derived.ok())
    return absl::DataLossError(
        absl::StrCat("job ", job->gang.uid.value(), ": its spec is not valid here: ", derived.message()));
  return job;
}

}  // namespace

void PutJob(Job& job, store::Batch& batch) {
  batch.Put(kKind, job.gang.uid.value(), gang::ToRecord(job.gang, gang::Part::kMoving));
  if (!job.spec_stored) batch.Put(kKind, SpecKey(job), gang::ToRecord(job.gang, gang::Part::kSpec));
  job.spec_stored = true;
  gang::ReleasedPtr released = ReleasedOf(job);
  if (released == job.released_stored) return;
  if (released != nullptr) {
    batch.Put(kKind, ReleasedKey(job), gang::ToRecord(job.gang, gang::Part::kReleased));
  } else {
    batch.Delete(kKind, ReleasedKey(job));
  }
  job.released_stored = std::move(released);
}

void DeleteJob(Job& job, store::Batch& batch) {
  batch.Delete(kKind, job.gang.uid.value());
  batch.Delete(kKind, SpecKey(job));
  if (job.released_stored != nullptr) batch.Delete(kKind, ReleasedKey(job));
}

absl::StatusOr<std::vector<std::unique_ptr<Job>>> ReadJobs(std::vector<store::Record> records) {
  // A record is its parts one after the other.
  std::map<std::string, std::string> parts;
  for (store::Record& record : records) parts[record.key.substr(0, record.key.find('/'))] += record.value;
  records.clear();
  std::vector<std::unique_ptr<Job>> jobs;
  for (const auto& [uid, bytes] : parts) {
    absl::StatusOr<std::unique_ptr<Job>> job = ReadJob(bytes);
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

absl::StatusOr<std::unique_ptr<Job>> StoredJob(store::Store& store, const JobUid& uid) {
  std::string bytes;
  for (const char* part : {"", "/released", "/spec"}) {
    absl::StatusOr<absl::optional<std::string>> row = store.Get(kKind, uid.value() + part);
    if (!row.ok()) return row.status();
    if (*row) bytes += **row;
  }
  if (bytes.empty()) return nullptr;
  return ReadJob(bytes);
}

}  // namespace muster::core
