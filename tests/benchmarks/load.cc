#include "tests/benchmarks/load.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/mutex.h"

namespace muster::benchmarks {
namespace {

class Crowd {
 public:
  Crowd(const std::string& address, const std::vector<v1::GetRankRequest>& requests, int channels,
        absl::Duration deadline)
      : requests_(requests), until_(absl::Now() + deadline), left_(requests.size()) {
    for (int i = 0; i < channels; ++i) {
      grpc::ChannelArguments args;
      args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      stubs_.push_back(
          v1::WorkerService::NewStub(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), args)));
    }
    for (size_t i = 0; i < requests.size(); ++i) calls_.push_back(std::make_unique<Call>());
  }

  LoadResult Run() {
    const absl::Time start = absl::Now();
    for (size_t i = 0; i < calls_.size(); ++i) Send(i);
    {
      MutexLock lock(&mu_);
      while (left_ > 0) done_.Wait(&mu_);
    }
    result_.took = absl::Now() - start;
    return result_;
  }

 private:
  struct Call {
    std::unique_ptr<grpc::ClientContext> context;
    v1::GetRankResponse response;
  };

  void Send(size_t i) {
    Call& call = *calls_[i];
    call.context = std::make_unique<grpc::ClientContext>();
    call.context->set_deadline(absl::ToChronoTime(until_));
    stubs_[i % stubs_.size()]->async()->GetRank(call.context.get(), &requests_[i], &call.response,
                                                [this, i](const grpc::Status& status) { Answered(i, status); });
  }

  void Answered(size_t i, const grpc::Status& status) {
    const v1::GetRankResponse& response = calls_[i]->response;
    const bool again = status.ok() ? !response.has_assignment()
                                   : status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                                         status.error_code() == grpc::StatusCode::UNAVAILABLE;
    if (again && absl::Now() < until_) {
      {
        MutexLock lock(&mu_);
        ++result_.calls;
      }
      return Send(i);
    }
    MutexLock lock(&mu_);
    ++result_.calls;
    if (status.ok() && response.has_assignment()) {
      ++result_.answered;
      result_.largest_answer =
          std::max<int64_t>(result_.largest_answer, static_cast<int64_t>(response.assignment().size()));
    } else if (result_.errors.size() < 3) {
      result_.errors.push_back(absl::StrCat(status.error_code(), " ", status.error_message()));
    }
    if (--left_ == 0) done_.NotifyAll();
  }

  const std::vector<v1::GetRankRequest>& requests_;
  const absl::Time until_;
  std::vector<std::unique_ptr<v1::WorkerService::Stub>> stubs_;
  std::vector<std::unique_ptr<Call>> calls_;
  Mutex mu_;
  CondVar done_;
  size_t left_ ABSL_GUARDED_BY(mu_);
  LoadResult result_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

LoadResult Burst(const std::string& address, const std::vector<v1::GetRankRequest>& requests, int channels,
                 absl::Duration deadline) {
  return Crowd(address, requests, channels, deadline).Run();
}

}  // namespace muster::benchmarks
