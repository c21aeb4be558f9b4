#pragma once
// What an unset field of SelfTestSpec means.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::selftest {

// "gloo" unless the job names another.
std::string BackendOf(const v1::SelfTestSpec& spec);

// Share of the siblings' median below which a group fails. Default 0.85; for gloo 0.2, as TCP through a shared kernel
// varies by factors, not by percents.
double MinSiblingRatioOf(const v1::SelfTestSpec& spec);

// Wall deadline of one round.
absl::Duration RoundDeadlineOf(const v1::SelfTestSpec& spec);

// How much traffic a profile sends.
struct Ladder {
  // Payload sizes before rounding, bytes.
  std::vector<int64_t> bytes;
  // Of tests of node pairs.
  int64_t pair_bytes = 0;
  int32_t warmups = 1;
  int32_t iterations = 5;
  // Of the timed iterations of all steps of the first round together.
  absl::Duration traffic;
};
// Sizes as the backend's fabric wants them: accelerators and their NICs (nccl) need 64 MiB and more to show what they
// can do, TCP shows it at 16 MiB.
Ladder LadderOf(const v1::SelfTestSpec& spec);

// Timed iterations that no budget cuts away.
inline constexpr int32_t kFewestIterations = 5;

}  // namespace muster::selftest
