#include "lib/selftest/payload.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::selftest {
namespace {

// Far above any ladder; keeps 4 × elements and its multiples inside 64 bits.
constexpr int64_t kMaxBytes = int64_t{1} << 40;

// splitmix64's finaliser (Steele, Lea, Flood 2014): neighbouring elements get unrelated values.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct Coefficients {
  uint32_t a;
  uint32_t b;  // odd, so that different ranks give different values
};

Coefficients At(uint64_t seed, int64_t i) {
  const uint64_t h = Mix(seed ^ static_cast<uint64_t>(i));
  return {static_cast<uint32_t>(h), static_cast<uint32_t>(h >> 32) | 1u};
}

}  // namespace

absl::StatusOr<Payload> Payload::Create(v1::Collective collective, int64_t bytes, std::vector<int64_t> members,
                                        int64_t position, uint64_t seed) {
  const auto n = static_cast<int64_t>(members.size());
  if (n < 2) return absl::InvalidArgumentError(absl::StrCat("group: ", n, " members; a collective needs two"));
  if (position < 0 || position >= n) {
    return absl::InvalidArgumentError(absl::StrCat("position: ", position, " is outside 0..", n - 1));
  }
  if (bytes <= 0 || bytes > kMaxBytes || bytes % (4 * n) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes: ", bytes, " is no multiple of ", 4 * n, " (4 bytes × ", n, " members) within 1 TiB"));
  }
  Payload p;
  p.collective_ = collective;
  p.position_ = position;
  // So that a seed of 0 or 1 is as good as any.
  p.seed_ = Mix(seed);
  p.elements_ = bytes / 4;
  const int64_t block = p.elements_ / n;
  switch (collective) {
    case v1::ALL_REDUCE:
    case v1::ALL_TO_ALL:
    case v1::RING_SEND_RECV:
      p.input_elements_ = p.output_elements_ = p.elements_;
      break;
    case v1::ALL_GATHER:
      p.input_elements_ = block;
      p.output_elements_ = p.elements_;
      break;
    case v1::REDUCE_SCATTER:
      p.input_elements_ = p.elements_;
      p.output_elements_ = block;
      break;
    case v1::SEND_RECV:
      p.input_elements_ = p.output_elements_ = 2 * p.elements_;
      break;
    default:
      return absl::InvalidArgumentError(absl::StrCat("collective: ", static_cast<int>(collective), " is not known"));
  }
  for (int64_t rank : members) p.rank_sum_ += static_cast<uint32_t>(rank);
  p.members_ = std::move(members);
  return p;
}

uint32_t Payload::ValueOf(int64_t rank, int64_t i) const {
  const Coefficients c = At(seed_, i);
  return c.a + static_cast<uint32_t>(rank) * c.b;
}

uint32_t Payload::SumAt(int64_t i) const {
  const Coefficients c = At(seed_, i);
  return static_cast<uint32_t>(members_.size()) * c.a + c.b * rank_sum_;
}

uint32_t Payload::Input(int64_t i) const {
  const int64_t own = members_[static_cast<size_t>(position_)];
  // An all-gather's elements are numbered as in its result, so that a block in the wrong place is noticed.
  return ValueOf(own, collective_ == v1::ALL_GATHER ? position_ * block() + i : i);
}

void Payload::Fill(absl::Span<uint32_t> input) const {
  for (size_t i = 0; i < input.size(); ++i) input[i] = Input(static_cast<int64_t>(i));
}

absl::optional<int64_t> Payload::SenderOf(int64_t i) const {
  switch (collective_) {
    case v1::ALL_GATHER:
    case v1::ALL_TO_ALL:
      return i / block();
    case v1::RING_SEND_RECV:
      return (position_ + size() - 1) % size();
    case v1::SEND_RECV:
      if (i < elements_) return has_previous() ? absl::optional<int64_t>(position_ - 1) : absl::nullopt;
      return has_next() ? absl::optional<int64_t>(position_ + 1) : absl::nullopt;
    default:
      return absl::nullopt;
  }
}

uint32_t Payload::Expected(int64_t i) const {
  switch (collective_) {
    case v1::ALL_REDUCE:
      return SumAt(i);
    case v1::REDUCE_SCATTER:
      return SumAt(position_ * block() + i);
    default:
      break;
  }
  const absl::optional<int64_t> sender = SenderOf(i);
  if (!sender) return kUntouched;
  const int64_t rank = members_[static_cast<size_t>(*sender)];
  if (collective_ == v1::ALL_TO_ALL) return ValueOf(rank, position_ * block() + i % block());
  // SEND_RECV: what comes from the previous member is the half that it sends to its next, and the other way round.
  return ValueOf(rank, i);
}

Payload::Verdict Payload::Check(absl::Span<const uint32_t> output) const {
  Verdict verdict;
  for (size_t i = 0; i < output.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const uint32_t want = Expected(index);
    if (output[i] == want) continue;
    if (verdict.wrong++ > 0) continue;
    verdict.first.set_rank(members_[static_cast<size_t>(position_)]);
    verdict.first.set_index(index);
    verdict.first.set_got(output[i]);
    verdict.first.set_want(want);
  }
  return verdict;
}

}  // namespace muster::selftest
