#include "client/agent/test_child.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/time/clock.h"
#include "client/agent/backends.h"
#include "client/agent/child.pb.h"
#include "client/agent/process.h"
#include "client/agent/run_plan.h"
#include "client/key_value/key_value_client.h"
#include "client/rpc/channel.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "google/protobuf/util/delimited_message_util.h"
#include "lib/base/proto_time.h"

namespace muster::agent {
namespace {

// What the parent leaves the child for its last words before it kills.
constexpr absl::Duration kMargin = absl::Seconds(1);

// The plan says what to run: without a backend for it every step has that error.
class NoBackend : public Backend {
 public:
  explicit NoBackend(absl::Status why) : why_(std::move(why)) {}
  absl::StatusOr<std::unique_ptr<OpenGroup>> Open(const GroupSpec&, KeyValueClient&, absl::Time) override {
    return why_;
  }

 private:
  const absl::Status why_;
};

}  // namespace

void TestChildMain(int parent_pid) {
  DieWithParent(parent_pid, SIGKILL);
  // A parent that has gone away is noticed by the write, not by a signal.
  signal(SIGPIPE, SIG_IGN);
  const absl::Time start = absl::Now();
  ChildOrder order;
  if (!order.ParseFromFileDescriptor(STDIN_FILENO)) {
    std::fputs("muster-agent test-child: no readable order on standard input\n", stderr);
    _exit(2);
  }
  v1::Scope scope;
  scope.set_test_id(order.plan().test_id());
  scope.set_round(order.plan().round());
  KeyValueClient exchange(Connect(order.server()), scope);
  auto backend = MakeBackend(order);
  if (!backend.ok()) backend = std::make_unique<NoBackend>(backend.status());
  google::protobuf::io::FileOutputStream results(kResultDescriptor);
  RunPlan(order, **backend, exchange, start + FromProto(order.plan().deadline()) - kMargin,
          [&](const v1::StepResult& result) {
            google::protobuf::util::SerializeDelimitedToZeroCopyStream(result, &results);
            results.Flush();
          });
  // Without destructors: a broken context may wait for its peers.
  _exit(0);
}

}  // namespace muster::agent
