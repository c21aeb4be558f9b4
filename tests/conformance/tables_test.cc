#include "tests/conformance/tables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json Golden(const Table& table) {
  return {{"n", table.size()},
          {"size", table.front().size()},
          {"sha256", Sha256Hex(CanonicalText(table))},
          {"groups", table}};
}

TEST(CanonicalText, OneLineAGroup) { EXPECT_EQ(CanonicalText({{0, 12}, {3}}), "0,12\n3\n"); }

TEST(CanonicalText, NoGroups_IsEmpty) { EXPECT_EQ(CanonicalText({}), ""); }

TEST(Sha256Hex, KnownDigest) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(CompareTable, EqualTable_NoDifference) {
  Differences differences;
  CompareTable("t", Golden({{0, 1}, {2, 3}}), {{0, 1}, {2, 3}}, differences);
  EXPECT_THAT(differences.lines(), IsEmpty());
}

TEST(CompareTable, OneRankChanged_NamesGroupAndChecksum) {
  Differences differences;
  CompareTable("t", Golden({{0, 1}, {2, 3}}), {{0, 1}, {2, 4}}, differences);
  EXPECT_THAT(differences.lines(), ElementsAre("t.groups[1]: golden [2,3], computed [2,4]", HasSubstr("t.sha256: ")));
}

TEST(CompareTable, OtherOrderOfGroups_Differs) {
  Differences differences;
  CompareTable("t", Golden({{0, 1}, {2, 3}}), {{2, 3}, {0, 1}}, differences);
  EXPECT_FALSE(differences.empty());
}

TEST(CompareTable, OnlyChecksumTellsThem_Differs) {
  Json golden = Golden({{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  golden.erase("groups");
  golden["first"] = Ranks{0, 1};
  golden["middle"] = Ranks{4, 5};
  golden["last"] = Ranks{6, 7};
  Differences differences;
  CompareTable("t", golden, {{0, 1}, {3, 2}, {4, 5}, {6, 7}}, differences);
  EXPECT_THAT(differences.lines(), ElementsAre(HasSubstr("t.sha256: ")));
}

TEST(CompareRanks, LongListIsHeadAndTail) {
  Ranks ranks;
  for (int i = 0; i < 100; ++i) ranks.push_back(i);
  const Json golden = {{"len", 100}, {"head", {0, 1, 2, 3, 4, 5, 6, 7}}, {"tail", {92, 93, 94, 95, 96, 97, 98, 99}}};
  Differences same;
  CompareRanks("r", golden, ranks, same);
  EXPECT_THAT(same.lines(), IsEmpty());
  ranks.back() = 1000;
  Differences other;
  CompareRanks("r", golden, ranks, other);
  EXPECT_FALSE(other.empty());
}

TEST(CompareTables, SameAsFollowsTheOtherTable) {
  const Json golden = {{"tp", Golden({{0, 1}})}, {"ep", {{"same_as", "tp"}}}};
  Differences same;
  CompareTables("families", golden, {{"ep", {{0, 1}}}, {"tp", {{0, 1}}}}, same);
  EXPECT_THAT(same.lines(), IsEmpty());
  Differences other;
  CompareTables("families", golden, {{"ep", {{0, 2}}}, {"tp", {{0, 1}}}}, other);
  EXPECT_FALSE(other.empty());
}

TEST(CompareTables, MissingAndExtraNames_Differ) {
  Differences differences;
  CompareTables("families", {{"tp", Golden({{0, 1}})}}, {{"pp", {{0, 1}}}}, differences);
  EXPECT_THAT(differences.lines(), ElementsAre("families.tp: in the golden file, not computed",
                                               "families.pp: computed, not in the golden file"));
}

TEST(CompareTables, UnknownKeyInATable_Differs) {
  Json golden = {{"tp", Golden({{0, 1}})}};
  golden["tp"]["colour"] = "red";
  Differences differences;
  CompareTables("families", golden, {{"tp", {{0, 1}}}}, differences);
  EXPECT_THAT(differences.lines(), ElementsAre(HasSubstr("families.tp.colour")));
}

TEST(Expect, ObjectsCompareWithoutKeyOrder) {
  Differences differences;
  differences.Expect("f", {{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}});
  EXPECT_THAT(differences.lines(), IsEmpty());
  differences.Expect("f", {{"a", 1}}, {{"a", 1}, {"b", 2}});
  EXPECT_FALSE(differences.empty());
}

TEST(CompareRefusal, AcceptedOrOtherRule_Differs) {
  const Json config = {{"error", {{"type", "KeyError"}, {"rule", "axis_unknown"}}}};
  Differences same, accepted, other;
  CompareRefusal(config, "axis_unknown", "no axis z", same);
  CompareRefusal(config, "", "", accepted);
  CompareRefusal(config, "zero_size", "tp = 0", other);
  EXPECT_THAT(same.lines(), IsEmpty());
  EXPECT_THAT(accepted.lines(), ElementsAre("error.rule: golden axis_unknown, computed no refusal"));
  EXPECT_THAT(other.lines(), ElementsAre("error.rule: golden axis_unknown, computed zero_size (tp = 0)"));
}

}  // namespace
}  // namespace muster::conformance
