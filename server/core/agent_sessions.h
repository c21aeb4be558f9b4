#pragma once
// What each node's agent has been told to do, and the polls that wait for more. Orders follow from committed states
// alone; an agent is given again whatever it doesn't say it has seen. Loop only.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "server/core/deadline_wheel.h"
#include "server/core/keys.h"
#include "server/core/reply.h"

namespace muster::core {

struct TaskPoll {
  CallId id = 0;
  NodeUid node;
  absl::Time expires;
  // Highest order taken, by job uid.
  std::map<std::string, uint64_t> seen;
  Reply<v1::NextTaskResponse> reply;
};

class AgentSessions {
 public:
  explicit AgentSessions(Term term) : term_(term) {}

  // Replaces the orders of a job, by node, whose marks get this term. Returns the nodes for which something is new.
  std::vector<NodeUid> SetOrders(const std::string& job_uid, const std::map<NodeUid, v1::Task>& orders);

  // A job that no state accounts for still runs on the node: it is to be stopped, under a number above `number`.
  void StopOrphan(const NodeUid& node, const std::string& job_uid, uint64_t number);
  void OrphanEnded(const NodeUid& node, const std::string& job_uid);

  // What an agent on `node` that has seen this is still to be given; `known` says which jobs there are.
  std::vector<v1::Task> TasksFor(const NodeUid& node, const std::map<std::string, uint64_t>& seen,
                                 const std::function<bool(const std::string& job_uid)>& known);
  std::vector<v1::OrderMark> Highest(const NodeUid& node) const;

  // Holds the poll; an earlier one of the node is handed back, to be answered with nothing.
  std::optional<TaskPoll> Hold(TaskPoll poll);
  std::optional<TaskPoll> Take(const NodeUid& node);
  std::optional<TaskPoll> TakeCall(CallId id);
  const TaskPoll* Look(const NodeUid& node) const;
  std::vector<TaskPoll> TakeExpired(absl::Time now);
  std::vector<TaskPoll> TakeAll();
  absl::Time NextExpiry() const { return polls_.empty() ? absl::InfiniteFuture() : expiry_.Next(); }
  size_t size() const { return polls_.size(); }

 private:
  const Term term_;
  std::map<NodeUid, std::map<std::string, v1::Task>> orders_;
  // By job, to find what is to be replaced.
  std::map<std::string, std::vector<NodeUid>> nodes_of_;
  std::map<NodeUid, std::map<std::string, v1::Task>> orphans_;
  // Numbers under which agents were told to forget jobs that nobody knows.
  std::map<NodeUid, std::map<std::string, uint64_t>> told_to_forget_;
  absl::flat_hash_map<std::string, TaskPoll> polls_;  // by node uid
  absl::flat_hash_map<CallId, std::string> node_of_call_;
  DeadlineWheel<CallId> expiry_{absl::Milliseconds(100)};
};

}  // namespace muster::core
