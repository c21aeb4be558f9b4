#pragma once
// A job as bytes, and back.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/core/job_table.h"

namespace muster::core {

std::string EncodeJob(const Job& job);
// Whole, with what follows from its spec. Errors: as gang::FromRecord; DATA_LOSS: not such a record, or a spec that is
// not valid here.
absl::StatusOr<std::unique_ptr<Job>> DecodeJob(const std::string& uid, const std::string& bytes);

}  // namespace muster::core
