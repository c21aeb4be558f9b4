#pragma once
// Strong types for the things that must not be swapped: an epoch is no attempt, a pod index no node rank.

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

namespace muster {

template <typename Tag, typename Rep>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(Rep value) : value_(std::move(value)) {}
  const Rep& value() const { return value_; }
  auto operator<=>(const StrongId&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const StrongId& id) {
    return H::combine(std::move(h), id.value_);
  }
  friend std::ostream& operator<<(std::ostream& out, const StrongId& id) { return out << id.value_; }

 private:
  Rep value_{};
};

using JobUid = StrongId<struct JobUidTag, std::string>;
using NodeUid = StrongId<struct NodeUidTag, std::string>;
using TestId = StrongId<struct TestIdTag, std::string>;
using ReceiptId = StrongId<struct ReceiptIdTag, std::string>;

// Position of a member in its owner's list of pods, 0..members-1.
using PodIndex = StrongId<struct PodIndexTag, int32_t>;
// Position of a member in the job, 0..members-1.
using NodeRank = StrongId<struct NodeRankTag, int32_t>;
// Lives of the gang as a whole, from 0.
using Attempt = StrongId<struct AttemptTag, int32_t>;
// 0: none yet.
using Epoch = StrongId<struct EpochTag, int64_t>;
// Of the coordinator: grows with each leadership and restart.
using Term = StrongId<struct TermTag, uint64_t>;
// Of a job: grows with each commit that starts or ends something outside. 0: none yet.
using OrderNumber = StrongId<struct OrderNumberTag, uint64_t>;

}  // namespace muster
