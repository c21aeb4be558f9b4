#include "client/agent/gloo_collectives.h"

#include <utility>

#include "gloo/allgather.h"
#include "gloo/allreduce.h"
#include "gloo/alltoall.h"
#include "gloo/transport/unbound_buffer.h"

namespace muster::agent {
namespace {

using gloo::transport::UnboundBuffer;

// Slots of our own transfers; Gloo's own collectives use first bytes below 0x10.
constexpr uint64_t kForward = uint64_t{0x70} << 56;
constexpr uint64_t kBackward = uint64_t{0x71} << 56;

void Sum(void* out, const void* a, const void* b, size_t n) {
  auto* o = static_cast<uint32_t*>(out);
  const auto* x = static_cast<const uint32_t*>(a);
  const auto* y = static_cast<const uint32_t*>(b);
  for (size_t i = 0; i < n; ++i) o[i] = x[i] + y[i];
}

}  // namespace

// Buffers registered with the context for point-to-point transfers: at most one operation pending on each.
class GlooCollective::Transfers {
 public:
  Transfers(gloo::Context& context, GlooCollective& owner) : n_(context.size), self_(context.rank) {
    const auto wrap = [&](std::vector<uint32_t>& v) {
      return context.createUnboundBuffer(v.data(), v.size() * sizeof(uint32_t));
    };
    for (auto& b : {&to_next_, &to_previous_}) *b = wrap(owner.input_);
    for (auto& b : {&from_previous_, &from_next_}) *b = wrap(owner.output_);
    for (int i : {0, 1}) {
      if (owner.sums_[i].empty()) continue;
      sum_in_[i] = wrap(owner.sums_[i]);
      sum_out_[i] = wrap(owner.sums_[i]);
    }
  }

  int next() const { return (self_ + 1) % n_; }
  int previous() const { return (self_ + n_ - 1) % n_; }

  void Ring(size_t bytes, std::chrono::milliseconds timeout) {
    from_previous_->recv(previous(), kForward, 0, bytes);
    to_next_->send(next(), kForward, 0, bytes);
    to_next_->waitSend(timeout);
    from_previous_->waitRecv(timeout);
  }

  // Both neighbours in the chain, both directions at once.
  void Chain(size_t half, std::chrono::milliseconds timeout) {
    const bool left = self_ > 0, right = self_ + 1 < n_;
    if (left) from_previous_->recv(self_ - 1, kForward, 0, half);
    if (right) from_next_->recv(self_ + 1, kBackward, half, half);
    if (right) to_next_->send(self_ + 1, kForward, 0, half);
    if (left) to_previous_->send(self_ - 1, kBackward, half, half);
    if (right) to_next_->waitSend(timeout);
    if (left) to_previous_->waitSend(timeout);
    if (left) from_previous_->waitRecv(timeout);
    if (right) from_next_->waitRecv(timeout);
  }

  // Step `k` of the reduce-scatter: sends input block `block` (k = 0) or the sum of step k - 1, receives sum k.
  void Pass(int k, size_t block, size_t bytes, std::chrono::milliseconds timeout) {
    UnboundBuffer& in = *sum_in_[k % 2];
    UnboundBuffer& out = k == 0 ? *to_next_ : *sum_out_[(k - 1) % 2];
    in.recv(previous(), kForward, 0, bytes);
    out.send(next(), kForward, k == 0 ? block * bytes : 0, bytes);
    out.waitSend(timeout);
    in.waitRecv(timeout);
  }

 private:
  const int n_, self_;
  std::unique_ptr<UnboundBuffer> to_next_, to_previous_, from_previous_, from_next_, sum_in_[2], sum_out_[2];
};

GlooCollective::GlooCollective(std::shared_ptr<gloo::Context> context, const selftest::Payload& payload)
    : context_(std::move(context)),
      payload_(payload),
      input_(static_cast<size_t>(payload.input_elements())),
      output_(static_cast<size_t>(payload.output_elements())) {
  if (payload.collective() == v1::REDUCE_SCATTER) {
    for (auto& sums : sums_) sums.resize(static_cast<size_t>(payload.block()));
  }
  transfers_ = std::make_unique<Transfers>(*context_, *this);
}

GlooCollective::~GlooCollective() = default;

void GlooCollective::Run(std::chrono::milliseconds timeout) {
  switch (payload_.collective()) {
    case v1::ALL_REDUCE:
      return AllReduce(timeout);
    case v1::ALL_GATHER:
      return AllGather(timeout);
    case v1::REDUCE_SCATTER:
      return ReduceScatter(timeout);
    case v1::ALL_TO_ALL:
      return AllToAll(timeout);
    case v1::RING_SEND_RECV:
      return transfers_->Ring(input_.size() * sizeof(uint32_t), timeout);
    default:
      return transfers_->Chain(input_.size() / 2 * sizeof(uint32_t), timeout);
  }
}

void GlooCollective::AllReduce(std::chrono::milliseconds timeout) {
  gloo::AllreduceOptions options(context_);
  options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
  options.setInput(input_.data(), input_.size());
  options.setOutput(output_.data(), output_.size());
  options.setReduceFunction(Sum);
  options.setTimeout(timeout);
  gloo::allreduce(options);
}

void GlooCollective::AllGather(std::chrono::milliseconds timeout) {
  gloo::AllgatherOptions options(context_);
  options.setInput(input_.data(), input_.size());
  options.setOutput(output_.data(), output_.size());
  options.setTimeout(timeout);
  gloo::allgather(options);
}

void GlooCollective::AllToAll(std::chrono::milliseconds timeout) {
  gloo::AlltoallOptions options(context_);
  options.setInput(input_.data(), input_.size());
  options.setOutput(output_.data(), output_.size());
  options.setTimeout(timeout);
  gloo::alltoall(options);
}

void GlooCollective::ReduceScatter(std::chrono::milliseconds timeout) {
  const auto n = static_cast<int>(payload_.size()), self = static_cast<int>(payload_.position());
  const auto block = static_cast<size_t>(payload_.block());
  for (int k = 0; k < n - 1; ++k) {
    transfers_->Pass(k, static_cast<size_t>((self - 1 - k + n) % n), block * sizeof(uint32_t), timeout);
    const size_t summed = static_cast<size_t>((self - 2 - k + 2 * n) % n);
    uint32_t* sum = k == n - 2 ? output_.data() : sums_[k % 2].data();
    Sum(sum, sums_[k % 2].data(), input_.data() + summed * block, block);
  }
}

}  // namespace muster::agent
