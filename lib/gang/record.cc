#include "lib/gang/record.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/record_parts.h"
#include "lib/gang/record_state.h"

namespace muster::gang {
namespace {

using store::v1::GangRecord;
constexpr int32_t kFormat = 1;

// Maps in their keys' order, so that equal messages give equal bytes.
std::string Deterministic(const GangRecord& record) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  record.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

absl::Status Contradiction(const GangRecord& record, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the stored record of job ", record.namespace_(), "/", record.name(), " (",
                                          record.uid(), ") contradicts itself: ", what));
}

bool Fits(const Gang& gang, const PlacementPtr& placement) {
  return placement == nullptr || placement->ranks_size() == gang.spec->members();
}

// What the moves take for granted of a state that Step made.
absl::Status Check(const GangRecord& record, const Gang& gang) {
  if (gang.spec->members() < 1) return Contradiction(record, "it has no members");
  if (!Fits(gang, PlacementOf(gang.state))) return Contradiction(record, "its placement has another size than the job");
  for (const auto& [index, member] : gang.members) {
    if (index.value() < 0 || index.value() >= gang.spec->members() || !member.incarnation) {
      return Contradiction(record, absl::StrCat("member ", index.value(), " is none of this job"));
    }
  }
  if (const auto* repairing = std::get_if<Repairing>(&gang.state); repairing && !Fits(gang, repairing->placement)) {
    return Contradiction(record, "its placement has another size than the job");
  }
  if (const auto* stopping = std::get_if<Stopping>(&gang.state)) {
    if (stopping->next == Next::kPlaced && stopping->placement == nullptr) {
      return Contradiction(record, "nothing to take up again");
    }
  }
  if (const auto* running = std::get_if<Running>(&gang.state)) {
    if (static_cast<int64_t>(running->released->members.size()) != gang.spec->members()) {
      return Contradiction(record, "not every member has an assignment");
    }
    for (const auto& [index, bound] : running->released->members) {
      const bool seated = bound.rank.value() >= 0 && bound.rank.value() < gang.spec->members();
      if (!gang.members.contains(index) || !seated) return Contradiction(record, "a rank without a member or a node");
    }
  }
  return absl::OkStatus();
}

void ReadFixed(const GangRecord& record, Gang& gang) {
  gang.uid = JobUid(record.uid());
  gang.ns = record.namespace_();
  gang.name = record.name();
  gang.request_id = record.request_id();
  gang.spec = std::make_shared<const v1::JobSpec>(record.spec());
  gang.owner = record.owner();
  gang.submitted = Read(record.submitted());
  gang.sequence = record.sequence();
  gang.waived = record.waived();
}

// What follows from the rest.
void Derive(Gang& gang) {
  if (const PlacementPtr placement = PlacementOf(gang.state); placement != nullptr) {
    gang.seats = std::make_shared<const Seats>(*placement, SeatedByIndex(*gang.spec));
  }
  const auto index = [&gang](const NodeUid& node, const Remains& remains) {
    for (const Process& process : remains.members) gang.ending[process.index].insert(node);
  };
  for (const auto& [node, stop] : gang.stops) index(node, stop.remains);
  if (const auto* repairing = std::get_if<Repairing>(&gang.state)) {
    for (const auto& [node, remains] : repairing->unended) index(node, remains);
  }
}

void WriteMoving(const Gang& gang, GangRecord& record) {
  record.set_format(kFormat);
  record.set_uid(gang.uid.value());
  record.set_namespace_(gang.ns);
  record.set_name(gang.name);
  record.set_request_id(gang.request_id);
  *record.mutable_owner() = gang.owner;
  *record.mutable_submitted() = Write(gang.submitted);
  record.set_sequence(gang.sequence);
  record.set_waived(gang.waived);
  record.set_attempt(gang.attempt.value());
  record.set_epoch(gang.epoch.value());
  record.set_order(gang.order.value());
  record.set_tries(gang.tries);
  record.set_restarts(gang.restarts);
  record.set_failures(gang.failures);
  record.set_ran(gang.ran);
  record.set_cancelled(gang.cancelled);
  for (const auto& [index, member] : gang.members) {
    if (member.recorded) *record.add_members() = Write(index, member);
  }
  for (const auto& [node, stop] : gang.stops) {
    auto* owed = record.add_stops();
    owed->set_node_uid(node.value());
    owed->set_number(stop.number.value());
    owed->set_node(stop.node);
    *owed->mutable_remains() = Write(stop.remains);
    *owed->mutable_deadline() = Write(stop.deadline);
    owed->set_overdue(stop.overdue);
    owed->set_why(stop.why);
  }
  for (const NodeUid& node : gang.marked) record.add_marked(node.value());
  *record.mutable_facts() = Write(gang.facts);
  if (gang.verdict_owed) *record.mutable_verdict_owed() = Write(*gang.verdict_owed);
  record.set_receipt(gang.receipt.value());
  record.set_receipt_digest(gang.receipt_digest);
  *record.mutable_since() = Write(gang.since);
  if (gang.holds_since != absl::InfinitePast()) *record.mutable_holds_since() = Write(gang.holds_since);
  record.set_why(gang.why);
  record.set_revision(gang.revision);
  WriteState(gang.state, record);
}

}  // namespace

