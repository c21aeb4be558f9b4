#pragma once
// Follows the rounds of a job's self-test: collects what the agents report, and says what comes next when all have
// reported or the time is over. What is reported is part of the turn's commit, so that a restart loses none of it.
// Loop only.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/state.h"
#include "lib/selftest/rounds.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/receipt.pb.h"
#include "server/store/store.h"

namespace muster::core {

struct TestRun {
  selftest::Setting setting;
  absl::Time started;
  // The last one is running.
  std::vector<selftest::Round> rounds;
  // Of the running round. Nodes with their node ranks.
  std::map<NodeUid, std::set<int64_t>> nodes;
  std::set<NodeUid> finals;
  absl::Time round_ends;
  int64_t reports = 0;
  // What the store has of it.
  std::vector<std::string> keys;
  std::map<NodeUid, std::map<std::string, std::string>> facts;
  // Of the running round: its steps, workers whose results came, and groups that some of these were in, by step.
  gang::PlanPtr plan;
  std::map<int32_t, const v1::TestStep*> steps;  // of `plan`
  std::map<int32_t, std::set<int64_t>> workers_seen;
  std::map<int32_t, std::set<int64_t>> groups_seen;
};

class TestRunner {
 public:
  // Entering Testing, or a further round of it. Writes the plan into `batch`, and with the first one what is carried.
  void RoundBegins(const selftest::Setting& setting, const gang::PlanPtr& plan, absl::Time now, absl::Duration grace,
                   store::Batch& batch);
  // Again after a restart: rounds and reports as the store has them. NOT_FOUND: the store knows no such test.
  absl::Status Resume(const selftest::Setting& setting, const gang::PlanPtr& plan, absl::Time now, absl::Duration grace,
                      const std::vector<store::Record>& records);

  // Of a test or round that is over it changes nothing. INVALID_ARGUMENT: a result that the plan doesn't ask of this
  // node; nothing of the report is taken. What was reported before is not taken again, so a node's reports hold at
  // most one result for each of its workers and steps.
  absl::Status Report(const NodeUid& node, const v1::TestReport& report, store::Batch& batch);

  // Whether the running round has ended: every node's last report is in, or its time is over.
  bool RoundEnded(const TestId& test, absl::Time now) const;
  // Precondition: RoundEnded. The next round's plan, or the conclusion.
  std::variant<v1::TestPlan, selftest::Conclusion> Next(const TestId& test) const;

  const TestRun* Find(const TestId& test) const;
  v1::TestProgress Progress(const TestId& test) const;
  // Forgets the test and deletes what the store has of it.
  void Forget(const TestId& test, store::Batch& batch);

  // When some round's time is over.
  absl::Time NextEnd() const;

 private:
  std::map<TestId, TestRun> runs_;
};

}  // namespace muster::core
