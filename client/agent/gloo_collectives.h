#pragma once
// The collectives of the plan on an open Gloo context. All block until done or the time-out, and throw as Gloo does.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "gloo/context.h"
#include "lib/selftest/payload.h"

namespace muster::agent {

// One member's buffers and connections for one step, set up once so that an iteration is traffic only.
class GlooCollective {
 public:
  GlooCollective(std::shared_ptr<gloo::Context> context, const selftest::Payload& payload);
  ~GlooCollective();

  absl::Span<uint32_t> input() { return absl::MakeSpan(input_); }
  absl::Span<uint32_t> output() { return absl::MakeSpan(output_); }

  void Run(std::chrono::milliseconds timeout);

 private:
  class Transfers;

  void AllReduce(std::chrono::milliseconds timeout);
  void AllGather(std::chrono::milliseconds timeout);
  void AllToAll(std::chrono::milliseconds timeout);
  // Gloo has none with a time-out: a ring of n-1 steps. In step k a member sends the block that it summed last to the
  // next one and adds its own input to the block that comes from the previous one; the last one is its result.
  void ReduceScatter(std::chrono::milliseconds timeout);

  const std::shared_ptr<gloo::Context> context_;
  const selftest::Payload& payload_;
  std::vector<uint32_t> input_, output_, sums_[2];
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace muster::agent
