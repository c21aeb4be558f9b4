#pragma once
// Jobs in the store, kind kJob: lib/gang's record of each in up to three rows, of which only the small one is written
// with every step. "uid": what moves; "uid/spec"; while it runs "uid/released".

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/job_table.h"
#include "server/store/store.h"

namespace muster::core {

// What the store must have of the job now.
void PutJob(Job& job, store::Batch& batch);
void DeleteJob(Job& job, store::Batch& batch);

// Whole, with what follows from their specs. Errors: as gang::FromRecord; DATA_LOSS: a spec that is not valid here.
absl::StatusOr<std::vector<std::unique_ptr<Job>>> ReadJobs(std::vector<store::Record> records);

// One of them as the store has it; null: it has none. Errors: as the store's Get, or those of ReadJobs.
absl::StatusOr<std::unique_ptr<Job>> StoredJob(store::Store& store, const JobUid& uid);

}  // namespace muster::core
