#include "tests/harness/cluster.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

namespace muster::harness {
namespace {

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
}

[[noreturn]] void Die(Cluster& cluster, const std::string& why) {
  std::fprintf(stderr, "%s\n%s\n", why.c_str(), cluster.Logs().c_str());
  std::abort();
}

}  // namespace

absl::Status ToAbsl(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

Cluster::Cluster(std::vector<std::string> server_flags)
    : server_flags_(std::move(server_flags)), folder_(NewFolder("cluster")) {}

Cluster::~Cluster() {
  agents_running_.clear();
  server_.reset();
  if (testing::Test::HasFailure()) {
    std::fprintf(stderr, "logs and data of the failed test: %s\n%s\n", folder_.c_str(), Logs().c_str());
  } else {
    std::filesystem::remove_all(folder_);
  }
}

void Cluster::StartServer() {
  const std::string port_file = folder_ + "/ports";
  std::filesystem::remove(port_file);
  std::vector<std::string> command = {Binary("server/main/musterd"),
                                      "--listen",
                                      listen_,
                                      "--metrics",
                                      "127.0.0.1:0",
                                      "--data",
                                      folder_ + "/data",
                                      "--port-file",
                                      port_file};
  command.insert(command.end(), server_flags_.begin(), server_flags_.end());
  server_ = std::make_unique<Process>(Process::Start(command, folder_ + "/musterd.log"));
  const bool up = Eventually([&] { return !ReadFile(port_file).empty() || !server_->Running(); });
  // "grpc=PORT" and "metrics=PORT", a line each.
  std::map<std::string, std::string> ports;
  for (absl::string_view line : absl::StrSplit(ReadFile(port_file), '\n', absl::SkipEmpty())) {
    ports.insert(absl::StrSplit(line, absl::MaxSplits('=', 1)));
  }
  if (!up || ports["grpc"].empty()) Die(*this, "musterd did not start");
  metrics_address_ = absl::StrCat("127.0.0.1:", ports["metrics"]);
  if (!address_.empty()) {
    // Whoever calls next is not to meet the channel in its back-off.
    channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(30));
    return;
  }
  address_ = absl::StrCat("127.0.0.1:", ports["grpc"]);
  listen_ = address_;  // a restarted one listens where its clients look for it
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  channel_ = grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), args);
  jobs_ = v1::JobService::NewStub(channel_);
  workers_ = v1::WorkerService::NewStub(channel_);
  nodes_ = v1::NodeService::NewStub(channel_);
  receipts_ = v1::ReceiptService::NewStub(channel_);
  agents_ = v1::AgentService::NewStub(channel_);
  self_tests_ = v1::SelfTestService::NewStub(channel_);
  key_values_ = v1::KeyValueService::NewStub(channel_);
}

void Cluster::KillServer() {
  server_->Signal(SIGKILL);
  server_->Wait(absl::Seconds(10));
}

int Cluster::StopServer(absl::Duration deadline) {
  server_->Signal(SIGTERM);
  return server_->Wait(deadline).value_or(-1);
}

void Cluster::StartAgent(const NodeSpec& node) {
  std::vector<std::string> command = {Binary("client/agent/muster-agent"),
                                      "--server",
                                      address_,
                                      "--node-name",
                                      node.name,
                                      "--label",
                                      absl::StrCat("topology.muster.dev/block=", node.block),
                                      "--label",
                                      absl::StrCat("topology.muster.dev/rack=", node.rack),
                                      "--address",
                                      "127.0.0.1",
                                      "--gpus",
                                      absl::StrCat(node.slots),
                                      "--data",
                                      absl::StrCat(folder_, "/agent-", node.name),
                                      "--muster-binary",
                                      node.muster.empty() ? Binary("client/cli/muster") : node.muster,
                                      "--allow-launch"};
  command.insert(command.end(), node.flags.begin(), node.flags.end());
  agents_running_.erase(node.name);
  agents_running_.emplace(node.name, Process::Start(command, absl::StrCat(folder_, "/agent-", node.name, ".log")));
}

void Cluster::KillAgent(const std::string& name) {
  Process& agent = agents_running_.at(name);
  agent.Signal(SIGKILL);
  agent.Wait(absl::Seconds(10));
}

int Cluster::StopAgent(const std::string& name, absl::Duration deadline) {
  Process& agent = agents_running_.at(name);
  agent.Signal(SIGTERM);
  return agent.Wait(deadline).value_or(-1);
}

void Cluster::PauseAgent(const std::string& name) { agents_running_.at(name).Signal(SIGSTOP); }

void Cluster::ResumeAgent(const std::string& name) { agents_running_.at(name).Signal(SIGCONT); }

bool Cluster::WaitForNodes(int count) {
  return Eventually([&] {
    grpc::ClientContext context;
    SetDeadline(context);
    v1::ListNodesRequest request;
    request.set_page_size(1000);
    v1::ListNodesResponse response;
    if (!nodes_->List(&context, request, &response).ok()) return false;
    int ok = 0;
    for (const v1::Node& node : response.nodes()) ok += node.condition() == v1::NODE_OK;
    return ok >= count;
  });
}

