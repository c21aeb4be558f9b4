#include "server/core/node_record.h"

#include "absl/strings/str_cat.h"
#include "server/core/incarnations.h"
#include "server/core/node_record.pb.h"
#include "server/core/times.h"

namespace muster::core {

std::string EncodeNode(const NodeEntry& node) {
  store::v1::NodeRecord to;
  *to.mutable_info() = node.info;
  SetIncarnation(node.session, to.mutable_session());
  to.set_condition(node.set);
  to.set_reason(node.reason);
  if (node.until != absl::InfiniteFuture()) SetTime(node.until, to.mutable_until());
  to.set_set_by(node.set_by);
  to.set_stop_of(node.stop_of);
  to.set_lost(node.lost);
  if (node.lost && node.last_seen != absl::InfinitePast()) SetTime(node.last_seen, to.mutable_last_seen());
  return to.SerializeAsString();
}

absl::StatusOr<NodeEntry> DecodeNode(const std::string& uid, const std::string& bytes) {
  store::v1::NodeRecord from;
  if (!from.ParseFromString(bytes)) return absl::DataLossError(absl::StrCat("the record of node ", uid, " is damaged"));
  NodeEntry to;
  to.info = from.info();
  to.uid = NodeUid(uid);
  to.session = IncarnationOf(from.session());
  to.set = from.condition();
  to.reason = from.reason();
  if (from.has_until()) to.until = TimeOf(from.until());
  to.set_by = from.set_by();
  to.stop_of = from.stop_of();
  to.lost = from.lost();
  if (from.has_last_seen()) to.last_seen = TimeOf(from.last_seen());
  return to;
}

}  // namespace muster::core
