#pragma once
// What NodeService and ReceiptService ask of the core. On the loop; requests are valid in form.

#include "proto/muster/v1/node_service.pb.h"
#include "proto/muster/v1/receipt_service.pb.h"
#include "server/core/core.h"
#include "server/core/reply.h"

namespace muster::core {

// NOT_FOUND: no such node.
void ListNodes(Core& core, const v1::ListNodesRequest& request, Reply<v1::ListNodesResponse> reply);
void GetNode(Core& core, const v1::GetNodeRequest& request, Reply<v1::Node> reply);
void QuarantineNode(Core& core, const v1::QuarantineRequest& request, Reply<v1::Node> reply);
void Readmit(Core& core, const v1::ReadmitRequest& request, Reply<v1::Node> reply);
// FAILED_PRECONDITION: it is quarantined.
void Drain(Core& core, const v1::DrainRequest& request, Reply<v1::Node> reply);

// NOT_FOUND: no such receipt; RESOURCE_EXHAUSTED: too many annotations.
void Annotate(Core& core, const v1::AnnotateReceiptRequest& request, Reply<v1::Receipt> reply);

}  // namespace muster::core
