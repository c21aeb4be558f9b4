#pragma once
// The data that a collective is tested with, and what must come out of it, exactly and whatever the algorithm.
//
// Element i that rank r contributes is a(i) + r·b(i) mod 2^32, with a and b (odd) hashed from the seed; r is the global
// rank, so that data of another group is noticed too. A sum over n members is then n·a(i) + b(i)·Σr, in any order of
// summation: expected values cost O(1) an element.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// One member's part of one collective. Elements are uint32. With n members and S bytes, N = S/4 and c = N/n:
//   collective      sends (input)                      receives (output)
//   ALL_REDUCE      N                                  N sums
//   ALL_GATHER      c                                  N: member j's at j·c
//   REDUCE_SCATTER  N                                  c sums: the block of this position
//   ALL_TO_ALL      N: to member j those at j·c        N: from member j at j·c
//   SEND_RECV       2N: to the next, to the previous   2N: from the previous, from the next; a chain's ends half of it
//   RING_SEND_RECV  N to the next                      N from the previous
class Payload {
 public:
  // `members`: global ranks in group order; `position`: this worker's place among them.
  // INVALID_ARGUMENT: fewer than two members, a position outside, an unknown collective, or `bytes` that is no positive
  // multiple of 4 × members.
  static absl::StatusOr<Payload> Create(v1::Collective collective, int64_t bytes, std::vector<int64_t> members,
                                        int64_t position, uint64_t seed);

  v1::Collective collective() const { return collective_; }
  int64_t size() const { return static_cast<int64_t>(members_.size()); }
  int64_t position() const { return position_; }
  int64_t elements() const { return elements_; }        // N
  int64_t block() const { return elements_ / size(); }  // c
  int64_t input_elements() const { return input_elements_; }
  int64_t output_elements() const { return output_elements_; }

  // SEND_RECV: whether there is a neighbour on that side.
  bool has_previous() const { return position_ > 0; }
  bool has_next() const { return position_ + 1 < size(); }

  uint32_t Input(int64_t i) const;
  // Precondition: input.size() == input_elements().
  void Fill(absl::Span<uint32_t> input) const;

  // Elements of a SEND_RECV half that has no sender are expected to keep kUntouched.
  static constexpr uint32_t kUntouched = 0xa5a5a5a5u;
  uint32_t Expected(int64_t i) const;
  // Position of the member whose data output element i is; nullopt for sums, which have no single sender.
  absl::optional<int64_t> SenderOf(int64_t i) const;

  struct Verdict {
    int64_t wrong = 0;
    v1::WrongElement first;  // only with wrong > 0
  };
  // Precondition: output.size() == output_elements().
  Verdict Check(absl::Span<const uint32_t> output) const;

 private:
  Payload() = default;
  uint32_t ValueOf(int64_t rank, int64_t i) const;
  uint32_t SumAt(int64_t i) const;

  v1::Collective collective_ = v1::COLLECTIVE_UNSPECIFIED;
  std::vector<int64_t> members_;
  int64_t position_ = 0;
  uint64_t seed_ = 0;
  int64_t elements_ = 0;
  int64_t input_elements_ = 0;
  int64_t output_elements_ = 0;
  uint32_t rank_sum_ = 0;  // mod 2^32
};

}  // namespace muster::selftest