std::string ToRecord(const Gang& gang) {
  return absl::StrCat(ToRecord(gang, Part::kMoving), ToRecord(gang, Part::kSpec), ToRecord(gang, Part::kReleased));
}

std::string ToRecord(const Gang& gang, Part part) {
  GangRecord record;
  switch (part) {
    case Part::kMoving:
      WriteMoving(gang, record);
      break;
    case Part::kSpec:
      *record.mutable_spec() = *gang.spec;
      break;
    case Part::kReleased:
      if (const auto* running = std::get_if<Running>(&gang.state))
        *record.mutable_running()->mutable_released() = Write(*running->released);
      break;
  }
  return Deterministic(record);
}

absl::StatusOr<Gang> FromRecord(absl::string_view bytes) {
  GangRecord record;
  if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError(absl::StrCat("not the record of a job: ", bytes.size(), " bytes that can't be read"));
  }
  if (record.format() > kFormat) {
    return absl::FailedPreconditionError(absl::StrCat("the record of job ", record.uid(), " has format ",
                                                      record.format(), ", this musterd reads up to ", kFormat,
                                                      "; start the version that wrote it, or a later one"));
  }
  if (record.format() < 1) return absl::DataLossError("not the record of a job: it has no format");
  Gang gang;
  ReadFixed(record, gang);
  gang.attempt = Attempt(record.attempt());
  gang.epoch = Epoch(record.epoch());
  gang.order = OrderNumber(record.order());
  gang.tries = record.tries();
  gang.restarts = record.restarts();
  gang.failures = record.failures();
  gang.ran = record.ran();
  gang.cancelled = record.cancelled();
  for (const auto& member : record.members()) gang.members[PodIndex(member.index())] = Read(member);
  for (const auto& owed : record.stops()) {
    gang.stops[NodeUid(owed.node_uid())] = {.number = OrderNumber(owed.number()),
                                            .node = owed.node(),
                                            .why = owed.why(),
                                            .remains = Read(owed.remains()),
                                            .deadline = Read(owed.deadline()),
                                            .overdue = owed.overdue()};
  }
  for (const std::string& node : record.marked()) gang.marked.insert(NodeUid(node));
  gang.facts = Read(record.facts());
  if (record.has_verdict_owed()) gang.verdict_owed = Read(record.verdict_owed());
  gang.receipt = ReceiptId(record.receipt());
  gang.receipt_digest = record.receipt_digest();
  gang.since = Read(record.since());
  if (record.has_holds_since()) gang.holds_since = Read(record.holds_since());
  gang.why = record.why();
  gang.revision = record.revision();
  std::optional<State> state = ReadState(record);
  if (!state) return Contradiction(record, "it has no state that this musterd knows");
  gang.state = *std::move(state);
  if (const absl::Status status = Check(record, gang); !status.ok()) return status;
  Derive(gang);
  return gang;
}

}  // namespace muster::gang
