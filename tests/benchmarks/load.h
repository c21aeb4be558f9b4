#pragma once
// Plays many members at once: one GetRank call each, over a bounded number of connections.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"

namespace muster::benchmarks {

struct LoadResult {
  absl::Duration took;              // from the first call to the last answer
  int64_t answered = 0;             // OK with an assignment
  int64_t calls = 0;                // repeated ones included
  int64_t largest_answer = 0;       // bytes of assignment
  std::vector<std::string> errors;  // at most three
};

// Sends all `requests` at once over `channels` connections and waits for all answers; NOT_READY answers are called
// again at once. Bounded: gives up after `deadline`.
LoadResult Burst(const std::string& address, const std::vector<v1::GetRankRequest>& requests, int channels,
                 absl::Duration deadline);

}  // namespace muster::benchmarks
