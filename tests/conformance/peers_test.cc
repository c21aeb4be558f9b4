// Muster beside its neighbours: the files of peers/, and what becomes of files that are none.
#include "tests/conformance/peers.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::conformance {
namespace {

using ::testing::HasSubstr;

constexpr char kFolder[] = "tests/conformance/peers/";

struct File {
  std::string path;
  int64_t cases;
};

class Peers : public ::testing::TestWithParam<File> {};

TEST_P(Peers, AllThatMustBeEqualIs) {
  const auto result = CheckPeerFile(kFolder + GetParam().path);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->cases, GetParam().cases);
  EXPECT_EQ(result->equal(), GetParam().cases) << Report(*result);
  RecordProperty("report", Report(*result));
}

INSTANTIATE_TEST_SUITE_P(Files, Peers,
                         ::testing::Values(File{"kueue_tas.json", 133}, File{"kueue_rank_order.json", 37},
                                           File{"nvrx_ranks.json", 33}, File{"topology_files/index.json", 47}),
                         [](const auto& row) { return "file" + std::to_string(row.index); });

std::string Write(const std::string& text) {
  const std::string path = ::testing::TempDir() + "/peer.json";
  std::ofstream(path) << text;
  return path;
}

TEST(PeerFile, WhatIsNone_IsRefused) {
  EXPECT_THAT(std::string(CheckPeerFile("/nowhere.json").status().message()), HasSubstr("can't be opened"));
  EXPECT_THAT(std::string(CheckPeerFile(Write("[")).status().message()), HasSubstr("is no JSON object"));
  EXPECT_THAT(std::string(CheckPeerFile(Write(R"({"schema": 2, "cases": []})")).status().message()),
              HasSubstr("schema 1"));
  EXPECT_THAT(std::string(CheckPeerFile(Write(R"({"schema": 1, "subject": "x", "cases": []})")).status().message()),
              HasSubstr("subject 'x' is unknown; there are kueue_rank_order"));
  EXPECT_THAT(
      std::string(
          CheckPeerFile(Write(R"({"schema": 1, "subject": "kueue_tas", "cases": [{"id": "a"}]})")).status().message()),
      HasSubstr("case a: not of this schema"));
}

TEST(PeerFile, AnotherAnswer_IsADifference) {
  const std::string text =
      R"({"schema": 1, "subject": "nvrx_ranks", "cases": [{"id": "a", "kind": "segment_config",
          "input": {"world_nodes": 8, "segment": 4}, "expected": {"ok": false, "error": "x"}, "must": ["ok"]}]})";
  const auto result = CheckPeerFile(Write(text));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->equal(), 0);
  EXPECT_THAT(Report(*result), HasSubstr("nvrx_ranks: 0 of 1\n  a: ok"));
}

}  // namespace
}  // namespace muster::conformance
