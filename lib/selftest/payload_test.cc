#include "lib/selftest/payload.h"

#include <gtest/gtest.h>

namespace muster::selftest {
namespace {

constexpr v1::Collective kAll[] = {v1::ALL_REDUCE, v1::ALL_GATHER, v1::REDUCE_SCATTER,
                                   v1::ALL_TO_ALL, v1::SEND_RECV,  v1::RING_SEND_RECV};
const std::vector<int64_t> kMembers = {3, 11, 19, 27};
constexpr int64_t kBytes = 4 * 4 * 6;

Payload Of(v1::Collective collective, int64_t position, uint64_t seed = 9) {
  return Payload::Create(collective, kBytes, kMembers, position, seed).value();
}

// The plain definition of each collective, on whole buffers.
std::vector<uint32_t> Reference(v1::Collective collective, int64_t position) {
  std::vector<std::vector<uint32_t>> in;
  for (int64_t p = 0; p < 4; ++p) {
    const Payload payload = Of(collective, p);
    in.emplace_back(payload.input_elements());
    payload.Fill(absl::MakeSpan(in.back()));
  }
  const int64_t n = 4, all = kBytes / 4, c = all / n;
  std::vector<uint32_t> out;
  switch (collective) {
    case v1::ALL_REDUCE:
    case v1::REDUCE_SCATTER:
      for (int64_t i = 0; i < all; ++i) out.push_back(in[0][i] + in[1][i] + in[2][i] + in[3][i]);
      if (collective == v1::REDUCE_SCATTER) out = {out.begin() + position * c, out.begin() + (position + 1) * c};
      break;
    case v1::ALL_GATHER:
      for (const auto& block : in) out.insert(out.end(), block.begin(), block.end());
      break;
    case v1::ALL_TO_ALL:
      for (const auto& from : in) out.insert(out.end(), from.begin() + position * c, from.begin() + (position + 1) * c);
      break;
    case v1::RING_SEND_RECV:
      out = in[(position + 3) % 4];
      break;
    default: {
      out.assign(2 * all, Payload::kUntouched);
      if (position > 0) std::copy_n(in[position - 1].begin(), all, out.begin());
      if (position < 3) std::copy_n(in[position + 1].begin() + all, all, out.begin() + all);
    }
  }
  return out;
}

TEST(Payload, EveryCollective_ExpectsWhatItsDefinitionGives) {
  for (v1::Collective collective : kAll) {
    for (int64_t position = 0; position < 4; ++position) {
      const std::vector<uint32_t> out = Reference(collective, position);
      const Payload payload = Of(collective, position);
      ASSERT_EQ(static_cast<int64_t>(out.size()), payload.output_elements()) << v1::Collective_Name(collective);
      EXPECT_EQ(payload.Check(out).wrong, 0) << v1::Collective_Name(collective) << " at " << position;
    }
  }
}

TEST(Payload, OneFlippedBit_IsFoundWithRankIndexAndValues) {
  for (v1::Collective collective : kAll) {
    std::vector<uint32_t> out = Reference(collective, 1);
    out[5] ^= 1u << 17;
    const Payload::Verdict verdict = Of(collective, 1).Check(out);
    EXPECT_EQ(verdict.wrong, 1);
    EXPECT_EQ(verdict.first.rank(), 11);
    EXPECT_EQ(verdict.first.index(), 5);
    EXPECT_EQ(verdict.first.got() ^ verdict.first.want(), 1u << 17);
  }
}

TEST(Payload, DataOfAnotherGroupOrSeed_IsWrong) {
  for (v1::Collective collective : kAll) {
    const std::vector<uint32_t> out = Reference(collective, 1);
    EXPECT_GT(Of(collective, 1, /*seed=*/10).Check(out).wrong, 0);
    const Payload other = Payload::Create(collective, kBytes, {3, 11, 19, 35}, 1, 9).value();
    const Payload shifted = Payload::Create(collective, kBytes, {4, 12, 20, 28}, 1, 9).value();
    EXPECT_GT(shifted.Check(out).wrong, 0) << v1::Collective_Name(collective);
    if (collective == v1::ALL_REDUCE) {
      EXPECT_EQ(other.Check(out).wrong, other.output_elements());
    }
  }
}

TEST(Payload, BlocksInTheWrongPlace_AreWrong) {
  std::vector<uint32_t> out = Reference(v1::ALL_GATHER, 0);
  std::swap_ranges(out.begin(), out.begin() + 6, out.begin() + 6);
  EXPECT_EQ(Of(v1::ALL_GATHER, 0).Check(out).wrong, 12);
}

TEST(Payload, SenderOf_NamesWhoseDataAnElementIs) {
  EXPECT_EQ(Of(v1::ALL_GATHER, 0).SenderOf(13), 2);
  EXPECT_EQ(Of(v1::ALL_TO_ALL, 3).SenderOf(0), 0);
  EXPECT_EQ(Of(v1::RING_SEND_RECV, 0).SenderOf(1), 3);
  EXPECT_EQ(Of(v1::SEND_RECV, 1).SenderOf(0), 0);
  EXPECT_EQ(Of(v1::SEND_RECV, 1).SenderOf(24), 2);
  EXPECT_EQ(Of(v1::SEND_RECV, 0).SenderOf(0), absl::nullopt);
  EXPECT_EQ(Of(v1::SEND_RECV, 3).SenderOf(24), absl::nullopt);
  EXPECT_EQ(Of(v1::ALL_REDUCE, 1).SenderOf(0), absl::nullopt);
}

TEST(Payload, WhatNoCollectiveCanRun_IsRefused) {
  const auto refused = [](v1::Collective c, int64_t bytes, std::vector<int64_t> members, int64_t position) {
    return Payload::Create(c, bytes, std::move(members), position, 0).status().code() ==
           absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused(v1::ALL_REDUCE, 96, {1}, 0));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, 96, {}, 0));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, 96, kMembers, 4));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, 96, kMembers, -1));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, 0, kMembers, 0));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, -96, kMembers, 0));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, 100, kMembers, 0));
  EXPECT_TRUE(refused(v1::ALL_REDUCE, INT64_MAX, kMembers, 0));
  EXPECT_TRUE(refused(v1::COLLECTIVE_UNSPECIFIED, 96, kMembers, 0));
  EXPECT_TRUE(refused(static_cast<v1::Collective>(77), 96, kMembers, 0));
}

}  // namespace
}  // namespace muster::selftest
