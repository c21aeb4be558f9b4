#include "lib/mesh/digits.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>

namespace muster::mesh {

int64_t CountOf(const Digits& digits) {
  int64_t count = 1;
  for (const Digit& digit : digits) count *= digit.size;
  return count;
}

int64_t OffsetAt(const Digits& digits, int64_t index) {
  int64_t offset = 0;
  for (const Digit& digit : digits) {
    offset += (index % digit.size) * digit.stride;
    index /= digit.size;
  }
  return offset;
}

DigitValues ValuesAt(const Digits& digits, int64_t index) {
  DigitValues values;
  for (const Digit& digit : digits) {
    values.push_back(index % digit.size);
    index /= digit.size;
  }
  return values;
}

absl::optional<DigitValues> ValuesOf(const Digits& digits, int64_t offset) {
  absl::InlinedVector<size_t, 8> by_stride(digits.size());
  std::iota(by_stride.begin(), by_stride.end(), size_t{0});
  std::sort(by_stride.begin(), by_stride.end(),
            [&](size_t a, size_t b) { return std::abs(digits[a].stride) > std::abs(digits[b].stride); });
  // A digit that counts downwards is read from its lowest rank upwards, then turned round.
  for (const Digit& digit : digits) {
    if (digit.stride < 0) offset -= digit.stride * (digit.size - 1);
  }
  if (offset < 0) return absl::nullopt;
  DigitValues values(digits.size(), 0);
  for (size_t i : by_stride) {
    const int64_t stride = std::abs(digits[i].stride);
    if (stride == 0) continue;
    const int64_t value = std::min(offset / stride, digits[i].size - 1);
    offset -= value * stride;
    values[i] = digits[i].stride < 0 ? digits[i].size - 1 - value : value;
  }
  if (offset != 0) return absl::nullopt;
  return values;
}

absl::optional<int64_t> IndexAt(const Digits& digits, int64_t offset) {
  const absl::optional<DigitValues> values = ValuesOf(digits, offset);
  if (!values) return absl::nullopt;
  int64_t index = 0;
  for (size_t i = digits.size(); i-- > 0;) index = index * digits[i].size + (*values)[i];
  return index;
}

Digits Trimmed(const Digits& digits) {
  Digits trimmed;
  for (const Digit& digit : digits) {
    if (digit.size != 1) trimmed.push_back(digit);
  }
  return trimmed;
}

Digits Joined(const Digits& digits) {
  Digits joined;
  for (const Digit& digit : Trimmed(digits)) {
    if (!joined.empty() && joined.back().stride * joined.back().size == digit.stride) {
      joined.back().size *= digit.size;
    } else {
      joined.push_back(digit);
    }
  }
  return joined;
}

absl::optional<std::pair<Digits, Digits>> SplitAt(const Digits& digits, int64_t count) {
  std::pair<Digits, Digits> parts;
  for (const Digit& digit : Joined(digits)) {
    if (count == 1) {
      parts.second.push_back(digit);
    } else if (count % digit.size == 0) {
      parts.first.push_back(digit);
      count /= digit.size;
    } else if (digit.size % count == 0) {
      parts.first.push_back({digit.stride, count});
      parts.second.push_back({digit.stride * count, digit.size / count});
      count = 1;
    } else {
      return absl::nullopt;
    }
  }
  if (count != 1) return absl::nullopt;
  return parts;
}

}  // namespace muster::mesh
