#pragma once
// Receipts for people and programs elsewhere.

#include <string>

#include "proto/muster/v1/receipt.pb.h"

namespace muster::cli {

// Verdict, tables and evidence for a ticket. Text from elsewhere can't break out of its cell or line.
std::string ReceiptAsMarkdown(const v1::Receipt& receipt);

// nccl-tests' table, with its columns and units (13 words a line): one line a family, collective and size, of its
// slowest group. In place is not measured: N/A. What nccl-tests doesn't have (families, verdict) stands in lines with a
// #.
std::string ReceiptAsNcclTests(const v1::Receipt& receipt);

}  // namespace muster::cli
