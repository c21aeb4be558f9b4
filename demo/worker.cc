// What the demo's job runs in place of a training script: every worker forms each group that it was handed, with Gloo
// over the coordinator's key-value calls, runs one all-reduce, one all-gather and one ring of send and receive in it,
// and checks the results against what the coordinates imply. Knows nothing but its environment.

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "client/key_value/gloo_store.h"
#include "client/key_value/key_value_client.h"
#include "client/rpc/channel.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kTimeout(30000);
constexpr uint64_t kRingSlot = 7;

std::string Env(const char* name) {
  const char* value = std::getenv(name);
  if (!value) throw std::runtime_error(absl::StrCat(name, " is not set; start this under muster exec"));
  return value;
}

// Fails the worker with what it expected.
template <typename T>
void Expect(const T& got, const T& want, const std::string& what) {
  if (got != want)
    throw std::runtime_error(
        absl::StrCat(what, ": got ", Json(got).dump(), ", the coordinates imply ", Json(want).dump()));
}

// The coordinates of one worker, in the order of the axes.
using Coordinates = std::map<std::string, int64_t>;

struct Self {
  int64_t rank = 0;
  Coordinates coordinates;
  std::vector<std::string> axes;
};

class GroupCheck {
 public:
  GroupCheck(const Self& self, std::string family, std::vector<int64_t> members, int64_t position,
             KeyValueClient& store, std::shared_ptr<gloo::transport::Device>& device)
      : self_(self),
        family_(std::move(family)),
        members_(std::move(members)),
        position_(position),
        context_(std::make_shared<gloo::rendezvous::Context>(static_cast<int>(position),
                                                             static_cast<int>(members_.size()))) {
    context_->setTimeout(kTimeout);
    GlooStore rendezvous(store, absl::StrCat("demo/", family_, "/", members_.front(), "/"),
                         static_cast<int>(members_.size()), kTimeout);
    context_->connectFullMesh(rendezvous, device);
  }

  void Run() {
    AllReduce();
    AllGather();
    Ring();
  }

 private:
  // Σ (rank + 1) over the members.
  void AllReduce() {
    int64_t mine = self_.rank + 1, sum = 0, want = 0;
    for (int64_t member : members_) want += member + 1;
    gloo::AllreduceOptions options(context_);
    options.setInput(&mine, 1);
    options.setOutput(&sum, 1);
    options.setReduceFunction(static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<int64_t>));
    gloo::allreduce(options);
    Expect(sum, want, absl::StrCat(family_, " all-reduce"));
  }

  // Everybody's rank and coordinates: on the family's own axis they count up, on all others they agree.
  void AllGather() {
    const size_t width = 1 + self_.axes.size();
    std::vector<int64_t> mine = {self_.rank};
    for (const std::string& axis : self_.axes) mine.push_back(self_.coordinates.at(axis));
    std::vector<int64_t> all(width * members_.size());
    gloo::AllgatherOptions options(context_);
    options.setInput(mine.data(), mine.size());
    options.setOutput(all.data(), all.size());
    gloo::allgather(options);
    const bool one_axis = self_.coordinates.contains(family_);
    for (size_t j = 0; j < members_.size(); ++j) {
      Expect(all[j * width], members_[j], absl::StrCat(family_, " all-gather, member ", j));
      for (size_t a = 0; one_axis && a < self_.axes.size(); ++a) {
        const int64_t want = self_.axes[a] == family_ ? static_cast<int64_t>(j) : mine[a + 1];
        Expect(all[j * width + a + 1], want,
               absl::StrCat(family_, " all-gather, coordinate ", self_.axes[a], " of member ", j));
      }
    }
  }

  // Each sends its rank to the next one and receives that of the one before.
  void Ring() {
    const int n = static_cast<int>(members_.size()), self = static_cast<int>(position_);
    const int next = (self + 1) % n, previous = (self + n - 1) % n;
    int64_t out = self_.rank, in = -1;
    auto send = context_->createUnboundBuffer(&out, sizeof(out));
    auto receive = context_->createUnboundBuffer(&in, sizeof(in));
    receive->recv(previous, kRingSlot);
    send->send(next, kRingSlot);
    receive->waitRecv();
    send->waitSend();
    Expect(in, members_[static_cast<size_t>(previous)], absl::StrCat(family_, " send/recv"));
  }

  const Self& self_;
  const std::string family_;
  const std::vector<int64_t> members_;
  const int64_t position_;
  std::shared_ptr<gloo::rendezvous::Context> context_;
};

void Run() {
  Self self;
  self.rank = std::stoll(Env("RANK"));
  const Json coordinates = Json::parse(Env("MUSTER_COORDINATES"));
  for (const auto& [axis, index] : coordinates.items()) {
    self.axes.push_back(axis);
    self.coordinates[axis] = index.get<int64_t>();
  }

  v1::Scope scope;
  scope.set_job_uid(Env("MUSTER_JOB_UID"));
  scope.set_attempt(std::stoi(Env("MUSTER_ATTEMPT")));
  scope.set_epoch(std::stoll(Env("MUSTER_EPOCH")));
  KeyValueClient store(Connect(Env("MUSTER_SERVER")), scope);

  gloo::transport::tcp::attr attr;
  const char* address = std::getenv("MUSTER_ADDRESS");
  attr.hostname = address && *address ? address : "127.0.0.1";
  std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(attr);

  // All in the order in which they were handed out: the same on every worker. Kept until the end, so that nobody's
  // peers vanish.
  std::vector<GroupCheck> groups;
  std::vector<std::string> names;
  const Json handed_out = Json::parse(Env("MUSTER_GROUPS"));
  for (const auto& [family, group] : handed_out.items()) {
    if (group.at("size").get<int64_t>() < 2) continue;
    groups.emplace_back(self, family, group.at("members").get<std::vector<int64_t>>(), group.at("rank").get<int64_t>(),
                        store, device);
    names.push_back(family);
  }
  for (GroupCheck& group : groups) group.Run();

  // Leave together: who leaves early closes its peers' connections.
  const int64_t world = std::stoll(Env("WORLD_SIZE"));
  if (auto done = store.Set({{absl::StrCat("demo/done/", self.rank), "1"}}); !done.ok())
    throw std::runtime_error(done.ToString());
  std::vector<std::string> keys;
  for (int64_t r = 0; r < world; ++r) keys.push_back(absl::StrCat("demo/done/", r));
  if (auto all = store.Wait(keys, absl::Seconds(60)); !all.ok()) throw std::runtime_error(all.status().ToString());

  std::vector<std::string> at;
  for (const std::string& axis : self.axes) at.push_back(absl::StrCat(axis, " ", self.coordinates[axis]));
  std::printf("rank %lld of %lld on %s  %s  groups: %s  all-reduce, all-gather, send/recv ok\n",
              static_cast<long long>(self.rank), static_cast<long long>(world), Env("MUSTER_NODE").c_str(),
              absl::StrJoin(at, ", ").c_str(), absl::StrJoin(names, " ").c_str());
}

}  // namespace
}  // namespace muster

int main() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  signal(SIGPIPE, SIG_IGN);  // Gloo writes to peers that may be gone
  try {
    muster::Run();
    return 0;
  } catch (const std::exception& error) {
    const char* rank = std::getenv("RANK");
    std::fprintf(stderr, "rank %s: %s\n", rank ? rank : "?", error.what());
    return 1;
  }
}
