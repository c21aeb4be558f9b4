#pragma once
// What a client may get wrong in a call: tables of it, and the check that each row's error has the right code, names
// the field, says what is wrong with it and the way out, and has changed nothing.

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/cluster.h"

namespace muster::harness {

// What was there before: a job that runs on both nodes of the cluster.
struct Present {
  v1::Job job;
  v1::GetRankRequest member;
};

struct Row {
  std::string name;
  std::function<grpc::Status(Cluster&, const Present&)> call;
  grpc::StatusCode code;
  // Of the OutcomeDetail; empty: not about one field.
  std::string field;
  // Part of the message, with the value.
  std::string says;
};

using Jobs = v1::JobService::Stub;
using Workers = v1::WorkerService::Stub;
using Agents = v1::AgentService::Stub;
using Nodes = v1::NodeService::Stub;
using Receipts = v1::ReceiptService::Stub;
using Tests = v1::SelfTestService::Stub;
using KeyValues = v1::KeyValueService::Stub;

inline constexpr auto kInvalid = grpc::INVALID_ARGUMENT;
inline const std::string kLong(5000, 'x');

void SetDeadline(grpc::ClientContext& context);

// A row that calls `method` of `stub` with what `spoil` makes of a good request.
template <typename Stub, typename Request, typename Response>
Row Call(std::string name, Stub& (Cluster::*stub)(),
         grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
         std::function<void(Request&, const Present&)> spoil, grpc::StatusCode code, std::string field,
         std::string says) {
  return {std::move(name),
          [=](Cluster& cluster, const Present& present) {
            Request request;
            spoil(request, present);
            grpc::ClientContext context;
            SetDeadline(context);
            Response response;
            return ((cluster.*stub)().*method)(&context, request, &response);
          },
          code, std::move(field), std::move(says)};
}

// Checks the rows against a cluster of their own, on which a job runs. At least `least` rows are there.
void CheckRows(const std::vector<std::vector<Row>>& tables, int least);

}  // namespace muster::harness
