#pragma once
// A coordinator in the test's own process: gives agents the orders that the test makes, keeps their reports, and holds
// the key-values of tests. Real gRPC on 127.0.0.1.

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::agent {

class FakeCoordinator {
 public:
  FakeCoordinator();
  ~FakeCoordinator();

  // host:port; the same after Restart.
  std::string address() const;

  // From now on `node` (its uid) is given the task, until it says that it has seen it.
  void Order(const std::string& node, v1::Task task);
  // Stops listening; calls are broken off.
  void GoAway();
  // Listens again, so many terms later, and knows no session.
  void ComeBack(int terms = 1);
  // From now on every report on an order of that number is of something that is over.
  void CallStale(uint64_t number);

  // Waits until `done` holds of all reports so far, in order of arrival; false after 40 s.
  bool WaitForReports(const std::function<bool(const std::vector<v1::ReportTaskRequest>&)>& done);
  // Waits until that many Register calls were answered since the beginning; false after 40 s.
  bool WaitForRegistrations(size_t count);
  // The same of polls that were refused, as nobody is registered for them, since it last came back.
  bool WaitForRefusedPolls(size_t count);

  std::vector<v1::ReportTaskRequest> reports() const;
  std::vector<v1::RegisterRequest> registrations() const;
  std::vector<absl::Time> refused_polls() const;

 private:
  class Service;
  class Store;
  struct State;

  void Listen();

  std::unique_ptr<State> state_;
};

}  // namespace muster::agent
