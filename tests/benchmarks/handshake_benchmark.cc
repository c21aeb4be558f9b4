// N blocked GetRank calls released at once: musterd against a bare gRPC server that does the same, in the same run.
//   make bench     (or: handshake_benchmark [N [CHANNELS [PAIRS]]], default 2048 128 3)
// Prints each pair's times and the median ratio of rates; exits 1 if any call stayed without a rank.

#include <grpcpp/grpcpp.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "tests/benchmarks/load.h"
#include "tests/harness/cluster.h"
#include "tests/harness/process.h"

namespace muster::benchmarks {
namespace {

constexpr int kMembersPerNode = 64;

std::string NodeName(int i) { return absl::StrCat("n", i); }

// Nodes without agents of their own: registered once, kept by a long lease.
void RegisterNodes(harness::Cluster& cluster, int count) {
  for (int i = 0; i < count; ++i) {
    v1::RegisterRequest request;
    request.mutable_node()->set_name(NodeName(i));
    request.mutable_node()->set_address("127.0.0.1");
    (*request.mutable_node()->mutable_capacity())["gpu"] = kMembersPerNode;
    request.mutable_session()->set_ordinal(1);
    grpc::ClientContext context;
    v1::RegisterResponse response;
    const grpc::Status status = cluster.agents().Register(&context, request, &response);
    if (!status.ok()) std::fprintf(stderr, "Register: %s\n", status.error_message().c_str());
    // Without coming for orders it would not be given a job.
    v1::NextTaskRequest orders;
    orders.set_node_uid(response.node_uid());
    *orders.mutable_session() = request.session();
    orders.mutable_poll();
    v1::NextTaskResponse none;
    grpc::ClientContext polling;
    if (!cluster.agents().NextTask(&polling, orders, &none).ok()) std::fprintf(stderr, "NextTask failed\n");
  }
}

// A job without a test, whose members others start: `members` of one worker, many on a node.
v1::SubmitRequest WaitingJob(const std::string& name, int members) {
  v1::SubmitRequest request;
  request.set_name(name);
  request.mutable_spec()->set_members(members);
  request.mutable_spec()->set_workers_per_member(1);
  request.mutable_spec()->mutable_placement()->set_members_per_node(std::min(members, kMembersPerNode));
  request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::NONE);
  request.mutable_spec()->mutable_launch()->set_kind(v1::LaunchSpec::EXTERNAL);
  v1::MeshSpec& mesh = *request.mutable_spec()->mutable_mesh();
  mesh.set_dialect("megatron");
  v1::MeshSpec::Axis* tp = mesh.add_axes();
  tp->set_name("tp");
  tp->set_size(8);
  return request;
}

// Each member calls from the node that its rank was placed on.
std::vector<v1::GetRankRequest> Requests(const std::string& job, const v1::Placement& placement) {
  const int members = placement.ranks_size();
  std::vector<v1::GetRankRequest> requests(static_cast<size_t>(members));
  for (int i = 0; i < members; ++i) {
    v1::GetRankRequest& request = requests[static_cast<size_t>(i)];
    request.mutable_job()->set_name(job);
    request.set_pod_index(i);
    request.mutable_incarnation()->set_ordinal(1);
    request.set_node(placement.ranks(i).node());
    request.set_address("127.0.0.1");
    request.mutable_poll()->set_seconds(60);
  }
  return requests;
}

int64_t ResidentBytes(pid_t pid) {
  int64_t pages = 0, resident = 0;
  std::ifstream(absl::StrCat("/proc/", pid, "/statm")) >> pages >> resident;
  return resident * 4096;
}

struct Pair {
  absl::Duration muster, bare;
  int64_t bytes = 0;
};

bool Complete(const LoadResult& result, int members, const char* who) {
  if (result.answered == members) return true;
  std::fprintf(stderr, "%s: %lld of %d answered; %s\n", who, static_cast<long long>(result.answered), members,
               result.errors.empty() ? "" : result.errors[0].c_str());
  return false;
}

int Run(int members, int channels, int pairs) {
  harness::Cluster cluster({"--may-waive", "*", "--agent-lease", "10m"});
  cluster.StartServer();
  const int nodes = (members + kMembersPerNode - 1) / kMembersPerNode;
  // A set for each pair: nodes of a cancelled job stay its own until its members are seen ended, and these never say
  // so.
  RegisterNodes(cluster, nodes * pairs);
  std::printf(
      "%d members, one call each, on %d connections; %d nodes; client and server share this machine's cores\n\n",
      members, channels, nodes);
  std::printf("%4s  %12s  %12s  %22s\n", "PAIR", "MUSTERD ms", "BARE ms", "RATE, MUSTERD/BARE");
  std::vector<double> ratios;
  const int64_t before = ResidentBytes(cluster.server_pid());
  int64_t after = before, answer = 512;
  for (int p = 0; p < pairs; ++p) {
    const std::string job = absl::StrCat("bench-", p);
    cluster.Submit(WaitingJob(job, members));
    const v1::Job assembling = cluster.WaitForPhase(job, v1::ASSEMBLING, absl::Seconds(60));
    if (assembling.phase() != v1::ASSEMBLING) {
      std::fprintf(stderr, "the job is %s: %s\n", v1::Phase_Name(assembling.phase()).c_str(), assembling.why().c_str());
      return 1;
    }
    const LoadResult muster =
        Burst(cluster.address(), Requests(job, assembling.placement()), channels, absl::Minutes(2));
    if (!Complete(muster, members, "musterd")) return 1;
    after = std::max(after, ResidentBytes(cluster.server_pid()));
    answer = muster.largest_answer;

    const std::string ports = harness::NewFolder("bare") + "/port";
    harness::Process bare = harness::Process::Start(
        {harness::Binary("tests/benchmarks/bare_server"), absl::StrCat(members), absl::StrCat(answer), ports},
        ports + ".log");
    harness::Eventually([&] { return !harness::ReadFile(ports).empty(); });
    const std::string port(absl::StripAsciiWhitespace(harness::ReadFile(ports)));
    const LoadResult peer =
        Burst(absl::StrCat("127.0.0.1:", port), Requests(job, assembling.placement()), channels, absl::Minutes(2));
    if (!Complete(peer, members, "bare server")) return 1;
    bare.Signal(SIGTERM);
    bare.Wait(absl::Seconds(10));
    std::filesystem::remove_all(std::filesystem::path(ports).parent_path());

    ratios.push_back(absl::FDivDuration(peer.took, muster.took));
    std::printf("%4d  %12.0f  %12.0f  %22.2f\n", p + 1, absl::ToDoubleMilliseconds(muster.took),
                absl::ToDoubleMilliseconds(peer.took), ratios.back());
    cluster.Cancel(job);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("\nratio of rates, median: %.2f   assignment: %lld bytes   musterd's memory: %.1f KB a member\n",
              ratios[ratios.size() / 2], static_cast<long long>(answer),
              static_cast<double>(after - before) / 1024 / members);
  return 0;
}

}  // namespace
}  // namespace muster::benchmarks

int main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const int members = argc > 1 ? std::atoi(argv[1]) : 2048;
  const int channels = argc > 2 ? std::atoi(argv[2]) : 128;
  const int pairs = argc > 3 ? std::atoi(argv[3]) : 3;
  if (members < 8 || members > 100000 || members % 8 != 0 || channels < 1 || channels > 4096 || pairs < 1 ||
      pairs > 99) {
    std::fprintf(stderr,
                 "usage: handshake_benchmark [N: multiple of 8, at most 100000 [CHANNELS: at most 4096 [PAIRS]]]\n");
    return 2;
  }
  return muster::benchmarks::Run(members, channels, pairs);
}
