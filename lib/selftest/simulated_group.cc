#include "lib/selftest/simulated_group.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/selftest/bandwidth.h"
#include "lib/selftest/payload.h"

namespace muster::selftest {
namespace {

// Of a healthy group, bytes a microsecond.
constexpr double kBusRateInNode = 40e3;
constexpr double kBusRateAcross = 10e3;
constexpr double kLatencyUs = 20;
constexpr double kNoise = 0.01;
constexpr int kMaxIterations = 100000;

uint64_t Hash(uint64_t seed, uint64_t value) {
  uint64_t x = (seed ^ value) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// -1..1
double Noise(uint64_t hash) { return static_cast<double>(hash >> 11) / 4503599627370496.0 - 1; }

bool Crosses(absl::Span<const SimulatedMember> members) {
  return std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.node != members.front().node; });
}

double HealthyUs(const v1::TestStep& step, int64_t n, bool crosses) {
  const double bytes = static_cast<double>(step.bytes()) * BusFactor(step.collective(), n);
  return kLatencyUs + bytes / (crosses ? kBusRateAcross : kBusRateInNode);
}

// First output element that carries data of the member at `sender`; -1: none does.
int64_t FirstElementFrom(const Payload& payload, int64_t sender) {
  switch (payload.collective()) {
    case v1::ALL_REDUCE:
    case v1::REDUCE_SCATTER:
      return 0;
    case v1::ALL_GATHER:
    case v1::ALL_TO_ALL:
      return sender * payload.block();
    default:
      break;
  }
  if (payload.SenderOf(0) == sender) return 0;
  const int64_t half = payload.elements();
  return half < payload.output_elements() && payload.SenderOf(half) == sender ? half : -1;
}

// How many output elements carry that data.
int64_t ElementsFrom(const Payload& payload) {
  switch (payload.collective()) {
    case v1::ALL_GATHER:
    case v1::ALL_TO_ALL:
    case v1::REDUCE_SCATTER:
      return payload.block();
    default:
      return payload.elements();
  }
}

void Corrupt(const Payload& payload, absl::Span<const SimulatedMember> members, uint64_t seed, v1::StepResult& result) {
  const int64_t receiver_node = members[static_cast<size_t>(payload.position())].node;
  const bool sums = payload.collective() == v1::ALL_REDUCE || payload.collective() == v1::REDUCE_SCATTER;
  for (int64_t sender = 0; sender < payload.size(); ++sender) {
    const SimulatedMember& from = members[static_cast<size_t>(sender)];
    // Within a node data doesn't pass the link; but sums are made elsewhere and come back wrong.
    if (from.faults.corrupt <= 0 || (from.node == receiver_node && !sums)) continue;
    const int64_t first = FirstElementFrom(payload, sender);
    if (first < 0) continue;
    const auto share = static_cast<double>(ElementsFrom(payload)) * std::min(from.faults.corrupt, 1.0);
    if (result.wrong_elements() == 0) {
      const uint32_t want = payload.Expected(first);
      result.mutable_first_wrong()->set_rank(result.global_rank());
      result.mutable_first_wrong()->set_index(first);
      result.mutable_first_wrong()->set_want(want);
      result.mutable_first_wrong()->set_got(want ^ (uint32_t{1} << (Hash(seed, first) % 32)));
    }
    result.set_wrong_elements(result.wrong_elements() + std::max<int64_t>(1, std::llround(share)));
  }
}

}  // namespace

absl::StatusOr<v1::StepResult> SimulateMember(const v1::TestStep& step, int64_t group_index,
                                              absl::Span<const SimulatedMember> members, int64_t position,
                                              uint64_t seed) {
  std::vector<int64_t> ranks;
  for (const SimulatedMember& m : members) ranks.push_back(m.global_rank);
  absl::StatusOr<Payload> payload = Payload::Create(step.collective(), step.bytes(), ranks, position, seed);
  if (!payload.ok()) return payload.status();
  if (step.iterations() < 0 || step.iterations() > kMaxIterations) {
    return absl::InvalidArgumentError(absl::StrCat("iterations: ", step.iterations(), " is outside 0..100000"));
  }
  v1::StepResult result;
  result.set_step(step.index());
  result.set_global_rank(ranks[static_cast<size_t>(position)]);
  result.set_group_index(group_index);
  const bool crosses = Crosses(members);
  double slow = 1;
  if (crosses) {
    for (const SimulatedMember& m : members) slow = std::max(slow, m.faults.slow);
  }
  const double us = HealthyUs(step, payload->size(), crosses) * slow;
  const uint64_t mine =
      Hash(Hash(seed, static_cast<uint64_t>(step.index())), static_cast<uint64_t>(result.global_rank()));
  result.set_init_us(kLatencyUs);
  for (int i = 0; i < step.iterations(); ++i) {
    result.add_iteration_us(us * (1 + kNoise * Noise(Hash(mine, static_cast<uint64_t>(i)))));
  }
  if (crosses) Corrupt(*payload, members, seed, result);
  return result;
}

}  // namespace muster::selftest
