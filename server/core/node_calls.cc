#include "server/core/node_calls.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/page.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

constexpr int kMaxAnnotations = 256;
// Who changes a node where callers have no identity.
constexpr char kOperator[] = "operator";

void AnswerNode(Core& core, const NodeUid& uid, Reply<v1::Node> reply) {
  core.AfterCommit([&core, uid, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    reply(core.View(*core.nodes().Find(uid)));
  });
}

}  // namespace

void ListNodes(Core& core, const v1::ListNodesRequest& request, Reply<v1::ListNodesResponse> reply) {
  core.Read([&core, request, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    Page page(request.page_size());
    v1::ListNodesResponse response;
    for (const std::string& tier : core.nodes().tiers().Names()) response.add_tiers(tier);
    const auto& nodes = core.nodes().by_name();
    auto i = request.page_token().empty() ? nodes.begin() : nodes.upper_bound(request.page_token());
    for (; i != nodes.end(); ++i) {
      std::optional<v1::Node> view = core.DurableView(*i->second);
      if (!view) continue;
      if (!page.Take(*view)) break;
      *response.add_nodes() = *std::move(view);
    }
    if (i != nodes.end()) response.set_next_page_token(std::prev(i)->first);
    reply(std::move(response));
  });
}

void GetNode(Core& core, const v1::GetNodeRequest& request, Reply<v1::Node> reply) {
  core.Read([&core, request, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    absl::StatusOr<NodeEntry*> node = core.nodes().Named(request.name());
    if (!node.ok()) return reply(node.status());
    std::optional<v1::Node> view = core.DurableView(**node);
    if (!view) return reply(core.healthy());
    reply(*std::move(view));
  });
}

void QuarantineNode(Core& core, const v1::QuarantineRequest& request, Reply<v1::Node> reply) {
  absl::StatusOr<NodeEntry*> node = core.nodes().Named(request.name());
  if (!node.ok()) return reply(node.status());
  const absl::Duration duration = DurationOf(request.duration());
  core.Quarantine(**node, request.reason(),
                  duration > absl::ZeroDuration() ? core.now() + duration : absl::InfiniteFuture(), kOperator, "");
  AnswerNode(core, (*node)->uid, std::move(reply));
}

void Readmit(Core& core, const v1::ReadmitRequest& request, Reply<v1::Node> reply) {
  absl::StatusOr<NodeEntry*> found = core.nodes().Named(request.name());
  if (!found.ok()) return reply(found.status());
  NodeEntry& node = **found;
  // The person's word that nothing of a stop that was never confirmed runs there.
  const std::map<JobKey, v1::NodeUse> users = node.users;
  for (const auto& [key, use] : users) {
    Job* job = core.jobs().Find(key);
    if (job == nullptr) continue;
    const auto stop = job->gang.stops.find(node.uid);
    if (stop != job->gang.stops.end())
      core.Apply(*job, gang::EndConfirmed{node.uid, stop->second.number, gang::EndConfirmed::By::kPerson});
  }
  if (node.set != v1::NODE_OK) core.ReadmitNode(node);
  // Likewise that its agent is gone: the next one may register, also with a lesser session.
  if (node.lost && node.session != gang::Incarnation()) {
    node.session = gang::Incarnation();
    core.NodeChanged(node, /*placing=*/false);
    core.SayWhenDurable(absl::StrCat("event=session_ended node=", node.info.name(), " why=readmitted"));
  }
  AnswerNode(core, node.uid, std::move(reply));
}

void Drain(Core& core, const v1::DrainRequest& request, Reply<v1::Node> reply) {
  absl::StatusOr<NodeEntry*> found = core.nodes().Named(request.name());
  if (!found.ok()) return reply(found.status());
  NodeEntry& node = **found;
  if (node.set == v1::QUARANTINED) {
    return reply(
        OutcomeError(absl::StatusCode::kFailedPrecondition, v1::BAD_REQUEST,
                     absl::StrCat("node ", request.name(), " is quarantined: ", node.reason),
                     absl::StrCat("it gets nothing new as it is; \"muster readmit node ", request.name(), "\" first")));
  }
  node.set = v1::DRAINING;
  node.reason = request.reason();
  node.until = absl::InfiniteFuture();
  node.set_by = kOperator;
  core.NodeChanged(node, /*placing=*/false);
  AnswerNode(core, node.uid, std::move(reply));
}

void Annotate(Core& core, const v1::AnnotateReceiptRequest& request, Reply<v1::Receipt> reply) {
  absl::StatusOr<v1::Receipt> receipt = core.receipts().Read(request.id());
  if (!receipt.ok()) return reply(receipt.status());
  auto& annotations = *receipt->mutable_annotations();
  for (const auto& [key, value] : request.annotations()) {
    if (value.empty()) {
      annotations.erase(key);
    } else {
      annotations[key] = value;
    }
  }
  if (annotations.size() > kMaxAnnotations) {
    return reply(
        OutcomeError(absl::StatusCode::kResourceExhausted, v1::BAD_REQUEST,
                     absl::StrCat("receipt ", request.id(), " would have ", annotations.size(), " annotations"),
                     absl::StrCat("remove some with an empty value; at most ", kMaxAnnotations, " are kept")));
  }
  core.receipts().Rewrite(*receipt, core.batch());
  core.AfterCommit([receipt = *std::move(receipt), reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    reply(std::move(receipt));
  });
}

}  // namespace muster::core
