#include "server/core/job_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/record.h"
#include "server/core/derive.h"
#include "server/core/record.pb.h"

namespace muster::core {

std::string EncodeJob(const Job& job) {
  record::Job to;
  to.set_gang(gang::ToRecord(job.gang));
  to.set_request_id(job.request_id);
  return to.SerializeAsString();
}

absl::StatusOr<std::unique_ptr<Job>> DecodeJob(const std::string& uid, const std::string& bytes) {
  record::Job from;
  if (!from.ParseFromString(bytes)) return absl::DataLossError(absl::StrCat("the record of job ", uid, " is damaged"));
  absl::StatusOr<gang::Gang> gang = gang::FromRecord(from.gang());
  if (!gang.ok()) return gang.status();
  auto job = std::make_unique<Job>();
  job->gang = *std::move(gang);
  job->request_id = from.request_id();
  if (absl::Status derived = Derive(*job); !derived.ok())
    return absl::DataLossError(absl::StrCat("job ", uid, ": its spec is not valid here: ", derived.message()));
  return job;
}

}  // namespace muster::core
