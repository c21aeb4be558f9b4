#include "lib/selftest/receipt.h"

#include "absl/strings/str_cat.h"
#include "lib/base/proto_time.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {
namespace {

v1::Receipt Base(const ReceiptIdentity& identity, const Setting& setting) {
  v1::Receipt receipt;
  receipt.set_format(kReceiptFormat);
  receipt.set_id(identity.id.value());
  receipt.set_test_id(setting.test.value());
  receipt.set_job_uid(identity.job_uid.value());
  receipt.set_namespace_(identity.ns);
  receipt.set_job(identity.name);
  receipt.set_attempt(identity.attempt.value());
  receipt.set_trigger(identity.trigger);
  *receipt.mutable_started() = ToProto(identity.started);
  *receipt.mutable_finished() = ToProto(identity.finished);
  *receipt.mutable_mesh() = identity.mesh;
  receipt.set_workers_per_member(setting.workers_per_member);
  if (setting.placement != nullptr) {
    receipt.set_placement_digest(setting.placement->digest());
    receipt.set_members(setting.placement->ranks_size());
    *receipt.mutable_placement() = *setting.placement;
  }
  for (const v1::NodeSurroundings& node : identity.nodes) *receipt.add_nodes() = node;
  receipt.set_coordinator_version(identity.coordinator_version);
  receipt.set_backend(BackendOf(setting.spec));
  receipt.set_seed(setting.seed);
  return receipt;
}

// What the receipt keeps of a plan: all but the groups of worlds whose every group would make it too large.
v1::TestPlan PlanFor(const v1::TestPlan& plan, int64_t world) {
  v1::TestPlan kept = plan;
  if (world <= kEveryGroupUpTo) return kept;
  for (v1::TestStep& step : *kept.mutable_steps()) step.clear_groups();
  return kept;
}

// What is done to nodes is the coordinator's to say.
std::vector<std::string> ActionsOf(const Conclusion& conclusion) {
  std::vector<std::string> actions;
  if (conclusion.accused.empty() && conclusion.outcome != Conclusion::Outcome::kPassed)
    actions.push_back("release is withheld");
  return actions;
}

}  // namespace

v1::Receipt MakeReceipt(const ReceiptIdentity& identity, const Setting& setting, absl::Span<const Round> rounds,
                        const Conclusion& conclusion) {
  v1::Receipt receipt = Base(identity, setting);
  receipt.set_verdict(conclusion.verdict);
  receipt.set_summary(conclusion.summary);
  for (const Round& round : rounds) *receipt.add_plans() = PlanFor(round.plan, setting.world);
  for (const v1::FamilyResult& family : conclusion.families) *receipt.add_families() = family;
  for (const v1::GroupResult& group : conclusion.groups) {
    if (setting.world <= kEveryGroupUpTo || group.verdict() != v1::PASS) *receipt.add_groups() = group;
  }
  for (const v1::Accusation& accusation : conclusion.accusations) *receipt.add_accused() = accusation;
  for (const v1::PairProbe& probe : conclusion.probes) *receipt.add_probes() = probe;
  for (const std::string& action : ActionsOf(conclusion)) receipt.add_actions(action);
  return receipt;
}

v1::Receipt MakeWaiver(const ReceiptIdentity& identity, const Setting& setting, const std::string& why) {
  v1::Receipt receipt = Base(identity, setting);
  receipt.set_verdict(v1::SKIPPED);
  receipt.set_waived(true);
  receipt.set_summary(absl::StrCat("released untested: ", why));
  return receipt;
}

}  // namespace muster::selftest
