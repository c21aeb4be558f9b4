#include "client/agent/fake_coordinator.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/proto_time.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "proto/muster/v1/key_value_service.grpc.pb.h"
#include "proto/muster/v1/outcome.pb.h"

namespace muster::agent {
namespace {

constexpr std::chrono::seconds kPatience{40};

}  // namespace

struct FakeCoordinator::State {
  // As musterd's errors: with the term.
  grpc::Status Stale(const std::string& why) const {
    v1::OutcomeDetail detail;
    detail.set_outcome(v1::STALE);
    detail.set_term(term);
    v1::StatusDetails details;
    details.add_details()->PackFrom(detail);
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, why, details.SerializeAsString());
  }

  mutable std::mutex mu;
  std::condition_variable changed;
  bool up = false;
  uint64_t term = 0;
  std::map<std::string, int64_t> sessions;  // node uid -> ordinal, of this term
  std::map<std::string, std::vector<v1::Task>> orders;
  std::vector<v1::ReportTaskRequest> reports;
  std::vector<v1::RegisterRequest> registrations;
  std::set<uint64_t> stale;
  std::vector<absl::Time> refused_polls;
  std::map<std::string, std::string> values;  // scope and key -> value

  std::unique_ptr<Service> service;
  std::unique_ptr<Store> store;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

class FakeCoordinator::Service : public v1::AgentService::Service {
 public:
  explicit Service(State& state) : s_(state) {}

  grpc::Status Register(grpc::ServerContext*, const v1::RegisterRequest* request,
                        v1::RegisterResponse* response) override {
    std::lock_guard<std::mutex> lock(s_.mu);
    const std::string& uid = request->node().uid();
    s_.sessions[uid] = request->session().ordinal();
    s_.registrations.push_back(*request);
    s_.changed.notify_all();
    response->mutable_envelope()->set_term(s_.term);
    response->set_node_uid(uid);
    *response->mutable_lease() = ToProto(absl::Seconds(6));
    return grpc::Status::OK;
  }

  grpc::Status NextTask(grpc::ServerContext*, const v1::NextTaskRequest* request,
                        v1::NextTaskResponse* response) override {
    std::unique_lock<std::mutex> lock(s_.mu);
    response->mutable_envelope()->set_term(s_.term);
    std::map<std::string, uint64_t> seen;
    for (const v1::OrderMark& mark : request->seen()) seen[mark.job_uid()] = mark.number();
    const auto until = std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(FromProto(request->poll()));
    while (true) {
      if (!s_.up) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "going away");
      const auto session = s_.sessions.find(request->node_uid());
      if (session == s_.sessions.end() || session->second != request->session().ordinal()) {
        s_.refused_polls.push_back(absl::Now());
        s_.changed.notify_all();
        return s_.Stale("no such session");
      }
      for (const v1::Task& task : s_.orders[request->node_uid()]) {
        if (task.mark().number() > seen[task.mark().job_uid()]) *response->add_tasks() = task;
      }
      if (!response->tasks().empty()) return grpc::Status::OK;
      if (s_.changed.wait_until(lock, until) == std::cv_status::timeout) return grpc::Status::OK;
    }
  }

  grpc::Status ReportTask(grpc::ServerContext*, const v1::ReportTaskRequest* request,
                          v1::ReportTaskResponse* response) override {
    std::lock_guard<std::mutex> lock(s_.mu);
    if (s_.sessions.count(request->node_uid()) == 0) {
      return s_.Stale("no such session");
    }
    if (s_.stale.count(request->mark().number()) > 0) return s_.Stale("that is over");
    response->mutable_envelope()->set_term(s_.term);
    s_.reports.push_back(*request);
    s_.changed.notify_all();
    return grpc::Status::OK;
  }

 private:
  State& s_;
};

class FakeCoordinator::Store : public v1::KeyValueService::Service {
 public:
  explicit Store(State& state) : s_(state) {}

  grpc::Status Set(grpc::ServerContext*, const v1::SetRequest* request, v1::SetResponse*) override {
    std::lock_guard<std::mutex> lock(s_.mu);
    for (const v1::KeyValue& pair : request->pairs()) s_.values[Full(request->scope(), pair.key())] = pair.value();
    s_.changed.notify_all();
    return grpc::Status::OK;
  }

