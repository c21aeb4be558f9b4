// What people mistype: the message says what is wrong and the way out, the exit code is the documented one, and the
// coordinator is never asked.
#include <gtest/gtest.h>

#include "client/cli/exit_code.h"
#include "client/cli/registry.h"
#include "client/cli/samples.h"

namespace muster::cli {
namespace {

constexpr char kCommands[] =
    "  commands: annotate, cancel, compare, completion, describe, drain, exec, explain, export, get, groups, help, "
    "plan, quarantine, readmit, selftest, simulate, submit, version, watch\n";

struct Row {
  std::vector<std::string> pieces;
  std::string want;
  int code = kExitUsage;
};

void PrintTo(const Row& row, std::ostream* out) {
  for (const std::string& piece : row.pieces) *out << piece << " ";
}

class BadInput : public testing::TestWithParam<Row> {};

TEST_P(BadInput, IsNamed_WithTheWayOut_AndChangesNothing) {
  Harness muster(AllCommands());
  EXPECT_EQ(muster.Muster(GetParam().pieces), GetParam().code);
  EXPECT_EQ(muster.err, GetParam().want);
  EXPECT_EQ(muster.out, "");
  EXPECT_TRUE(muster.state.calls.empty());
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadInput,
    testing::Values(
        // Verbs and nouns.
        Row{{"gte", "jobs"}, absl::StrCat("muster: \"gte\": unknown command; did you mean \"get\"?\n", kCommands)},
        Row{{"qqqqqqqqqqqq"}, absl::StrCat("muster: \"qqqqqqqqqqqq\": unknown command\n", kCommands)},
        Row{{"get"}, "muster: muster get needs a noun: jobs, nodes, receipts\n  e.g. muster get jobs\n"},
        Row{{"get", "--all"}, "muster: muster get needs a noun: jobs, nodes, receipts\n  e.g. muster get jobs\n"},
        Row{{"get", "jbos"},
            "muster: muster get: expected one of jobs, nodes, receipts; got \"jbos\"\n  did you mean: muster get "
            "jobs\n"},
        Row{{"cancel", "llama"},
            "muster: muster cancel: expected job; got \"llama\"\n  did you mean: muster cancel job llama\n"},
        Row{{"describe", ""}, "muster: muster describe needs a noun: job, node, receipt\n  e.g. muster describe job\n"},
        Row{{"help", "gte"},
            "muster: no command is called \"gte\"; did you mean \"get\"?\n  all commands: muster help\n"},
        Row{{"completion", "zsh"},
            "muster: muster completion: expected bash; got \"zsh\"\n  did you mean: muster completion bash\n"},
        // Flags.
        Row{{"get", "jobs", "--namspace", "a"},
            "muster: --namspace: unknown flag of muster get jobs; did you mean --namespace?\n  see: muster get jobs "
            "--help\n"},
        Row{{"get", "nodes", "-n", "a"},
            "muster: -n: unknown flag of muster get nodes\n  see: muster get nodes --help\n"},
        Row{{"get", "jobs", "-o"}, "muster: -o needs a value\n  see: muster get jobs --help\n"},
        Row{{"get", "jobs", "-o", "jsno"},
            "muster: --output jsno: unknown format; did you mean \"json\"?\n  formats: table, wide, json, yaml, "
            "name\n"},
        Row{{"get", "jobs", "-o", "xml"},
            "muster: --output xml: unknown format\n  formats: table, wide, json, yaml, name\n"},
        Row{{"get", "jobs", "--timeout", "5"}, "muster: --timeout 5: not a time above zero\n  e.g. 90s, 10m, 2h, 7d\n"},
        Row{{"get", "jobs", "--server", "a:1", "--server", "b:1"},
            "muster: --server is given 2 times\n  give it once\n"},
        Row{{"get", "jobs", "--server", "--all"}, "muster: --server needs a value\n  see: muster get jobs --help\n"},
        Row{{"watch", "job", "a", "--timeout", "-3s"},
            "muster: --timeout -3s: not a time above zero\n  e.g. 90s, 10m, 2h, 7d\n"},
        // Names.
        Row{{"describe", "job"}, "muster: muster describe job needs NAME\n  see: muster describe job --help\n"},
        Row{{"describe", "job", "a", "b"},
            "muster: muster describe job takes one NAME, got 2\n  see: muster describe job --help\n"},
        Row{{"describe", "job", ""}, "muster: an empty NAME\n  see: muster describe job --help\n"},
        Row{{"describe", "job", "a/b/c"},
            "muster: \"a/b/c\": not a job's name\n  NAME, NAMESPACE/NAME or the job's uid\n"},
        Row{{"describe", "job", "/b"}, "muster: \"/b\": not a job's name\n  NAME, NAMESPACE/NAME or the job's uid\n"},
        Row{{"describe", "job", "a/"}, "muster: \"a/\": not a job's name\n  NAME, NAMESPACE/NAME or the job's uid\n"},
        Row{{"explain", "job", "a/b", "-n", "c"},
            "muster: \"a/b\" and --namespace c name two namespaces\n  give one of them\n"},
        Row{{"get", "receipts", "--job", "a/b/c"},
            "muster: \"a/b/c\": not a job's name\n  NAME, NAMESPACE/NAME or the job's uid\n"},
        Row{{"describe", "job", "x\x1b[2Jy/a/b"},
            "muster: \"x\\x1b[2Jy/a/b\": not a job's name\n  NAME, NAMESPACE/NAME or the job's uid\n"},
        // Nodes and receipts.
        Row{{"quarantine", "node", "n1"},
            "muster: muster quarantine node needs --reason\n  say what is wrong, e.g. --reason \"NIC mlx5_3 slow\"\n"},
        Row{{"quarantine", "node", "n1", "--reason", "x", "--for", "soon"},
            "muster: --for soon: not a time above zero\n  e.g. 90s, 10m, 2h, 7d\n"},
        Row{{"quarantine", "node", "--reason", "x"},
            "muster: muster quarantine node needs NAME\n  see: muster quarantine node --help\n"},
        Row{{"drain", "node"}, "muster: muster drain node needs NAME\n  see: muster drain node --help\n"},
        Row{{"selftest", "nodes"}, "muster: muster selftest nodes needs NODE\n  see: muster selftest nodes --help\n"},
        Row{{"selftest", "nodes", "a", "a"}, "muster: node a is given twice\n"},
        Row{{"selftest", "nodes", "a", "b", "--profile", "long"},
            "muster: --profile long: unknown profile\n  profiles: quick, standard, soak\n"},
        Row{{"selftest", "nodes", "a", "b", "--workers", "0"},
            "muster: --workers 0: not a whole number from 1 to 1024\n"},
        Row{{"compare", "receipts", "a"},
            "muster: muster compare receipts needs ID, at least 2 of them\n  see: muster compare receipts --help\n"},
        Row{{"compare", "receipts", "a", "b", "c"},
            "muster: muster compare receipts takes at most 2 ID, got 3\n  see: muster compare receipts --help\n"},
        Row{{"annotate", "receipt", "r", "loss"},
            "muster: \"loss\": not KEY=VALUE\n  e.g. tokens_per_second=41000; an empty value removes the key\n"},
        Row{{"annotate", "receipt", "r", "=3"},
            "muster: \"=3\": not KEY=VALUE\n  e.g. tokens_per_second=41000; an empty value removes the key\n"},
        Row{{"annotate", "receipt", "r", "a=1", "a=2"}, "muster: key \"a\" is given twice\n"},
        // Files.
        Row{{"submit"}, "muster: no file is named\n  -f FILE, or -f - for standard input\n"},
        Row{{"submit", "job.yaml"},
            "muster: muster submit takes no argument, got \"job.yaml\"\n  see: muster submit --help\n"},
        Row{{"submit", "-f", "/nonexistent/job.yaml"}, "muster: /nonexistent/job.yaml: No such file or directory\n"},
        Row{{"submit", "-f", "/"}, "muster: /: is a folder\n"},
        Row{{"plan"}, "muster: no file is named\n  -f FILE, or -f - for standard input\n"},
        Row{{"plan", "-f", "-", "--nodes", "-"}, "muster: --file and --nodes can't both be standard input\n"},
        Row{{"groups"},
            "muster: muster groups needs a job\n  --job NAME for a job of the coordinator, -f FILE for a job file\n"},
        Row{{"groups", "--job", "a", "-f", "b"},
            "muster: --job and --file exclude each other\n  --job NAME for a job of the coordinator, -f FILE for a job "
            "file\n"},
        Row{{"groups", "--job", "a", "--axis", "tp", "--family", "tp"},
            "muster: --family and --axis exclude each other\n"},
        Row{{"groups", "--job", "a", "--rank", "x"},
            "muster: --rank x: not a whole number from 0 to 9223372036854775807\n"},
        // exec.
        Row{{"exec", "--job", "a", "--index", "0"}, "muster: muster exec needs COMMAND\n  see: muster exec --help\n"},
        Row{{"exec", "--index", "0", "--", "true"},
            "muster: muster exec needs a job\n  --job NAMESPACE/NAME, or MUSTER_JOB in the environment\n"},
        Row{{"exec", "--job", "a", "--", "true"},
            "muster: muster exec needs this member's index\n  --index N, or MUSTER_POD_INDEX or JOB_COMPLETION_INDEX "
            "in "
            "the environment\n"},
        Row{{"exec", "--job", "a", "--index", "-1", "--", "true"},
            "muster: --index -1: not a whole number from 0 to 999999\n"},
        Row{{"exec", "--job", "a", "--index", "0", "--per-member", "--per-worker", "--", "true"},
            "muster: --per-member and --per-worker exclude each other\n"},
        Row{{"exec", "--jbo", "a", "--", "true"},
            "muster: --jbo: unknown flag of muster exec; did you mean --job?\n  see: muster exec --help\n"},
        Row{{"version", "x"}, "muster: muster version takes no argument, got \"x\"\n  see: muster version --help\n"}));

TEST(Run, FlagsBeforeTheVerb_Count) {
  Harness muster(AllCommands());
  muster.env["MUSTER_SERVER"] = "from-env:1";
  EXPECT_EQ(muster.Muster({"get", "jobs"}), kExitOk);
  EXPECT_EQ(muster.state.server, "from-env:1");
  EXPECT_EQ(muster.Muster({"--server", "c:1", "-o", "json", "get", "jobs"}), kExitOk);
  EXPECT_EQ(muster.state.server, "c:1");
  EXPECT_EQ(muster.out.substr(0, 1), "{");
  muster.env.clear();
  EXPECT_EQ(muster.Muster({"get", "jobs"}), kExitOk);
  EXPECT_EQ(muster.state.server, "127.0.0.1:7070");
}

TEST(Run, ErrorsOfTheCoordinator_HaveTheirExitCodes) {
  const std::pair<absl::StatusCode, int> rows[] = {
      {absl::StatusCode::kInvalidArgument, kExitInvalid},   {absl::StatusCode::kNotFound, kExitNotFound},
      {absl::StatusCode::kAlreadyExists, kExitRefused},     {absl::StatusCode::kFailedPrecondition, kExitRefused},
      {absl::StatusCode::kResourceExhausted, kExitRefused}, {absl::StatusCode::kUnavailable, kExitUnreachable},
      {absl::StatusCode::kDeadlineExceeded, kExitTimeout},  {absl::StatusCode::kInternal, kExitOther},
      {absl::StatusCode::kPermissionDenied, kExitRefused},  {absl::StatusCode::kUnimplemented, kExitOther},
  };
  for (const auto& [code, exit] : rows) {
    Harness muster(AllCommands());
    muster.state.error = absl::Status(code, "why\nnot");
    EXPECT_EQ(muster.Muster({"get", "nodes"}), exit);
    EXPECT_EQ(muster.err, "muster: why\\nnot\n");
  }
}

TEST(Help, EveryCommandHasOne_AndItsExamplesAreKnownCommands) {
  for (const CommandInfo& info : AllCommands()) {
    Harness muster(AllCommands());
    std::vector<std::string> pieces = {info.verb};
    if (!info.noun.empty()) pieces.push_back(info.noun);
    pieces.push_back("--help");
    EXPECT_EQ(muster.Muster(pieces), kExitOk);
    EXPECT_NE(muster.out.find("usage: muster " + info.verb), std::string::npos) << muster.out;
    EXPECT_EQ(muster.err, "");
    Harness by_help(AllCommands());
    EXPECT_EQ(by_help.Muster({"help", info.verb}), kExitOk);
    EXPECT_NE(by_help.out.find(info.summary), std::string::npos);
  }
}

TEST(Help, NoArguments_ListsTheCommands) {
  Harness muster(AllCommands());
  EXPECT_EQ(muster.Muster({}), kExitOk);
  for (const CommandInfo& info : AllCommands()) EXPECT_NE(muster.out.find(info.summary), std::string::npos);
  EXPECT_EQ(muster.Muster({"--version"}), kExitOk);
  EXPECT_EQ(muster.out.substr(0, 7), "muster ");
}

}  // namespace
}  // namespace muster::cli
