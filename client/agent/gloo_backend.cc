#include "client/agent/gloo_backend.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/agent/gloo_collectives.h"
#include "client/key_value/gloo_store.h"
#include "gloo/allreduce.h"
#include "gloo/barrier.h"
#include "gloo/rendezvous/context.h"
#include "gloo/transport/tcp/device.h"
#include "lib/base/proto_time.h"
#include "lib/selftest/error_kind.h"
#include "lib/selftest/iterations.h"

namespace muster::agent {
namespace {

using std::chrono::milliseconds;

milliseconds Left(absl::Time deadline) {
  // Gloo takes 0 for "no time-out" in places.
  return std::max(absl::ToChronoMilliseconds(deadline - absl::Now()), milliseconds(1));
}

void Largest(void* out, const void* a, const void* b, size_t n) {
  auto* o = static_cast<int64_t*>(out);
  const auto* x = static_cast<const int64_t*>(a);
  const auto* y = static_cast<const int64_t*>(b);
  for (size_t i = 0; i < n; ++i) o[i] = std::max(x[i], y[i]);
}

// Gloo throws types of several bases; all derive from std::exception.
template <typename Do>
absl::Status Caught(Do run) {
  try {
    run();
    return absl::OkStatus();
  } catch (const std::exception& e) {
    std::string what = e.what();
    // "[enforce fail at /path/file.cc:12] condition. Text": people need the text.
    if (const size_t at = what.rfind("] "); at != std::string::npos) what = what.substr(at + 2);
    return absl::UnavailableError(absl::StrCat("gloo: ", what));
  }
}

class GlooGroup : public OpenGroup {
 public:
  explicit GlooGroup(std::shared_ptr<gloo::rendezvous::Context> context) : context_(std::move(context)) {}

  absl::StatusOr<Measurement> Run(const v1::TestStep& step, const selftest::Payload& payload,
                                  absl::Time deadline) override {
    Measurement measurement;
    const absl::Status status = Caught([&] { measurement = Measure(step, payload, deadline); });
    if (!status.ok()) return status;
    return measurement;
  }

  void Abort() override { context_->closeConnections(); }

 private:
  Measurement Measure(const v1::TestStep& step, const selftest::Payload& payload, absl::Time deadline) {
    Measurement m;
    GlooCollective collective(context_, payload);
    payload.Fill(collective.input());
    for (int i = 1; i < step.warmups(); ++i) collective.Run(Left(deadline));
    const absl::Duration once = RunChecked(collective, payload, deadline, m.data);
    const int32_t iterations = selftest::IterationsWithin(step, AgreedOn(once, deadline));
    for (int32_t i = 0; i < iterations; ++i) {
      const auto start = std::chrono::steady_clock::now();
      collective.Run(Left(deadline));
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
      m.iteration_us.push_back(took.count());
    }
    RunChecked(collective, payload, deadline, m.data);
    return m;
  }

  // A run whose every output element must be written anew; how long it took, the check left out.
  static absl::Duration RunChecked(GlooCollective& collective, const selftest::Payload& payload, absl::Time deadline,
                                   selftest::Payload::Verdict& data) {
    const absl::Span<uint32_t> output = collective.output();
    std::fill(output.begin(), output.end(), selftest::Payload::kUntouched);
    const absl::Time start = absl::Now();
    collective.Run(Left(deadline));
    const absl::Duration took = absl::Now() - start;
    const selftest::Payload::Verdict verdict = payload.Check(output);
    if (data.wrong == 0) data.first = verdict.first;
    data.wrong += verdict.wrong;
    return took;
  }

  // The longest of what the members say. They meet by it, so that the first timed iteration doesn't measure who came
  // late.
  absl::Duration AgreedOn(absl::Duration mine, absl::Time deadline) {
    int64_t longest = absl::ToInt64Microseconds(mine);
    gloo::AllreduceOptions options(context_);
    options.setOutput(&longest, 1);
    options.setReduceFunction(static_cast<void (*)(void*, const void*, const void*, size_t)>(Largest));
    options.setTimeout(Left(deadline));
    gloo::allreduce(options);
    gloo::BarrierOptions meet(context_);
    meet.setTimeout(Left(deadline));
    gloo::barrier(meet);
    return absl::Microseconds(longest);
  }

  const std::shared_ptr<gloo::rendezvous::Context> context_;
};

class GlooBackend : public Backend {
 public:
  explicit GlooBackend(std::string address) : address_(std::move(address)) { signal(SIGPIPE, SIG_IGN); }

  absl::StatusOr<std::unique_ptr<OpenGroup>> Open(const GroupSpec& group, KeyValueClient& exchange,
                                                  absl::Time deadline) override {
    if (device_ == nullptr) {
      if (absl::Status s = OpenDevice(); !s.ok()) return s;
    }
    const auto n = static_cast<int>(group.members.size());
    const milliseconds left = Left(deadline);
    auto context = std::make_shared<gloo::rendezvous::Context>(static_cast<int>(group.position), n);
    context->setTimeout(left);
    // A member that listens waits for its peer without a time-out, so that one that never comes would hold it for ever.
    // Whoever waits in vain is left behind in a thread of its own; the child's end is its end.
    std::packaged_task<absl::Status()> meet([context, left, n, device = device_, &exchange, name = group.Name()] {
      return Caught([&] {
        GlooStore store(exchange, name, n, left);
        auto transport = device;
        context->connectFullMesh(store, transport);
      });
    });
    std::future<absl::Status> met = meet.get_future();
    std::thread(std::move(meet)).detach();
    if (met.wait_for(left) != std::future_status::ready) {
      return absl::DeadlineExceededError("gloo: Timed out waiting for the other members of the group to connect");
    }
    const absl::Status status = met.get();
    if (!status.ok()) return status;
    return std::make_unique<GlooGroup>(std::move(context));
  }

 private:
  absl::Status OpenDevice() {
    gloo::transport::tcp::attr attributes;
    attributes.hostname = address_;
    const absl::Status status = Caught([&] { device_ = gloo::transport::tcp::CreateDevice(attributes); });
    if (status.ok()) return status;
    return absl::InvalidArgumentError(
        absl::StrCat(selftest::kConfigError, "no interface of this node has the address '", address_, "' (",
                     std::string(status.message()), "); give muster-agent the right --address"));
  }

  const std::string address_;
  std::shared_ptr<gloo::transport::Device> device_;
};

}  // namespace

std::unique_ptr<Backend> MakeGlooBackend(const std::string& address) { return std::make_unique<GlooBackend>(address); }

}  // namespace muster::agent
