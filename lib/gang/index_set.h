#pragma once
// A set of pod indexes as bits: a gang's members that are here. Costs one bit an index up to the highest one inserted.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/base/ids.h"

namespace muster::gang {

class IndexSet {
 public:
  // Precondition of all: index >= 0, and validated against the gang's size by the caller.
  void Insert(PodIndex index) {
    const auto i = static_cast<size_t>(index.value());
    if (i / kBits >= words_.size()) words_.resize(i / kBits + 1);
    uint64_t& word = words_[i / kBits];
    const uint64_t bit = uint64_t{1} << (i % kBits);
    count_ += (word & bit) == 0;
    word |= bit;
  }
  void Erase(PodIndex index) {
    const auto i = static_cast<size_t>(index.value());
    if (!Contains(index)) return;
    words_[i / kBits] &= ~(uint64_t{1} << (i % kBits));
    --count_;
  }
  bool Contains(PodIndex index) const {
    const auto i = static_cast<size_t>(index.value());
    return i / kBits < words_.size() && (words_[i / kBits] >> (i % kBits) & 1) != 0;
  }
  int32_t count() const { return count_; }
  void Clear() { words_.clear(), count_ = 0; }

  // The first `limit` indexes of 0..size-1 that are not in the set, ascending. O(size / 64).
  std::vector<PodIndex> FirstAbsent(int32_t size, size_t limit) const {
    std::vector<PodIndex> absent;
    for (int64_t i = 0; i < size && absent.size() < limit; ++i) {
      const auto word = static_cast<size_t>(i) / kBits;
      if (i % kBits == 0 && word < words_.size() && words_[word] == ~uint64_t{0}) {
        i += kBits - 1;
      } else if (!Contains(PodIndex(static_cast<int32_t>(i)))) {
        absent.push_back(PodIndex(static_cast<int32_t>(i)));
      }
    }
    return absent;
  }

 private:
  static constexpr int64_t kBits = 64;
  std::vector<uint64_t> words_;
  int32_t count_ = 0;
};

}  // namespace muster::gang
