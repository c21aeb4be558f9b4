#pragma once
// A node as bytes, and back.

#include <string>

#include "absl/status/statusor.h"
#include "server/core/node_table.h"

namespace muster::core {

std::string EncodeNode(const NodeEntry& node);
// The node with everything that its record has. DATA_LOSS: not such a record.
absl::StatusOr<NodeEntry> DecodeNode(const std::string& uid, const std::string& bytes);

}  // namespace muster::core
