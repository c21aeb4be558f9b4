#pragma once
// Jobs as people read them.

#include "client/cli/look.h"
#include "client/cli/screen.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::cli {

void PrintJobs(Screen& out, const Look& look, const google::protobuf::RepeatedPtrField<v1::Job>& jobs);

// State and why first; then where its members are, what crosses, and the next command. `mesh` is the job's, or null.
void PrintJob(Screen& out, const Look& look, const v1::Job& job, const mesh::Mesh* mesh);

// "pp 24 of 64 groups, round 1"; empty without a test.
std::string TestProgressText(const v1::TestProgress& progress);

// The command that tells more of a job in this state.
std::string NextCommand(const v1::Job& job);

}  // namespace muster::cli
