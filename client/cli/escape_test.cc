#include "client/cli/escape.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(Printable, HostileText_IsShownNotObeyed) {
  struct Row {
    std::string text, want;
  };
  const Row rows[] = {
      {"gpu-a01", "gpu-a01"},
      {"Knoten ü – 節点", "Knoten ü – 節点"},
      {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
      {"two\nlines\r\tand a tab", "two\\nlines\\r\\tand a tab"},
      {std::string("nul\0byte", 8), "nul\\x00byte"},
      {"bell\x07 delete\x7f", "bell\\x07 delete\\x7f"},
      {"\xc2\x9b"
       "31m C1",
       "\\u009b31m C1"},
      {"\xe2\x80\xae"
       "evil",
       "\\u202eevil"},
      {"zero\xe2\x80\x8bwidth", "zero\\u200bwidth"},
      {"bad \xff\xc0\x80 bytes", "bad \\xff\\xc0\\x80 bytes"},
      {"cut \xe2\x80", "cut \\xe2\\x80"},
      {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
      {"tag \xf3\xa0\x81\x81", "tag \\udb40\\udc41"},
      {"", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(Printable(row.text), row.want);
}

TEST(PrintableJson, KeepsTheData) {
  EXPECT_EQ(PrintableJson("{\n  \"a\": \"\xc2\x9b\x7f ü\"\n}"), "{\n  \"a\": \"\\u009b\\u007f ü\"\n}");
}

TEST(Width, CountsCodePoints) {
  EXPECT_EQ(Width("0–7"), 3u);
  EXPECT_EQ(Width(""), 0u);
  EXPECT_EQ(Width("gpu"), 3u);
}

TEST(CutTo, LongText_EndsInAnEllipsis) {
  EXPECT_EQ(CutTo("abcdef", 6), "abcdef");
  EXPECT_EQ(CutTo("abcdef", 4), "abc…");
  EXPECT_EQ(CutTo("0–7–9", 4), "0–7…");
  EXPECT_EQ(CutTo("abc", 0), "");
}

}  // namespace
}  // namespace muster::cli
