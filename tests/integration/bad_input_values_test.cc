// Bad input to the calls about receipts and key-value data.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/bad_input.h"

namespace muster::harness {
namespace {

std::vector<Row> ReceiptAndKeyValueRows() {
  return {
      Call<Receipts, v1::GetReceiptRequest, v1::Receipt>(
          "GetUnknownReceipt", &Cluster::receipts, &Receipts::Get, [](auto& r, const Present&) { r.set_id("rcp-0"); },
          grpc::NOT_FOUND, "", "rcp-0"),
      Call<Receipts, v1::CompareReceiptsRequest, v1::CompareReceiptsResponse>(
          "CompareWithNothing", &Cluster::receipts, &Receipts::Compare,
          [](auto& r, const Present& p) { r.set_left(p.job.receipt_id()); }, kInvalid, "right", "empty"),
      Call<Receipts, v1::AnnotateReceiptRequest, v1::Receipt>(
          "AnnotateTooLong", &Cluster::receipts, &Receipts::Annotate,
          [](auto& r, const Present& p) {
            r.set_id(p.job.receipt_id());
            (*r.mutable_annotations())["loss"] = kLong;
          },
          kInvalid, "annotations.loss", "5000"),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetWithoutScope", &Cluster::key_values, &KeyValues::Set, [](auto&, const Present&) {}, kInvalid, "scope",
          "neither"),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetEmptyKey", &Cluster::key_values, &KeyValues::Set,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.add_pairs()->set_value("v");
          },
          kInvalid, "pairs[0].key", "empty"),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetKeyTwice", &Cluster::key_values, &KeyValues::Set,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.add_pairs()->set_key("k");
            r.add_pairs()->set_key("k");
          },
          kInvalid, "pairs[1].key", "\"k\""),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetTooLargeValue", &Cluster::key_values, &KeyValues::Set,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.add_pairs()->set_key("k");
            r.mutable_pairs(0)->set_value(std::string((1 << 20) + 1, 'v'));
          },
          kInvalid, "pairs[0].value", "1048577"),
      Call<KeyValues, v1::GetRequest, v1::GetResponse>(
          "GetOfAnotherEpoch", &Cluster::key_values, &KeyValues::Get,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(7);
            r.add_keys("k");
          },
          grpc::FAILED_PRECONDITION, "", "7"),
      Call<KeyValues, v1::WaitRequest, v1::GetResponse>(
          "WaitForNothing", &Cluster::key_values, &KeyValues::Wait,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
          },
          kInvalid, "keys", "empty"),
      Call<KeyValues, v1::AddRequest, v1::AddResponse>(
          "AddWithLongRequestId", &Cluster::key_values, &KeyValues::Add,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.set_key("k");
            r.set_request_id(kLong);
          },
          kInvalid, "request_id", "5000"),
  };
}

TEST(BadInput, OfReceiptAndKeyValueCalls_NamesTheFieldTheValueAndTheWayOutAndChangesNothing) {
  CheckRows({ReceiptAndKeyValueRows()}, 10);
}

}  // namespace
}  // namespace muster::harness
