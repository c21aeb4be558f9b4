#pragma once
// Nodes as people read them.

#include <string>

#include "client/cli/look.h"
#include "client/cli/screen.h"
#include "proto/muster/v1/node.pb.h"

namespace muster::cli {

void PrintNodes(Screen& out, const Look& look, const google::protobuf::RepeatedPtrField<v1::Node>& nodes);
void PrintNode(Screen& out, const Look& look, const v1::Node& node);

// "quarantined until 14:05: NIC mlx5_3 slow", "ok": the condition in words.
std::string ConditionText(const Look& look, const v1::Node& node);

}  // namespace muster::cli
