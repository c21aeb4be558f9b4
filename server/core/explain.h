#pragma once
// Why a job is where it is. Placing takes long on a large cluster, so the loop gives only what the explanation is made
// of (job_calls.h), and whoever has time makes it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/placement/first_chance.h"
#include "lib/placement/request.h"
#include "lib/queue/horizon.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::core {

struct ToExplain {
  // The answer, if there is no request.
  v1::Explanation explanation;
  // Of a job that waits in the queue.
  std::shared_ptr<const placement::Request> request;
  placement::Cluster cluster;
  placement::Outlook outlook;
  std::string waits_for;
  int32_t queue_position = 0;
  // Who has nodes now, and what their requests point to.
  std::vector<queue::Holder> holders;
  std::vector<std::shared_ptr<const placement::Request>> requests;
  absl::Time now;
};

// Pure; any thread.
v1::Explanation Explain(const ToExplain& to);

}  // namespace muster::core
