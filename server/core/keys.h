#pragma once
// Small names for things within one process: never stored, never told.

#include <cstdint>

namespace muster::core {

// A job, by its order of submission; never used twice.
using JobKey = int64_t;

// A call that may be held. Made by the caller's side (Coordinator::NewCall), so that it can be given up before the loop
// has heard of it.
using CallId = uint64_t;

}  // namespace muster::core
