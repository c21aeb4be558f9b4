#pragma once
// A server stream that follows a job: one message in flight, and of those that come meanwhile only the newest.

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "lib/base/mutex.h"
#include "server/core/job_watchers.h"
#include "server/services/call.h"

namespace muster::services {

template <typename Message>
class JobStream final : public grpc::ServerWriteReactor<Message> {
 public:
  // Makes of a job the message, and says whether it is the last one.
  using Convert = std::function<std::pair<Message, bool>(const v1::Job&)>;

  JobStream(Backend& backend, const char* method, Convert convert)
      : backend_(backend),
        id_(backend.coordinator.NewCall()),
        end_(backend, method),
        convert_(std::move(convert)),
        sink_(std::make_shared<Sink>(this)) {}

  // Begins with what `check` says of the request.
  void Begin(const absl::Status& check, const v1::JobRef& job) {
    if (!check.ok()) return sink_->Done(check);
    v1::WatchJobRequest request;
    *request.mutable_job() = job;
    backend_.coordinator.WatchJob(id_, std::move(request), sink_);
  }

  void OnWriteDone(bool ok) override { sink_->Written(ok); }
  void OnCancel() override {
    backend_.coordinator.Abandon(id_);
    sink_->Done(absl::CancelledError("the caller has gone"));
  }
  void OnDone() override {
    sink_->Detach();
    delete this;
  }

 private:
  // Outlives the stream for as long as the core holds it.
  class Sink final : public core::JobSink {
   public:
    explicit Sink(JobStream* stream) : stream_(stream) {}

    void Send(std::shared_ptr<const v1::Job> job) override {
      MutexLock lock(&mu_);
      if (stream_ == nullptr || done_) return;
      auto [message, last] = stream_->convert_(*job);
      next_ = std::move(message);
      if (last) done_ = absl::OkStatus();
      Go();
    }
    void Done(const absl::Status& status) override {
      MutexLock lock(&mu_);
      if (stream_ == nullptr || done_) return;
      done_ = status;
      Go();
    }
    void Written(bool ok) {
      MutexLock lock(&mu_);
      writing_ = false;
      if (!ok && !done_) done_ = absl::CancelledError("the caller has gone");
      if (!ok) next_.reset();
      Go();
    }
    void Detach() {
      MutexLock lock(&mu_);
      stream_ = nullptr;
    }

   private:
    // Both calls return at once; their completions come on another thread.
    void Go() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
      if (stream_ == nullptr || writing_ || finished_) return;
      if (next_) {
        stream_->message_ = *std::move(next_);
        next_.reset();
        writing_ = true;
        stream_->StartWrite(&stream_->message_);
      } else if (done_) {
        finished_ = true;
        stream_->Finish(stream_->end_(*done_));
      }
    }

    Mutex mu_;
    JobStream* stream_ ABSL_GUARDED_BY(mu_);
    std::optional<Message> next_ ABSL_GUARDED_BY(mu_);
    std::optional<absl::Status> done_ ABSL_GUARDED_BY(mu_);
    bool writing_ ABSL_GUARDED_BY(mu_) = false;
    bool finished_ ABSL_GUARDED_BY(mu_) = false;
  };

  Backend& backend_;
  const core::CallId id_;
  const CallEnd end_;
  const Convert convert_;
  Message message_;
  const std::shared_ptr<Sink> sink_;
};

}  // namespace muster::services
