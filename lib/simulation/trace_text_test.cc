#include "lib/simulation/trace_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::simulation {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(TraceText, Csv_ReadsEveryColumn) {
  const auto trace = ReadTrace(
      "# from somewhere\n"
      "submit,name,namespace,nodes,gpus_per_node,run,limit,priority,required,spares,tp,cp,pp,ep,end\n"
      "0,a,team-a,4,8,1h30m,2h,100,rack,1,8,1,2,1,failed\n"
      "\n"
      "1:00,\"b, \"\"quoted\"\"\",,1,,90,,,,,,,,,\r\n"
      "1d,c,,2,4,1-02:03:04,,-5,,,,,,,cancelled\n",
      "t.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->jobs.size(), 3u);
  const TraceJob &a = trace->jobs[0], &b = trace->jobs[1], &c = trace->jobs[2];
  EXPECT_EQ(a.ns, "team-a");
  EXPECT_EQ(a.run, absl::Minutes(90));
  EXPECT_EQ(a.limit, absl::Hours(2));
  EXPECT_EQ(a.mesh.tp, 8);
  EXPECT_EQ(a.mesh.pp, 2);
  EXPECT_EQ(a.required, "rack");
  EXPECT_EQ(a.spares, 1);
  EXPECT_EQ(a.end, TraceEnd::kFailed);
  EXPECT_EQ(b.name, "b, \"quoted\"");
  EXPECT_EQ(b.submit, absl::Minutes(1));
  EXPECT_EQ(b.run, absl::Seconds(90));
  EXPECT_EQ(b.limit, absl::InfiniteDuration());
  EXPECT_EQ(b.ns, "default");
  EXPECT_EQ(b.gpus_per_node, 8);
  EXPECT_EQ(c.submit, absl::Hours(24));
  EXPECT_EQ(c.run, absl::Hours(26) + absl::Minutes(3) + absl::Seconds(4));
  EXPECT_EQ(c.priority, -5);
}

TEST(TraceText, Csv_TimesOfDay_CountFromTheFirst) {
  const auto trace = ReadTrace(
      "submit,nodes,run\n2026-11-30T13:00:00,1,60\n2026-11-30 14:30:00,1,60\n2026-11-30T16:00:00+01:00,1,60\n",
      "t.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->jobs[0].submit, absl::ZeroDuration());
  EXPECT_EQ(trace->jobs[1].submit, absl::Minutes(90));
  EXPECT_EQ(trace->jobs[2].submit, absl::Hours(2));
}

TEST(TraceText, Sacct_SkipsStepsAndJobsThatNeverRan) {
  const auto trace = ReadTrace(
      "JobID|JobName|Account|Submit|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State|ExitCode\n"
      "11|train|ml|2026-11-30T13:10:00|2026-11-30T13:20:00|2026-11-30T14:20:00|3600|16|120|COMPLETED|0:0\n"
      "11.batch|batch|ml|2026-11-30T13:20:00|2026-11-30T13:20:00|2026-11-30T14:20:00|3600|1||COMPLETED|0:0\n"
      "12|wait|ml|2026-11-30T13:12:00|Unknown|Unknown|0|4|UNLIMITED|PENDING|0:0\n"
      "9|early|bio|2026-11-30T13:00:00|2026-11-30T13:00:05|2026-11-30T13:30:05|1800|2|UNLIMITED|CANCELLED by 1000|0:0\n"
      "9|early|bio|2026-11-30T13:40:00|2026-11-30T13:40:05|2026-11-30T13:42:05|120|2|1|TIMEOUT|0:0\n",
      "sacct.txt");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->skipped, 2);
  ASSERT_EQ(trace->jobs.size(), 3u);
  EXPECT_EQ(trace->jobs[0].name, "9");
  EXPECT_EQ(trace->jobs[0].ns, "bio");
  EXPECT_EQ(trace->jobs[0].end, TraceEnd::kCancelled);
  EXPECT_EQ(trace->jobs[0].limit, absl::InfiniteDuration());
  EXPECT_EQ(trace->jobs[1].submit, absl::Minutes(10));
  EXPECT_EQ(trace->jobs[1].limit, absl::Hours(2));
  EXPECT_EQ(trace->jobs[1].nodes, 16);
  EXPECT_EQ(trace->jobs[2].name, "9@6");
  EXPECT_EQ(trace->jobs[2].limit, absl::Minutes(2)) << "Slurm ended it late";
}

TEST(TraceText, Sacct_FromStartAndEnd) {
  const auto trace = ReadTrace(
      "Submit|Start|End|AllocNodes|Timelimit\n"
      "2026-11-30T13:00:00|2026-11-30T13:00:05|2026-11-30T13:30:05|2|1-00:00:00\n",
      "sacct.txt");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->jobs[0].run, absl::Minutes(30));
  EXPECT_EQ(trace->jobs[0].limit, absl::Hours(24));
}

