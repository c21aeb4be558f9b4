#pragma once
// How much one answer of a list holds: so little that every client takes it (gRPC's usual limit is 4 MiB), and the next
// page has the rest.

#include <cstdint>

namespace muster::core {

inline constexpr int kDefaultPage = 100;
inline constexpr int64_t kPageBytes = int64_t{3} << 20;
// An entry above this is shown without its long lists.
inline constexpr int64_t kLongEntry = int64_t{64} << 10;

class Page {
 public:
  explicit Page(int page_size) : left_(page_size == 0 ? kDefaultPage : page_size) {}

  // Takes the entry in, if there is room; the first one always has room.
  template <typename Message>
  bool Take(const Message& entry) {
    const auto size = static_cast<int64_t>(entry.ByteSizeLong());
    if (left_ == 0 || (bytes_ > 0 && bytes_ + size > kPageBytes)) return false;
    --left_;
    bytes_ += size + 8;
    return true;
  }

 private:
  int left_;
  int64_t bytes_ = 0;
};

}  // namespace muster::core
