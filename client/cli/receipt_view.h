#pragma once
// Receipts: the verdict first, its numbers, who is accused on what evidence, what was done, what to do next.

#include <string>

#include "client/cli/look.h"
#include "client/cli/screen.h"
#include "proto/muster/v1/receipt.pb.h"
#include "proto/muster/v1/receipt_service.pb.h"

namespace muster::cli {

// "PASSED", "FAILED", "WAIVED" …
std::string ReceiptVerdict(const v1::Receipt& receipt);
// "gpu-c07 NIC rail 3", "nobody: the job's own configuration".
std::string AccusedText(const v1::Accusation& accusation);
Style ReceiptStyle(const v1::Receipt& receipt);

void PrintReceipts(Screen& out, const Look& look, const google::protobuf::RepeatedPtrField<v1::Receipt>& receipts);
// Wide: every group and every node's surroundings too.
void PrintReceipt(Screen& out, const Look& look, const v1::Receipt& receipt);
void PrintComparison(Screen& out, const v1::CompareReceiptsResponse& comparison, bool all);

}  // namespace muster::cli
