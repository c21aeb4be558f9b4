#pragma once
// A coordinator that answers from what a test put in, and writes down what it was asked.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/coordinator.h"

namespace muster::cli {

// Shared by a test and the connection that the command makes.
struct FakeState {
  // By "namespace/name".
  std::map<std::string, v1::Job> jobs;
  std::map<std::string, v1::Node> nodes;
  std::map<std::string, v1::Receipt> receipts;
  v1::PlanResponse plan;
  v1::Explanation explanation;
  v1::CompareReceiptsResponse comparison;
  // What each Watch sends, stream by stream, and how the stream ends.
  struct JobStream {
    std::vector<v1::Job> jobs;
    absl::Status end;
  };
  std::vector<JobStream> job_streams;
  std::vector<v1::SelfTestProgress> test_stream;
  // Every call fails with it while it isn't OK.
  absl::Status error;
  // "Cancel job { … } reason: …", call by call.
  std::vector<std::string> calls;
  // As Context::connect was given it.
  std::string server;
};

class FakeCoordinator final : public Coordinator {
 public:
  explicit FakeCoordinator(FakeState& state) : state_(state) {}

  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& r) override {
    if (absl::Status failed = Note("Submit", r); !failed.ok()) return failed;
    v1::SubmitResponse response;
    v1::Job& job = *response.mutable_job();
    job.set_uid("job-00000000000000a1");
    job.set_namespace_(r.namespace_());
    job.set_name(r.name());
    *job.mutable_spec() = r.spec();
    job.set_phase(v1::QUEUED);
    job.set_why("waits for its turn");
    state_.jobs[absl::StrCat(r.namespace_(), "/", r.name())] = job;
    return response;
  }
  absl::StatusOr<v1::Job> GetJob(const v1::GetJobRequest& r) override { return Job("GetJob", r, r.job()); }
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& r) override {
    v1::ListJobsResponse response;
    for (const auto& [name, job] : state_.jobs) {
      if (r.include_finished() || job.phase() != v1::FINISHED) *response.add_jobs() = job;
    }
    return Answer("ListJobs", r, response);
  }
  absl::StatusOr<v1::Job> Cancel(const v1::CancelJobRequest& r) override {
    absl::StatusOr<v1::Job> job = Job("Cancel", r, r.job());
    if (job.ok()) job->set_phase(v1::STOPPING);
    return job;
  }
  absl::StatusOr<v1::PlanResponse> Plan(const v1::PlanRequest& r) override { return Answer("Plan", r, state_.plan); }
  absl::StatusOr<v1::Explanation> Explain(const v1::ExplainRequest& r) override {
    const absl::StatusOr<v1::Job> job = Job("Explain", r, r.job());
    if (!job.ok()) return job.status();
    return state_.explanation;
  }

  absl::StatusOr<v1::ListNodesResponse> ListNodes(const v1::ListNodesRequest& r) override {
    v1::ListNodesResponse response;
    for (const auto& [name, node] : state_.nodes) *response.add_nodes() = node;
    return Answer("ListNodes", r, response);
  }
  absl::StatusOr<v1::Node> GetNode(const v1::GetNodeRequest& r) override { return Node("GetNode", r, r.name()); }
  absl::StatusOr<v1::Node> Quarantine(const v1::QuarantineRequest& r) override {
    absl::StatusOr<v1::Node> node = Node("Quarantine", r, r.name());
    if (node.ok()) node->set_condition(v1::QUARANTINED), node->set_reason(r.reason());
    return node;
  }
  absl::StatusOr<v1::Node> Readmit(const v1::ReadmitRequest& r) override { return Node("Readmit", r, r.name()); }
  absl::StatusOr<v1::Node> Drain(const v1::DrainRequest& r) override {
    absl::StatusOr<v1::Node> node = Node("Drain", r, r.name());
    if (node.ok()) node->set_condition(v1::DRAINING), node->set_reason(r.reason());
    return node;
  }

  absl::StatusOr<v1::Receipt> GetReceipt(const v1::GetReceiptRequest& r) override {
    return Receipt("GetReceipt", r, r.id());
  }
  absl::StatusOr<v1::ListReceiptsResponse> ListReceipts(const v1::ListReceiptsRequest& r) override {
    v1::ListReceiptsResponse response;
    for (const auto& [id, receipt] : state_.receipts) *response.add_receipts() = receipt;
    return Answer("ListReceipts", r, response);
  }
  absl::StatusOr<v1::CompareReceiptsResponse> Compare(const v1::CompareReceiptsRequest& r) override {
    return Answer("Compare", r, state_.comparison);
  }
  absl::StatusOr<v1::Receipt> Annotate(const v1::AnnotateReceiptRequest& r) override {
    absl::StatusOr<v1::Receipt> receipt = Receipt("Annotate", r, r.id());
    if (receipt.ok()) receipt->mutable_annotations()->insert(r.annotations().begin(), r.annotations().end());
    return receipt;
  }

  absl::StatusOr<v1::StartSelfTestResponse> StartSelfTest(const v1::StartSelfTestRequest& r) override {
    v1::StartSelfTestResponse response;
    response.mutable_job()->set_uid("job-00000000000000b2");
    response.mutable_job()->set_namespace_("default");
    response.mutable_job()->set_name("selftest-1");
    return Answer("StartSelfTest", r, response);
  }
  absl::Status WatchJob(const v1::WatchJobRequest& r, absl::Time,
                        const std::function<void(const v1::Job&)>& on_change) override {
    if (absl::Status failed = Note("WatchJob", r); !failed.ok()) return failed;
    if (state_.job_streams.empty()) return absl::NotFoundError("no such job");
    const FakeState::JobStream stream = state_.job_streams.front();
    state_.job_streams.erase(state_.job_streams.begin());
    for (const v1::Job& job : stream.jobs) on_change(job);
    return stream.end;
  }
  absl::Status WatchSelfTest(const v1::WatchSelfTestRequest& r, absl::Time,
                             const std::function<void(const v1::SelfTestProgress&)>& on_change) override {
    if (absl::Status failed = Note("WatchSelfTest", r); !failed.ok()) return failed;
    for (const v1::SelfTestProgress& progress : state_.test_stream) on_change(progress);
    return absl::OkStatus();
  }

 private:
  absl::Status Note(const std::string& method, const google::protobuf::Message& request) {
    state_.calls.push_back(absl::StrCat(method, " ", request.ShortDebugString()));
    return state_.error;
  }
  template <typename T>
  absl::StatusOr<T> Answer(const std::string& method, const google::protobuf::Message& request, const T& answer) {
    if (absl::Status failed = Note(method, request); !failed.ok()) return failed;
    return answer;
  }
  template <typename T>
  absl::StatusOr<T> Named(const std::string& method, const google::protobuf::Message& request,
                          const std::map<std::string, T>& all, const std::string& kind, const std::string& name) {
    if (absl::Status failed = Note(method, request); !failed.ok()) return failed;
    const auto found = all.find(name);
    if (found == all.end()) return absl::NotFoundError(absl::StrCat("no ", kind, " is called ", name));
    return found->second;
  }
  absl::StatusOr<v1::Job> Job(const std::string& method, const google::protobuf::Message& request,
                              const v1::JobRef& ref) {
    return Named(method, request, state_.jobs, "job", absl::StrCat(ref.namespace_(), "/", ref.name()));
  }
  absl::StatusOr<v1::Node> Node(const std::string& method, const google::protobuf::Message& request,
                                const std::string& name) {
    return Named(method, request, state_.nodes, "node", name);
  }
  absl::StatusOr<v1::Receipt> Receipt(const std::string& method, const google::protobuf::Message& request,
                                      const std::string& id) {
    return Named(method, request, state_.receipts, "receipt", id);
  }

  FakeState& state_;
};

}  // namespace muster::cli
