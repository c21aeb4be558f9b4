#include "lib/inventory/node_ranks.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::inventory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NodeRanks, EveryForm_GivesTheOrder) {
  for (const std::string text : {
           R"({"explanation": {"placement": {"ranks": [{"node": "b"}, {"node": "a1"}, {"node": "a2"}]}}})",
           R"({"placement": {"ranks": [{"node": "b"}, {"node": "a1"}, {"node": "a2"}]}})",
           R"({"nodes": ["b", "a1", "a2"], "spares": ["c"]})",
           "b  # the first\na[1-2]\n",
           "b,a1 a2",
       }) {
    const auto names = ReadNodeRanks(text, "f");
    ASSERT_TRUE(names.ok()) << names.status();
    EXPECT_THAT(*names, ElementsAre("b", "a1", "a2")) << text;
  }
}

TEST(NodeRanks, Nonsense_IsRefusedWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "f: no nodes are listed"},      {"a\nn[1-\n", "f:2: a bracket"},
      {"{\"x\": 1}", "neither ranks nor"}, {"{", "f:1: "},
      {"n[1-20000] m", "more than 20000"}, {"{\"nodes\": [[]]}", "a list where text belongs"},
  };
  for (const auto& [text, says] : rows) {
    EXPECT_THAT(std::string(ReadNodeRanks(text, "f").status().message()), HasSubstr(says)) << text;
  }
}

}  // namespace
}  // namespace muster::inventory
