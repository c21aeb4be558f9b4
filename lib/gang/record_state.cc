#include "lib/gang/record_state.h"

#include <memory>
#include <utility>

#include "lib/gang/record_parts.h"

namespace muster::gang {
namespace {

using store::v1::GangRecord;

PlacementPtr Shared(bool present, const v1::Placement& placement) {
  return present ? std::make_shared<const v1::Placement>(placement) : nullptr;
}

struct Writer {
  GangRecord& out;

  void operator()(const Queued&) { out.mutable_queued(); }
  void operator()(const Awaiting& state) {
    auto* record = out.mutable_awaiting();
    if (state.preferred) *record->mutable_preferred() = *state.preferred;
  }
  void operator()(const Placed& state) {
    auto* record = out.mutable_placed();
    *record->mutable_placement() = *state.placement;
    *record->mutable_deadline() = Write(state.deadline);
  }
  void operator()(const Testing& state) {
    auto* record = out.mutable_testing();
    *record->mutable_placement() = *state.placement;
    record->set_test(state.test.value());
    *record->mutable_plan() = *state.plan;
    record->set_ordered(state.ordered.value());
    for (const NodeUid& node : state.ended) record->add_ended(node.value());
    record->set_passed(state.passed);
    *record->mutable_deadline() = Write(state.deadline);
  }
  void operator()(const Assembling& state) {
    auto* record = out.mutable_assembling();
    *record->mutable_placement() = *state.placement;
    record->set_started(state.started.value());
    *record->mutable_deadline() = Write(state.deadline);
  }
  void operator()(const Running& state) {
    auto* record = out.mutable_running();
    if (state.first_clean_exit) *record->mutable_first_clean_exit() = Write(*state.first_clean_exit);
    record->set_exited(state.exited);
  }
  void operator()(const Repairing& state) {
    auto* record = out.mutable_repairing();
    *record->mutable_placement() = *state.placement;
    for (const NodeUid& node : state.vacated) record->add_vacated(node.value());
    for (const auto& [node, remains] : state.unended) {
      auto* left = record->add_unended();
      left->set_node_uid(node.value());
      *left->mutable_remains() = Write(remains);
    }
    record->set_ordered(state.ordered.value());
    if (state.replacement) *record->mutable_replacement() = *state.replacement;
    record->set_was_running(state.was_running);
    record->set_exited(state.exited);
    record->set_why(state.why);
    *record->mutable_deadline() = Write(state.deadline);
    if (state.not_before != absl::InfinitePast()) *record->mutable_not_before() = Write(state.not_before);
  }
  void operator()(const Stopping& state) {
    auto* record = out.mutable_stopping();
    record->set_next(static_cast<int32_t>(state.next));
    if (state.placement) *record->mutable_placement() = *state.placement;
    record->set_result(state.result);
    record->set_why(state.why);
  }
  void operator()(const Finished& state) {
    auto* record = out.mutable_finished();
    record->set_result(state.result);
    record->set_never(state.never);
    record->set_why(state.why);
    *record->mutable_at() = Write(state.at);
  }
};

Repairing ReadRepairing(const store::v1::RepairingRecord& record) {
  Repairing state;
  state.placement = Shared(true, record.placement());
  for (const std::string& node : record.vacated()) state.vacated.insert(NodeUid(node));
  for (const auto& left : record.unended()) state.unended[NodeUid(left.node_uid())] = Read(left.remains());
  state.ordered = OrderNumber(record.ordered());
  state.replacement = Shared(record.has_replacement(), record.replacement());
  state.was_running = record.was_running();
  state.exited = record.exited();
  state.why = record.why();
  state.deadline = Read(record.deadline());
  if (record.has_not_before()) state.not_before = Read(record.not_before());
  return state;
}

Testing ReadTesting(const store::v1::TestingRecord& record) {
  Testing state;
  state.placement = Shared(true, record.placement());
  state.test = TestId(record.test());
  state.plan = std::make_shared<const v1::TestPlan>(record.plan());
  state.ordered = OrderNumber(record.ordered());
  for (const std::string& node : record.ended()) state.ended.insert(NodeUid(node));
  state.passed = record.passed();
  state.deadline = Read(record.deadline());
  return state;
}

Running ReadRunning(const store::v1::RunningRecord& record) {
  Running state{.released = std::make_shared<const Released>(Read(record.released())),
                .first_clean_exit = std::nullopt,
                .exited = record.exited()};
  if (record.has_first_clean_exit()) state.first_clean_exit = Read(record.first_clean_exit());
  return state;
}

}  // namespace

void WriteState(const State& state, GangRecord& record) { std::visit(Writer{record}, state); }

std::optional<State> ReadState(const GangRecord& record) {
  switch (record.state_case()) {
    case GangRecord::kQueued:
      return Queued{};
    case GangRecord::kAwaiting:
      return Awaiting{.preferred = Shared(record.awaiting().has_preferred(), record.awaiting().preferred())};
    case GangRecord::kPlaced:
      return Placed{.placement = Shared(true, record.placed().placement()),
                    .deadline = Read(record.placed().deadline())};
    case GangRecord::kTesting:
      return ReadTesting(record.testing());
    case GangRecord::kAssembling:
      return Assembling{.placement = Shared(true, record.assembling().placement()),
                        .started = OrderNumber(record.assembling().started()),
                        .deadline = Read(record.assembling().deadline())};
    case GangRecord::kRunning:
      return ReadRunning(record.running());
    case GangRecord::kRepairing:
      return ReadRepairing(record.repairing());
    case GangRecord::kStopping:
      return Stopping{.next = static_cast<Next>(record.stopping().next()),
                      .placement = Shared(record.stopping().has_placement(), record.stopping().placement()),
                      .result = static_cast<v1::Result>(record.stopping().result()),
                      .why = record.stopping().why()};
    case GangRecord::kFinished:
      return Finished{.result = static_cast<v1::Result>(record.finished().result()),
                      .never = record.finished().never(),
                      .why = record.finished().why(),
                      .at = Read(record.finished().at())};
    case GangRecord::STATE_NOT_SET:
      break;
  }
  return std::nullopt;
}

}  // namespace muster::gang
