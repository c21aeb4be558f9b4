#pragma once
// Starting where the disk is full: the store is waited for, as it is when the disk fills up later.

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/store.h"

namespace muster::musterd {

// What `open` gives, tried again after each `pause` for as long as it says UNAVAILABLE (full, read-only or failing);
// null: `pause` said that the end has come. Says once why it waits.
absl::StatusOr<std::unique_ptr<store::Store>> AwaitStore(
    const std::function<absl::StatusOr<std::unique_ptr<store::Store>>()>& open,
    const std::function<bool(absl::Duration)>& pause);

}  // namespace muster::musterd
