#pragma once
// A gang to bytes and back: the durable part only. Soft facts (who waits, leases, where pods are bound) are left out
// and learnt anew.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/gang/state.h"

namespace muster::gang {

// Equal durable parts give equal bytes.
std::string ToRecord(const Gang& gang);

// The same in parts, so that what is large and fixed is written once and not with every step. The parts one after the
// other, in any order, are a record.
enum class Part {
  kMoving,    // all but the others
  kSpec,      // fixed at submission
  kReleased,  // in Running: placement and assignments, fixed for the epoch. Else empty
};
std::string ToRecord(const Gang& gang, Part part);

// The gang as it was, without its soft facts and without Gang::mesh, which the caller sets anew; then step
// CoordinatorRestarted. Errors: FAILED_PRECONDITION for a record of a newer format; DATA_LOSS for bytes that are no
// record or contradict themselves (cut off, a rank without a node).
absl::StatusOr<Gang> FromRecord(absl::string_view bytes);

}  // namespace muster::gang
