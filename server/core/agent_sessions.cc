#include "server/core/agent_sessions.h"

#include <utility>

namespace muster::core {

std::vector<NodeUid> AgentSessions::SetOrders(const std::string& job_uid, const std::map<NodeUid, v1::Task>& orders) {
  std::vector<NodeUid> changed;
  std::vector<NodeUid>& nodes = nodes_of_[job_uid];
  for (const NodeUid& node : nodes) {
    if (orders.count(node) > 0) continue;
    const auto found = orders_.find(node);
    if (found == orders_.end()) continue;
    found->second.erase(job_uid);
    if (found->second.empty()) orders_.erase(found);
  }
  nodes.clear();
  for (const auto& [node, order] : orders) {
    nodes.push_back(node);
    v1::Task task = order;
    task.mutable_mark()->set_job_uid(job_uid);
    task.mutable_mark()->set_term(term_.value());
    v1::Task& present = orders_[node][job_uid];
    const bool same = present.mark().number() == task.mark().number() && present.kind_case() == task.kind_case();
    if (!same) changed.push_back(node);
    present = std::move(task);
  }
  if (nodes.empty()) nodes_of_.erase(job_uid);
  return changed;
}

void AgentSessions::StopOrphan(const NodeUid& node, const std::string& job_uid, uint64_t number) {
  v1::Task& task = orphans_[node][job_uid];
  task.mutable_mark()->set_job_uid(job_uid);
  task.mutable_mark()->set_term(term_.value());
  task.mutable_mark()->set_number(number + 1);
  task.mutable_stop()->set_why("the coordinator knows no such job");
}

void AgentSessions::OrphanEnded(const NodeUid& node, const std::string& job_uid) {
  const auto found = orphans_.find(node);
  if (found == orphans_.end()) return;
  found->second.erase(job_uid);
  if (found->second.empty()) orphans_.erase(found);
}

std::vector<v1::Task> AgentSessions::TasksFor(const NodeUid& node, const std::map<std::string, uint64_t>& seen,
                                              const std::function<bool(const std::string&)>& known) {
  static const std::map<std::string, v1::Task> kNone;
  const auto of_node = orders_.find(node);
  const auto& orders = of_node == orders_.end() ? kNone : of_node->second;
  const auto orphans_of_node = orphans_.find(node);
  const auto& orphans = orphans_of_node == orphans_.end() ? kNone : orphans_of_node->second;

  std::vector<v1::Task> tasks;
  for (const auto* table : {&orders, &orphans}) {
    for (const auto& [job, task] : *table) {
      const auto mark = seen.find(job);
      // Who knows nothing of the job has nothing to forget.
      const bool due = mark == seen.end() ? !task.has_forget() : mark->second < task.mark().number();
      if (due) tasks.push_back(task);
    }
  }
  std::map<std::string, uint64_t>& told = told_to_forget_[node];
  for (auto i = told.begin(); i != told.end();) i = seen.count(i->first) > 0 ? std::next(i) : told.erase(i);
  for (const auto& [job, number] : seen) {
    if (orders.count(job) > 0 || orphans.count(job) > 0 || known(job)) continue;
    // An agent on which the job still runs keeps this mark; telling it again and again would help nobody.
    if (const auto before = told.find(job); before != told.end() && before->second <= number) continue;
    told[job] = number + 1;
    v1::Task& task = tasks.emplace_back();
    task.mutable_mark()->set_job_uid(job);
    task.mutable_mark()->set_term(term_.value());
    task.mutable_mark()->set_number(number + 1);
    task.mutable_forget();
  }
  if (told.empty()) told_to_forget_.erase(node);
  return tasks;
}

std::vector<v1::OrderMark> AgentSessions::Highest(const NodeUid& node) const {
  std::vector<v1::OrderMark> marks;
  const auto found = orders_.find(node);
  if (found == orders_.end()) return marks;
  for (const auto& [job, task] : found->second) marks.push_back(task.mark());
  return marks;
}

std::optional<TaskPoll> AgentSessions::Hold(TaskPoll poll) {
  std::optional<TaskPoll> earlier = Take(poll.node);
  expiry_.Add(poll.expires, poll.id);
  node_of_call_[poll.id] = poll.node.value();
  polls_.emplace(poll.node.value(), std::move(poll));
  return earlier;
}

std::optional<TaskPoll> AgentSessions::Take(const NodeUid& node) {
  const auto found = polls_.find(node.value());
  if (found == polls_.end()) return std::nullopt;
  TaskPoll poll = std::move(found->second);
  polls_.erase(found);
  node_of_call_.erase(poll.id);
  return poll;
}

std::optional<TaskPoll> AgentSessions::TakeCall(CallId id) {
  const auto found = node_of_call_.find(id);
  if (found == node_of_call_.end()) return std::nullopt;
  return Take(NodeUid(found->second));
}

const TaskPoll* AgentSessions::Look(const NodeUid& node) const {
  const auto found = polls_.find(node.value());
  return found == polls_.end() ? nullptr : &found->second;
}

std::vector<TaskPoll> AgentSessions::TakeExpired(absl::Time now) {
  std::vector<TaskPoll> expired;
  for (CallId id : expiry_.Due(now))
    if (std::optional<TaskPoll> poll = TakeCall(id)) expired.push_back(*std::move(poll));
  return expired;
}

std::vector<TaskPoll> AgentSessions::TakeAll() {
  std::vector<TaskPoll> all;
  for (auto& [node, poll] : polls_) all.push_back(std::move(poll));
  polls_.clear();
  node_of_call_.clear();
  return all;
}

}  // namespace muster::core
