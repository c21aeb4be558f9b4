#include "client/cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace muster::cli {
namespace {

std::string Printed(const Table& table, ScreenOptions options = {}) {
  std::ostringstream out;
  Screen screen(out, options);
  table.Print(screen);
  return out.str();
}

TEST(Table, CellsOfManyWidths_StandUnderTheirHeadings) {
  Table table({{"NODE RANK", true}, {"NODE"}, {"GLOBAL RANKS"}, {"DP", true}});
  table.Row({"0", "gpu-a01", "0–7", "0"});
  table.Row({"10", "gpu-b", "80–87", "12"});
  EXPECT_EQ(Printed(table), R"(NODE RANK  NODE     GLOBAL RANKS  DP
        0  gpu-a01  0–7            0
       10  gpu-b    80–87         12
)");
}

TEST(Table, EmptyCellsAndColumns_LeaveNoTrailingSpace) {
  Table table({{"A"}, {"NEVER FILLED"}, {"B"}});
  table.Row({"x", "", "y"});
  table.Row({"longer"});
  EXPECT_EQ(Printed(table), "A       B\nx       y\nlonger\n");
}

TEST(Table, NoRows_PrintsNothing) { EXPECT_EQ(Printed(Table({{"A"}})), ""); }

TEST(Table, HostileCell_IsEscapedAndStillAligned) {
  Table table({{"NAME"}, {"USE"}});
  table.Row({"a\x1b[2J", "free"});
  table.Row({"b", "free"});
  EXPECT_EQ(Printed(table), "NAME      USE\na\\x1b[2J  free\nb         free\n");
}

TEST(Table, NarrowTerminal_CutsTheLastColumn) {
  Table table({{"JOB"}, {"WHY"}});
  table.Row({"team-a/llama", "waits for 32 nodes in one block"});
  EXPECT_EQ(Printed(table, {.terminal = true, .columns = 30}), "JOB           WHY\nteam-a/llama  waits for 32 no…\n");
}

TEST(Screen, ColourOnlyWhereAsked) {
  std::ostringstream plain, coloured;
  Screen(plain, {}).Line({Span("FAIL", Style::kBad), " x"});
  Screen(coloured, {.colour = true}).Line({Span("FAIL", Style::kBad), " x"});
  EXPECT_EQ(plain.str(), "FAIL x\n");
  EXPECT_EQ(coloured.str(), "\x1b[1;31mFAIL\x1b[0m x\n");
}

TEST(Screen, Progress_IsOneLineOnATerminalAndSilentElsewhere) {
  std::ostringstream pipe, terminal;
  Screen(pipe, {}).Progress("1 of 2");
  {
    Screen screen(terminal, {.terminal = true, .columns = 8});
    screen.Progress("1 of 2000");
    screen.Line("done");
  }
  EXPECT_EQ(pipe.str(), "");
  EXPECT_EQ(terminal.str(), "\r\x1b[K1 of 2…\r\x1b[Kdone\n");
}

TEST(Facts, ValuesAreAligned_EmptyOnesLeftOut) {
  std::ostringstream out;
  Screen screen(out, {});
  Facts facts;
  facts.Add("mesh", "tp 4");
  facts.Add("receipt", "");
  facts.Add("submitted", "41 s ago");
  facts.Print(screen);
  EXPECT_EQ(out.str(), "mesh       tp 4\nsubmitted  41 s ago\n");
}

}  // namespace
}  // namespace muster::cli
