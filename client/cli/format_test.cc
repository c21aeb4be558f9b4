#include "client/cli/format.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(DurationText, ShowsTheTwoLargestUnits) {
  EXPECT_EQ(DurationText(absl::Milliseconds(900)), "0 s");
  EXPECT_EQ(DurationText(absl::Seconds(41)), "41 s");
  EXPECT_EQ(DurationText(absl::Seconds(72)), "1m12s");
  EXPECT_EQ(DurationText(absl::Seconds(3600 + 5 * 60)), "1h05m");
  EXPECT_EQ(DurationText(absl::Hours(52)), "2d04h");
  EXPECT_EQ(DurationText(absl::Seconds(-5)), "0 s");
}

TEST(Ago, TellsPastNowAndFuture) {
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  EXPECT_EQ(Ago(now - absl::Seconds(41), now), "41 s ago");
  EXPECT_EQ(Ago(now, now), "now");
  EXPECT_EQ(Ago(now + absl::Minutes(12), now), "in 12m00s");
  EXPECT_EQ(Ago(absl::InfinitePast(), now), "–");
}

TEST(ClockTime, NamesTheDayWhereItIsAnother) {
  const absl::TimeZone utc = absl::UTCTimeZone();
  const absl::Time now = absl::FromCivil(absl::CivilSecond(2026, 11, 30, 13, 0, 0), utc);
  EXPECT_EQ(ClockTime(now + absl::Minutes(65), now, utc), "14:05");
  EXPECT_EQ(ClockTime(now + absl::Hours(24), now, utc), "Dec  1 13:00");
  EXPECT_EQ(ExactTime(now, utc), "2026-11-30 13:00:00 UTC");
}

TEST(Thousands, GroupsByThree) {
  EXPECT_EQ(Thousands(0), "0");
  EXPECT_EQ(Thousands(999), "999");
  EXPECT_EQ(Thousands(9504), "9,504");
  EXPECT_EQ(Thousands(-1234567), "-1,234,567");
  EXPECT_EQ(Thousands(-123), "-123");
  EXPECT_EQ(Thousands(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(BytesText, UsesBinaryUnits) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1 << 30), "1 GiB");
  EXPECT_EQ(BytesText(3 << 19), "1.5 MiB");
  EXPECT_EQ(BytesText(INT64_MAX), "8 EiB");
}

TEST(GbpsText, SmallFiguresKeepTheirDigits) {
  EXPECT_EQ(GbpsText(458.21), "458.2");
  EXPECT_EQ(GbpsText(0.021), "0.021");
  EXPECT_EQ(GbpsText(0.114), "0.114");
  EXPECT_EQ(GbpsText(4.26), "4.26");
  EXPECT_EQ(GbpsText(0), "0.0");
}

TEST(RangesText, CompactsRunsAndCutsLongLists) {
  EXPECT_EQ(RangesText({0, 1, 2, 3}), "0–3");
  EXPECT_EQ(RangesText({3, 35}), "3,35");
  EXPECT_EQ(RangesText({3, 11, 19, 27}), "3,11,19,27");
  EXPECT_EQ(RangesText({0, 1, 4, 6, 7}), "0–1,4,6–7");
  EXPECT_EQ(RangesText({3, 2, 1}), "3,2,1");
  EXPECT_EQ(RangesText({}), "");
  EXPECT_EQ(RangesText({0, 8, 16, 24, 32, 40}, 3), "0,8,16,… 3 more");
}

TEST(ReadDuration, TakesUnitsUpToDays) {
  absl::Duration d;
  ASSERT_TRUE(ReadDuration("2h", &d));
  EXPECT_EQ(d, absl::Hours(2));
  ASSERT_TRUE(ReadDuration("1h30m", &d));
  EXPECT_EQ(d, absl::Minutes(90));
  ASSERT_TRUE(ReadDuration("1.5d", &d));
  EXPECT_EQ(d, absl::Hours(36));
  for (const char* bad : {"", "2", "h", "-5s", "0s", "inf", "2 h", "d"}) EXPECT_FALSE(ReadDuration(bad, &d)) << bad;
}

}  // namespace
}  // namespace muster::cli
