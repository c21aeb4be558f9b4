#pragma once
// What follows from a job's spec, made once a job: its mesh, how its assignments get their groups, its placement
// request.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/core/job_table.h"

namespace muster::core {

struct Derived {
  std::shared_ptr<const mesh::Mesh> mesh;  // nullptr: the spec has none
  std::shared_ptr<const placement::Request> request;
};

// Takes time that grows with the gang (seconds for a million members), so a submitted job is derived on the
// thread that brings it, not on the loop, which is everyone's. INVALID_ARGUMENT naming the field: the spec has no such
// mesh or request.
absl::StatusOr<Derived> DeriveFrom(const std::string& full_name, const v1::JobSpec& spec);
// Gives the job what was derived of its spec.
void SetDerived(Job& job, const Derived& derived);

// Both. Of a job that is loaded.
absl::Status Derive(Job& job);

}  // namespace muster::core