  grpc::Status Wait(grpc::ServerContext* context, const v1::WaitRequest* request, v1::GetResponse* response) override {
    std::unique_lock<std::mutex> lock(s_.mu);
    const auto until = std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(FromProto(request->timeout()));
    while (true) {
      response->Clear();
      for (const std::string& key : request->keys()) {
        const auto at = s_.values.find(Full(request->scope(), key));
        if (at == s_.values.end()) break;
        response->add_entries()->set_found(true);
        response->mutable_entries()->rbegin()->set_value(at->second);
      }
      if (response->entries_size() == request->keys_size()) return grpc::Status::OK;
      if (!s_.up || context->IsCancelled() || s_.changed.wait_until(lock, until) == std::cv_status::timeout) {
        return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "keys are missing");
      }
    }
  }

 private:
  static std::string Full(const v1::Scope& scope, const std::string& key) {
    return absl::StrCat(scope.test_id(), "/", scope.round(), "/", key);
  }

  State& s_;
};

FakeCoordinator::FakeCoordinator() : state_(std::make_unique<State>()) { ComeBack(); }

FakeCoordinator::~FakeCoordinator() { GoAway(); }

std::string FakeCoordinator::address() const { return absl::StrCat("127.0.0.1:", state_->port); }

void FakeCoordinator::ComeBack(int terms) {
  {
    std::lock_guard<std::mutex> lock(state_->mu);
    state_->up = true;
    state_->term += static_cast<uint64_t>(static_cast<int64_t>(terms));
    state_->sessions.clear();
    state_->refused_polls.clear();
  }
  state_->service = std::make_unique<Service>(*state_);
  state_->store = std::make_unique<Store>(*state_);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", state_->port), grpc::InsecureServerCredentials(), &state_->port);
  builder.RegisterService(state_->service.get());
  builder.RegisterService(state_->store.get());
  state_->server = builder.BuildAndStart();
}

void FakeCoordinator::GoAway() {
  {
    std::lock_guard<std::mutex> lock(state_->mu);
    state_->up = false;
    state_->changed.notify_all();
  }
  if (state_->server == nullptr) return;
  state_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  state_->server->Wait();
  state_->server = nullptr;
}

void FakeCoordinator::Order(const std::string& node, v1::Task task) {
  std::lock_guard<std::mutex> lock(state_->mu);
  task.mutable_mark()->set_term(state_->term);
  state_->orders[node].push_back(std::move(task));
  state_->changed.notify_all();
}

bool FakeCoordinator::WaitForReports(const std::function<bool(const std::vector<v1::ReportTaskRequest>&)>& done) {
  std::unique_lock<std::mutex> lock(state_->mu);
  return state_->changed.wait_for(lock, kPatience, [&] { return done(state_->reports); });
}

bool FakeCoordinator::WaitForRegistrations(size_t count) {
  std::unique_lock<std::mutex> lock(state_->mu);
  return state_->changed.wait_for(lock, kPatience, [&] { return state_->registrations.size() >= count; });
}

bool FakeCoordinator::WaitForRefusedPolls(size_t count) {
  std::unique_lock<std::mutex> lock(state_->mu);
  return state_->changed.wait_for(lock, kPatience, [&] { return state_->refused_polls.size() >= count; });
}

void FakeCoordinator::CallStale(uint64_t number) {
  std::lock_guard<std::mutex> lock(state_->mu);
  state_->stale.insert(number);
}

std::vector<absl::Time> FakeCoordinator::refused_polls() const {
  std::lock_guard<std::mutex> lock(state_->mu);
  return state_->refused_polls;
}

std::vector<v1::ReportTaskRequest> FakeCoordinator::reports() const {
  std::lock_guard<std::mutex> lock(state_->mu);
  return state_->reports;
}

std::vector<v1::RegisterRequest> FakeCoordinator::registrations() const {
  std::lock_guard<std::mutex> lock(state_->mu);
  return state_->registrations;
}

}  // namespace muster::agent
