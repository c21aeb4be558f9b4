#include "lib/topology/natural_order.h"

#include <cstddef>

#include "absl/strings/ascii.h"

namespace muster {
namespace {

// Cuts the run of digits at the front of `text` off; `zeros` is how many leading zeros it had (one digit stays).
absl::string_view TakeNumber(absl::string_view& text, size_t& zeros) {
  size_t end = 0;
  while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
  zeros = 0;
  while (zeros + 1 < end && text[zeros] == '0') ++zeros;
  const absl::string_view number = text.substr(zeros, end - zeros);
  text.remove_prefix(end);
  return number;
}

int Sign(int value) { return value < 0 ? -1 : (value > 0 ? 1 : 0); }

}  // namespace

int CompareNatural(absl::string_view a, absl::string_view b) {
  int by_zeros = 0;  // the first difference in leading zeros; counts only if nothing else differs
  while (!a.empty() && !b.empty()) {
    if (absl::ascii_isdigit(a[0]) && absl::ascii_isdigit(b[0])) {
      size_t zeros_a = 0;
      size_t zeros_b = 0;
      const absl::string_view number_a = TakeNumber(a, zeros_a);
      const absl::string_view number_b = TakeNumber(b, zeros_b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size() ? -1 : 1;
      if (const int order = number_a.compare(number_b)) return Sign(order);
      if (by_zeros == 0 && zeros_a != zeros_b) by_zeros = zeros_a < zeros_b ? -1 : 1;
      continue;
    }
    if (a[0] != b[0]) return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]) ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty() ? -1 : 1;
  return by_zeros;
}

}  // namespace muster
