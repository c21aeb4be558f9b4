#pragma once
// Ids like "job-0f3c…": unique over restarts (the term is mixed in), unguessable where the seed is. Loop only.

#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"

namespace muster::core {

class IdMaker {
 public:
  IdMaker(uint64_t seed, Term term) : engine_(Seeds(seed, term.value())) {}

  std::string Make(absl::string_view kind) { return absl::StrFormat("%s-%016x", kind, engine_()); }
  // Sorts by time, to the microsecond.
  std::string MakeOrdered(absl::string_view kind, absl::Time now) {
    return absl::StrFormat("%s-%014x%06x", kind, absl::ToUnixMicros(now), engine_() & 0xffffff);
  }
  uint64_t Number() { return engine_(); }

 private:
  static std::mt19937_64 Seeds(uint64_t seed, uint64_t term) {
    std::seed_seq seq{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(term),
                      static_cast<uint32_t>(term >> 32)};
    return std::mt19937_64(seq);
  }
  std::mt19937_64 engine_;
};

}  // namespace muster::core
