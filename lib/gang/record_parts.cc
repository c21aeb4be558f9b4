#include "lib/gang/record_parts.h"

#include <limits>
#include <utility>

namespace muster::gang {
namespace {

constexpr int64_t kFuture = std::numeric_limits<int64_t>::max();
constexpr int64_t kPast = std::numeric_limits<int64_t>::min();

store::v1::ReservationRecord WriteReservation(const Reservation& reservation) {
  store::v1::ReservationRecord record;
  record.set_workload_uid(reservation.workload_uid);
  *record.mutable_reserved() = Write(reservation.reserved);
  record.set_assignment(reservation.assignment);
  return record;
}

Reservation ReadReservation(const store::v1::ReservationRecord& record) {
  return {
      .workload_uid = record.workload_uid(), .reserved = Read(record.reserved()), .assignment = record.assignment()};
}

}  // namespace

store::v1::Instant Write(absl::Time time) {
  store::v1::Instant record;
  if (time == absl::InfiniteFuture() || time == absl::InfinitePast()) {
    record.set_seconds(time == absl::InfiniteFuture() ? kFuture : kPast);
    return record;
  }
  record.set_seconds(absl::ToUnixSeconds(time));
  record.set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(absl::ToUnixSeconds(time)))));
  return record;
}

absl::Time Read(const store::v1::Instant& record) {
  if (record.seconds() == kFuture) return absl::InfiniteFuture();
  if (record.seconds() == kPast) return absl::InfinitePast();
  return absl::FromUnixSeconds(record.seconds()) + absl::Nanoseconds(record.nanos());
}

store::v1::IncarnationRecord Write(const Incarnation& incarnation) {
  store::v1::IncarnationRecord record;
  record.set_restart_attempt(incarnation.restart_attempt);
  *record.mutable_created() = Write(incarnation.created);
  record.set_uid(incarnation.uid);
  record.set_ordinal(incarnation.ordinal);
  return record;
}

Incarnation Read(const store::v1::IncarnationRecord& record) {
  return {.restart_attempt = record.restart_attempt(),
          .created = Read(record.created()),
          .uid = record.uid(),
          .ordinal = record.ordinal()};
}

store::v1::RemainsRecord Write(const Remains& remains) {
  store::v1::RemainsRecord record;
  record.set_children(remains.children);
  record.set_pods(remains.pods);
  for (const Process& process : remains.members) {
    auto* member = record.add_members();
    member->set_index(process.index.value());
    member->set_local_rank(process.local_rank);
    *member->mutable_incarnation() = Write(process.incarnation);
    member->set_epoch(process.epoch.value());
  }
  return record;
}

Remains Read(const store::v1::RemainsRecord& record) {
  Remains remains{.children = record.children(), .pods = record.pods(), .members = {}};
  for (const auto& process : record.members()) {
    remains.members.insert({.index = PodIndex(process.index()),
                            .local_rank = process.local_rank(),
                            .incarnation = Read(process.incarnation()),
                            .epoch = Epoch(process.epoch())});
  }
  return remains;
}

store::v1::MemberRecord Write(PodIndex index, const Member& member) {
  store::v1::MemberRecord record;
  record.set_index(index.value());
  if (member.incarnation) *record.mutable_incarnation() = Write(*member.incarnation);
  for (const auto& [local, incarnation] : member.workers) {
    auto* worker = record.add_workers();
    worker->set_local_rank(local);
    *worker->mutable_incarnation() = Write(incarnation);
  }
  if (member.exit_code) record.set_exit_code(*member.exit_code);
  for (const int32_t local : member.workers_exited) record.add_workers_exited(local);
  record.set_terminating(member.terminating);
  return record;
}

Member Read(const store::v1::MemberRecord& record) {
  Member member;
  if (record.has_incarnation()) member.incarnation = Read(record.incarnation());
  for (const auto& worker : record.workers()) member.workers[worker.local_rank()] = Read(worker.incarnation());
  member.recorded = true;
  if (record.has_exit_code()) member.exit_code = record.exit_code();
  member.workers_exited.insert(record.workers_exited().begin(), record.workers_exited().end());
  member.terminating = record.terminating();
  return member;
}

store::v1::FactsRecord Write(const Facts& facts) {
  store::v1::FactsRecord record;
  record.set_owner(static_cast<int32_t>(facts.owner));
  record.set_owner_restarts(facts.owner_restarts);
  record.set_counted_restarts(facts.counted_restarts);
  if (facts.reservation) *record.mutable_reservation() = WriteReservation(*facts.reservation);
  if (facts.assigned) *record.mutable_assigned() = *facts.assigned;
  if (facts.spent) *record.mutable_spent() = WriteReservation(*facts.spent);
  for (const NodeUid& node : facts.shunned) record.add_shunned(node.value());
  return record;
}

Facts Read(const store::v1::FactsRecord& record) {
  Facts facts;
  facts.owner = static_cast<Facts::OwnerState>(record.owner());
  facts.owner_restarts = record.owner_restarts();
  facts.counted_restarts = record.counted_restarts();
  if (record.has_reservation()) facts.reservation = ReadReservation(record.reservation());
  if (record.has_assigned()) facts.assigned = std::make_shared<const v1::Placement>(record.assigned());
  if (record.has_spent()) facts.spent = ReadReservation(record.spent());
  for (const std::string& node : record.shunned()) facts.shunned.insert(NodeUid(node));
  return facts;
}

store::v1::VerdictRecord Write(const VerdictOwed& verdict) {
  store::v1::VerdictRecord record;
  record.set_kind(static_cast<int32_t>(verdict.kind));
  *record.mutable_reservation() = WriteReservation(verdict.reservation);
  record.set_message(verdict.message);
  return record;
}

VerdictOwed Read(const store::v1::VerdictRecord& record) {
  return {.kind = static_cast<VerdictOwed::Kind>(record.kind()),
          .reservation = ReadReservation(record.reservation()),
          .message = record.message()};
}

store::v1::ReleasedRecord Write(const Released& released) {
  store::v1::ReleasedRecord record;
  record.set_epoch(released.epoch.value());
  record.set_attempt(released.attempt.value());
  *record.mutable_placement() = *released.placement;
  for (const auto& [index, bound] : released.members) {
    auto* member = record.add_members();
    member->set_index(index.value());
    member->set_rank(bound.rank.value());
    *member->mutable_incarnation() = Write(bound.incarnation);
    member->set_assignment(bound.assignment);
    for (const auto& [local, own] : bound.workers) {
      auto* worker = member->add_workers();
      worker->set_local_rank(local);
      *worker->mutable_incarnation() = Write(own.first);
      worker->set_assignment(own.second);
    }
  }
  return record;
}

Released Read(const store::v1::ReleasedRecord& record) {
  Released released;
  released.epoch = Epoch(record.epoch());
  released.attempt = Attempt(record.attempt());
  released.placement = std::make_shared<const v1::Placement>(record.placement());
  for (const auto& member : record.members()) {
    Released::Member& bound = released.members[PodIndex(member.index())];
    bound.rank = NodeRank(member.rank());
    bound.incarnation = Read(member.incarnation());
    bound.assignment = member.assignment();
    for (const auto& worker : member.workers()) {
      bound.workers[worker.local_rank()] = {Read(worker.incarnation()), worker.assignment()};
    }
  }
  return released;
}

}  // namespace muster::gang
