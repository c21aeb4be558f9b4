// The end of a self-test: verdict and receipt in one commit.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/selftest/receipt.h"
#include "server/core/core.h"
#include "server/core/retest.h"

namespace muster::core {
namespace {

gang::TestConcluded::Outcome OutcomeOf(selftest::Conclusion::Outcome outcome) {
  using From = selftest::Conclusion::Outcome;
  using To = gang::TestConcluded::Outcome;
  switch (outcome) {
    case From::kPassed:
      return To::kPassed;
    case From::kAccused:
      return To::kAccused;
    case From::kConfig:
      return To::kConfig;
    case From::kInternal:
      return To::kInternal;
    case From::kInconclusive:
      break;
  }
  return To::kInconclusive;
}

}  // namespace

selftest::ReceiptIdentity Core::IdentityOf(const Job& job, const v1::Placement& placement, const TestRun* run) {
  selftest::ReceiptIdentity identity;
  identity.id = ReceiptId(ids_.MakeOrdered("rcp", now()));
  identity.job_uid = job.gang.uid;
  identity.ns = job.gang.ns;
  identity.name = job.gang.name;
  identity.attempt = job.gang.attempt;
  identity.trigger = job.gang.spec->launch().kind() == v1::LaunchSpec::TEST_ONLY ? "manual" : "preflight";
  identity.started = run == nullptr ? now() : run->started;
  identity.finished = now();
  identity.coordinator_version = options_.version;
  identity.mesh = job.gang.spec->mesh();
  std::set<std::string> seen;
  for (const v1::PlacedNode& rank : placement.ranks()) {
    const NodeEntry* node = nodes_.Find(NodeUid(rank.node_uid()));
    if (node == nullptr || !seen.insert(rank.node_uid()).second) continue;
    v1::NodeSurroundings surroundings;
    surroundings.set_node(node->info.name());
    surroundings.set_node_uid(node->uid.value());
    surroundings.set_boot_id(node->info.boot_id());
    surroundings.set_agent_version(node->info.agent_version());
    for (const v1::Accelerator& accelerator : node->info.accelerators())
      surroundings.add_accelerator_uuids(accelerator.uuid());
    if (run != nullptr) {
      if (const auto facts = run->facts.find(node->uid); facts != run->facts.end())
        surroundings.mutable_facts()->insert(facts->second.begin(), facts->second.end());
    }
    identity.nodes.push_back(std::move(surroundings));
  }
  return identity;
}

void Core::Conclude(Job& job, const TestId& test, const selftest::Conclusion& conclusion) {
  const TestRun& run = *tests_.Find(test);
  const selftest::ReceiptIdentity identity = IdentityOf(job, *run.setting.placement, &run);
  v1::Receipt receipt = selftest::MakeReceipt(identity, run.setting, run.rounds, conclusion);
  if (conclusion.outcome == selftest::Conclusion::Outcome::kAccused) {
    for (const NodeUid& uid : conclusion.accused) {
      const NodeEntry* node = nodes_.Find(uid);
      receipt.add_actions(absl::StrCat("node ", node == nullptr ? uid.value() : node->info.name(),
                                       " was quarantined for ", absl::FormatDuration(options_.quarantine)));
    }
  }
  std::vector<NodeEntry*> cleared;
  if (conclusion.outcome == selftest::Conclusion::Outcome::kPassed &&
      job.gang.spec->launch().kind() == v1::LaunchSpec::TEST_ONLY)
    cleared = ClearedBy(*run.setting.placement, nodes_);
  for (const NodeEntry* node : cleared)
    receipt.add_actions(absl::StrCat("node ", node->info.name(), " passed beside healthy nodes and was readmitted"));
  receipts_.Put(receipt, batch_);
  for (NodeEntry* node : cleared) ReadmitNode(*node);
  metrics_.Tested(receipt);
  SayWhenDurable(absl::StrCat("event=tested job=", job.FullName(), " uid=", job.gang.uid.value(),
                              " test=", test.value(), " receipt=", receipt.id(), " verdict=",
                              v1::TestVerdict_Name(receipt.verdict()), " why=\"", conclusion.summary, "\""));
  Apply(job,
        gang::TestConcluded{test, OutcomeOf(conclusion.outcome), conclusion.accused, identity.id, conclusion.summary});
}

void Core::Waive(Job& job) {
  const gang::PlacementPtr placement = gang::PlacementOf(job.gang.state);
  if (placement == nullptr || waivers_.count(job.key()) > 0) return;
  const selftest::ReceiptIdentity identity = IdentityOf(job, *placement, nullptr);
  const selftest::Setting setting = Engine::SettingOf(job, nodes_, placement, TestId(), 0);
  const v1::Receipt receipt =
      selftest::MakeWaiver(identity, setting, absl::StrCat("namespace ", job.gang.ns, " may waive the self-test"));
  receipts_.Put(receipt, batch_);
  waivers_[job.key()] = receipt.id();
}

}  // namespace muster::core