template <typename Call>
absl::Status Cluster::Retrying(Call call) {
  absl::Status status;
  Eventually([&] {
    grpc::ClientContext context;
    SetDeadline(context);
    status = ToAbsl(call(context));
    return !absl::IsUnavailable(status);
  });
  return status;
}

absl::Status Cluster::TrySubmit(const v1::SubmitRequest& request) {
  v1::SubmitResponse response;
  return Retrying([&](grpc::ClientContext& context) { return jobs_->Submit(&context, request, &response); });
}

v1::Job Cluster::Submit(const v1::SubmitRequest& request) {
  v1::SubmitResponse response;
  const absl::Status status =
      Retrying([&](grpc::ClientContext& context) { return jobs_->Submit(&context, request, &response); });
  if (!status.ok()) Die(*this, status.ToString());
  return response.job();
}

v1::Job Cluster::Get(const std::string& name) {
  v1::GetJobRequest request;
  request.mutable_job()->set_name(name);
  v1::Job job;
  const absl::Status status =
      Retrying([&](grpc::ClientContext& context) { return jobs_->Get(&context, request, &job); });
  EXPECT_TRUE(status.ok()) << status;
  return job;
}

v1::Job Cluster::Cancel(const std::string& name) {
  v1::CancelJobRequest request;
  request.mutable_job()->set_name(name);
  v1::Job job;
  const absl::Status status =
      Retrying([&](grpc::ClientContext& context) { return jobs_->Cancel(&context, request, &job); });
  EXPECT_TRUE(status.ok()) << status;
  return job;
}

v1::Node Cluster::GetNode(const std::string& name) {
  v1::GetNodeRequest request;
  request.set_name(name);
  v1::Node node;
  const absl::Status status =
      Retrying([&](grpc::ClientContext& context) { return nodes_->Get(&context, request, &node); });
  EXPECT_TRUE(status.ok()) << status;
  return node;
}

v1::Receipt Cluster::GetReceipt(const std::string& id) {
  v1::GetReceiptRequest request;
  request.set_id(id);
  v1::Receipt receipt;
  const absl::Status status =
      Retrying([&](grpc::ClientContext& context) { return receipts_->Get(&context, request, &receipt); });
  EXPECT_TRUE(status.ok()) << status;
  return receipt;
}

v1::Job Cluster::WaitForPhase(const std::string& name, v1::Phase phase, absl::Duration deadline) {
  v1::Job job;
  Eventually(
      [&] {
        job = Get(name);
        return job.phase() == phase || job.phase() == v1::FINISHED;
      },
      deadline);
  return job;
}

v1::Job Cluster::WaitForEnd(const std::string& name, absl::Duration deadline) {
  return WaitForPhase(name, v1::FINISHED, deadline);
}

std::string Cluster::Logs() {
  std::string logs = absl::StrCat("--- musterd\n", ReadFile(folder_ + "/musterd.log"));
  for (const auto& [name, process] : agents_running_) {
    absl::StrAppend(&logs, "--- agent ", name, "\n", ReadFile(absl::StrCat(folder_, "/agent-", name, ".log")),
                    MemberOutput(name));
  }
  return logs;
}

std::string Cluster::MemberOutput(const std::string& node) {
  std::string output;
  std::error_code error;
  const std::string logs = absl::StrCat(folder_, "/agent-", node, "/logs");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(logs, error)) {
    if (entry.path().filename() == "out") output += ReadFile(entry.path().string());
  }
  return output;
}

v1::SubmitRequest AgentJob(const std::string& name, int members, int workers,
                           const std::map<std::string, int64_t>& axes, const std::vector<std::string>& command) {
  v1::SubmitRequest request;
  request.set_namespace_("default");
  request.set_name(name);
  v1::JobSpec& spec = *request.mutable_spec();
  spec.set_members(members);
  spec.set_workers_per_member(workers);
  spec.mutable_mesh()->set_dialect("megatron");
  for (const auto& [axis, size] : axes) {
    v1::MeshSpec::Axis* one = spec.mutable_mesh()->add_axes();
    one->set_name(axis);
    one->set_size(size);
  }
  spec.mutable_launch()->set_kind(v1::LaunchSpec::AGENT);
  for (const std::string& word : command) spec.mutable_launch()->add_command(word);
  return request;
}

v1::SubmitRequest ExternalJob(const std::string& name, int members, int workers,
                              const std::map<std::string, int64_t>& axes) {
  v1::SubmitRequest request = AgentJob(name, members, workers, axes, {});
  request.mutable_spec()->mutable_launch()->set_kind(v1::LaunchSpec::EXTERNAL);
  request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::NONE);
  return request;
}

}  // namespace muster::harness
