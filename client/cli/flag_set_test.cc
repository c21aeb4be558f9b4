#include "client/cli/flag_set.h"

#include <gtest/gtest.h>

#include "client/cli/exit_code.h"

namespace muster::cli {
namespace {

struct Values {
  std::string name = "unset";
  std::vector<std::string> labels, arguments;
  bool wait = false;
  absl::optional<int64_t> rank;
  absl::optional<absl::Duration> time;

  absl::Status Parse(const std::vector<std::string>& pieces, bool rest = false) {
    FlagSet flags("muster test");
    flags.Text(&name, "name,n", "NAME", "a name");
    flags.Texts(&labels, "label", "K=V", "a label");
    flags.Switch(&wait, "wait", "wait");
    flags.Integer(&rank, "rank", "N", 0, 63, "a rank");
    flags.Time(&time, "for", "TIME", "how long");
    if (rest) {
      flags.Rest(&arguments, "COMMAND");
    } else {
      flags.Arguments(&arguments, "NODE", 1, 3);
    }
    return flags.Parse(pieces);
  }
};

TEST(FlagSet, FlagsAndArguments_InAnyOrder) {
  Values v;
  ASSERT_TRUE(
      v.Parse({"a", "--wait", "-n", "x", "b", "--rank=3", "--label", "k=1", "--label=k=2", "--for", "2h"}).ok());
  EXPECT_EQ(v.name, "x");
  EXPECT_EQ(v.labels, (std::vector<std::string>{"k=1", "k=2"}));
  EXPECT_EQ(v.arguments, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(v.wait);
  EXPECT_EQ(v.rank, 3);
  EXPECT_EQ(v.time, absl::Hours(2));
}

TEST(FlagSet, AfterTwoDashes_NothingIsAFlag) {
  Values v;
  ASSERT_TRUE(v.Parse({"a", "--", "--wait", "-n"}).ok());
  EXPECT_FALSE(v.wait);
  EXPECT_EQ(v.arguments, (std::vector<std::string>{"a", "--wait", "-n"}));
}

TEST(FlagSet, Rest_IsACommandWithFlagsOfItsOwn) {
  Values v;
  ASSERT_TRUE(v.Parse({"--rank", "3", "--", "torchrun", "--wait", "", "train.py"}, true).ok());
  EXPECT_EQ(v.arguments, (std::vector<std::string>{"torchrun", "--wait", "", "train.py"}));
  EXPECT_FALSE(v.wait);
  Values w;
  ASSERT_TRUE(w.Parse({"-n", "x", "sleep", "-n", "--", "1"}, true).ok());
  EXPECT_EQ(w.arguments, (std::vector<std::string>{"sleep", "-n", "--", "1"}));
  EXPECT_EQ(w.name, "x");
}

TEST(FlagSet, WrongPieces_AreNamed) {
  struct Row {
    std::vector<std::string> pieces;
    std::string want;
  };
  const Row rows[] = {
      {{}, "muster test needs NODE; see: muster test --help"},
      {{"a", "b", "c", "d"}, "muster test takes at most 3 NODE, got 4; see: muster test --help"},
      {{""}, "an empty NODE; see: muster test --help"},
      {{"a", "--wiat"}, "--wiat: unknown flag of muster test; did you mean --wait?; see: muster test --help"},
      {{"a", "--zzzzzzz=3"}, "--zzzzzzz: unknown flag of muster test; see: muster test --help"},
      {{"a", "-x"}, "-x: unknown flag of muster test; see: muster test --help"},
      {{"a", "--name"}, "--name needs a value; see: muster test --help"},
      {{"a", "--name", "--wait"}, "--name needs a value; see: muster test --help"},
      {{"a", "--name", "x", "--name", "y"}, "--name is given 2 times; give it once"},
      {{"a", "--rank", "64"}, "--rank 64: not a whole number from 0 to 63"},
      {{"a", "--rank", "-1"}, "--rank -1: not a whole number from 0 to 63"},
      {{"a", "--rank", "3x"}, "--rank 3x: not a whole number from 0 to 63"},
      {{"a", "--rank", "99999999999999999999"}, "--rank 99999999999999999999: not a whole number from 0 to 63"},
      {{"a", "--for", "2"}, "--for 2: not a time above zero; e.g. 90s, 10m, 2h, 7d"},
      {{"a", "--for", "-2h"}, "--for -2h: not a time above zero; e.g. 90s, 10m, 2h, 7d"},
  };
  for (const Row& row : rows) {
    const absl::Status status = Values().Parse(row.pieces);
    EXPECT_TRUE(IsUsageError(status));
    EXPECT_EQ(status.message(), row.want);
  }
}

TEST(FlagSet, Help_ListsFlagsAligned) {
  std::string name;
  bool all = false;
  std::vector<std::string> arguments;
  FlagSet flags("muster test");
  flags.Text(&name, "namespace,n", "NAME", "only this one");
  flags.Switch(&all, "all", "finished ones too");
  flags.Arguments(&arguments, "NAME", 1, 9);
  EXPECT_EQ(flags.FlagsText(), "  -n, --namespace NAME  only this one\n      --all             finished ones too\n");
  EXPECT_EQ(flags.ArgumentsText(), "NAME [NAME…]");
}

}  // namespace
}  // namespace muster::cli
