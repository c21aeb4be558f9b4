#pragma once
// How an asynchronous call of the core is answered: exactly once, on the loop's thread or (refused at the door) on the
// caller's. The callback must not block.

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"

namespace muster::core {

template <typename T>
using Reply = absl::AnyInvocable<void(absl::StatusOr<T>)>;

}  // namespace muster::core
