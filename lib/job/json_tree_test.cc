#include "lib/job/json_tree.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using ::testing::HasSubstr;
using Kind = YamlNode::Kind;

TEST(JsonTree, Values_ComeWithTheirLinesAndQuotes) {
  const auto tree = ParseJson("{\n \"a\": [1, \"2\",\n  null, true],\n \"b\": {\"c\": -1.5e3}\n}\n", "x.json", {});
  ASSERT_TRUE(tree.ok()) << tree.status();
  ASSERT_EQ(tree->kind, Kind::kMap);
  ASSERT_EQ(tree->entries.size(), 2u);
  EXPECT_EQ(tree->entries[0].key.text, "a");
  EXPECT_EQ(tree->entries[0].key.line, 2);
  const YamlNode& list = tree->entries[0].value;
  ASSERT_EQ(list.items.size(), 4u);
  EXPECT_EQ(list.items[0].text, "1");
  EXPECT_FALSE(list.items[0].quoted);
  EXPECT_EQ(list.items[1].text, "2");
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(list.items[2].kind, Kind::kNull);
  EXPECT_EQ(list.items[2].line, 3);
  EXPECT_EQ(list.items[3].text, "true");
  EXPECT_EQ(tree->entries[1].value.entries[0].value.text, "-1.5e3");
  EXPECT_EQ(tree->entries[1].value.entries[0].key.line, 4);
}

TEST(JsonTree, LeftOutKeys_ReadAsNothing) {
  TreeLimits limits;
  limits.values = 6;
  limits.left_out = {"images"};
  const std::string text = R"({"images": [{"images": 1}, [2, 3]], "n": 4, "m": {"images": "x", "k": "v"}})";
  const auto tree = ParseJson(text, "x.json", limits);
  ASSERT_FALSE(tree.ok());
  limits.values = 9;
  const auto more = ParseJson(text, "x.json", limits);
  ASSERT_TRUE(more.ok()) << more.status();
  ASSERT_EQ(more->entries.size(), 3u);
  EXPECT_EQ(more->entries[0].value.kind, Kind::kNull);
  EXPECT_EQ(more->entries[1].value.text, "4");
  EXPECT_EQ(more->entries[2].value.entries[0].value.kind, Kind::kNull);
  EXPECT_EQ(more->entries[2].value.entries[1].value.text, "v");
  const auto yaml = ParseYamlDocuments(text, "x.yaml", limits);
  ASSERT_TRUE(yaml.ok()) << yaml.status();
  EXPECT_EQ((*yaml)[0].entries[2].value.entries[1].value.text, "v");
}

TEST(JsonTree, BadText_IsRefusedWithItsLine) {
  struct Row {
    std::string text;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"{\n\"a\": }", "x.json:2: "},
      {"", "x.json:1: "},
      {"{\"a\": 1} trailing", "x.json:1: "},
      {std::string("{\n\"a\": \"\0\"}", 11), "x.json:2: there is a NUL byte"},
      {std::string(40, '['), "more than 32 levels of nesting"},
      {"{\"a\": \"\xff\"}", "invalid"},
  };
  for (const Row& row : rows) {
    const auto tree = ParseJson(row.text, "x.json", {});
    ASSERT_FALSE(tree.ok()) << row.text;
    EXPECT_THAT(std::string(tree.status().message()), HasSubstr(row.says));
  }
}

TEST(YamlDocuments, EachIsATree) {
  const auto trees = ParseYamlDocuments("a: 1\n---\nb: 2\n", "x.yaml", {});
  ASSERT_TRUE(trees.ok());
  ASSERT_EQ(trees->size(), 2u);
  EXPECT_EQ((*trees)[1].entries[0].key.line, 3);
}

}  // namespace
}  // namespace muster