TEST(TraceText, Bad_NamesFileLineAndWayOut) {
  const std::string header = "submit,nodes,run,name,limit,priority,tp,pp,end\n", good = "0,1,60,a,,,,,\n";
  const std::string sacct = "JobID|Submit|Start|End|NNodes\n";
  struct Row {
    std::string text;
    const char* starts;
    const char* says;
  };
  const std::vector<Row> rows = {
      {"", "t:1: ", "there is no header line"},
      {"\n# x\n", "t:3: ", "there is no header line"},
      {header, "t:1: ", "there are no jobs"},
      {"submit,nods,run\n", "t:1: ", "unknown column \"nods\"; did you mean \"nodes\"?"},
      {"submit,zzzzzzzz,run\n", "t:1: ", "unknown column \"zzzzzzzz\"; known are name, namespace"},
      {"submit,run\n0,1\n", "t:1: ", "column \"nodes\" is missing"},
      {"submit,nodes,run,run\n", "t:1: ", "column \"run\" is there twice"},
      {header + "5,1,60,a,,,,,\n4,1,60,b,,,,,\n", "t:3: submit: ", "time can't go back: sort the rows"},
      {header + "-5,1,60,a,,,,,\n", "t:2: submit: ", "\"-5\" is negative"},
      {header + "x,1,60,a,,,,,\n", "t:2: submit: ", "is no duration"},
      {header + "1e300,1,60,a,,,,,\n", "t:2: submit: ", "is no duration"},
      {header + "nan,1,60,a,,,,,\n", "t:2: submit: ", "is no duration"},
      {header + "2026-13-30T00:00:00,1,60,a,,,,,\n", "t:2: submit: ", "is no time; write it as 2026-11-30T13:00:00"},
      {header + "0,0,60,a,,,,,\n", "t:2: nodes: ", "is no whole number of 1 to 1000000"},
      {header + "0,-3,60,a,,,,,\n", "t:2: nodes: ", "\"-3\" is no whole number"},
      {header + "0,9223372036854775808,60,a,,,,,\n", "t:2: nodes: ", "is no whole number"},
      {header + "0,1.5,60,a,,,,,\n", "t:2: nodes: ", "is no whole number"},
      {header + "0,,60,a,,,,,\n", "t:2: nodes: ", "\"\" is no whole number"},
      {header + "0,1,-1h,a,,,,,\n", "t:2: run: ", "is negative"},
      {header + "0,1,,a,,,,,\n", "t:2: run: ", "is no duration; write seconds, 1h30m, or D-HH:MM:SS"},
      {header + "0,1,9999d,a,,,,,\n", "t:2: run: ", "more than ten years"},
      {header + "0,1,1:2:3:4,a,,,,,\n", "t:2: run: ", "is no duration"},
      {header + "0,1,1:-5,a,,,,,\n", "t:2: run: ", "is no duration"},
      {header + "0,1,60,a,0,,,,\n", "t:2: limit: ", "is 0; leave it empty for none"},
      {header + "0,1,60,a,,2000000,,,\n", "t:2: priority: ", "is no whole number of -1000000 to 1000000"},
      {header + "0,1,60,a,,,3,,\n", "t:2: tp: ", "doesn't divide 8 workers"},
      {header + "0,1,60,a,,,1000000,1000000,\n", "t:2: tp: ", "doesn't divide"},
      {header + "0,1,60,a,,,,,exploded\n", "t:2: end: ", "give completed, failed or cancelled"},
      {header + good + good, "t:3: name: ", "\"a\" was there before"},
      {header + "0,1,60\n", "t:2: ", "3 cells where the header has 9 columns"},
      {header + "0,1,60,\"a,,,,,\n", "t:2: ", "a quote is not closed"},
      {header + good + std::string(10 << 20, 'x') + "\n", "t:3: ", "the line is 10485760 bytes long; at most 65536"},
      {header + std::string("0,1,60,a\0,,,,,\n", 15), "t:2: ", "NUL"},
      {header + "0,1,60," + std::string(300, 'n') + ",,2x,,,\n", "t:2: priority: ", "\"2x\""},
      {"JobID|NNodes|ElapsedRaw\n1|1|5\n", "t:1: ", "column Submit is missing; make the trace with sacct -P"},
      {sacct + "1|2026-11-30T13:00:00|2026-11-30T12:00:00|2026-11-30T14:00:00|1\n", "t:2: Start: ", "before Submit"},
      {sacct + "1|2026-11-30T13:00:00|2026-11-30T13:30:00|2026-11-30T13:00:00|1\n", "t:2: End: ", "before Start"},
      {sacct + "1|soon|2026-11-30T13:30:00|2026-11-30T14:00:00|1\n", "t:2: Submit: ", "is no time"},
      {sacct + "1|2026-11-30T13:00:00|2026-11-30T13:30:00|2026-11-30T14:00:00|many\n", "t:2: NNodes: ", "\"many\""},
      {sacct + "1|2026-11-30T13:00:00|Unknown|Unknown|1\n", "t:1: ", "none of the 1 rows is a job that ran"}};
  for (const Row& row : rows) {
    const auto trace = ReadTrace(row.text, "t");
    ASSERT_EQ(trace.status().code(), absl::StatusCode::kInvalidArgument) << row.says;
    const std::string message(trace.status().message());
    EXPECT_THAT(message, StartsWith(row.starts));
    EXPECT_THAT(message, HasSubstr(row.says));
    EXPECT_LT(message.size(), 400u) << "a bad file is not printed whole";
  }
}

}  // namespace
}  // namespace muster::simulation
