#pragma once
// compare receipts, annotate receipt, export receipt.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddReceiptVerbs(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
