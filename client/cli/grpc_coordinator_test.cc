#include "client/cli/grpc_coordinator.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "lib/base/errors.h"
#include "proto/muster/v1/job_service.grpc.pb.h"

namespace muster::cli {
namespace {

// Knows one job; its watch sends two states.
class OneJob final : public v1::JobService::Service {
  grpc::Status Get(grpc::ServerContext*, const v1::GetJobRequest* request, v1::Job* job) override {
    if (request->job().name() == "one") {
      job->set_name("one");
      return grpc::Status::OK;
    }
    v1::OutcomeDetail detail;
    detail.set_outcome(v1::UNKNOWN_JOB);
    detail.set_way_out("look again");
    v1::StatusDetails details;
    details.add_details()->PackFrom(detail);
    return {grpc::StatusCode::NOT_FOUND, "no such job; look again", details.SerializeAsString()};
  }
  grpc::Status Watch(grpc::ServerContext*, const v1::WatchJobRequest* request,
                     grpc::ServerWriter<v1::Job>* writer) override {
    if (request->job().name() != "one") return {grpc::StatusCode::NOT_FOUND, "no such job"};
    v1::Job job;
    job.set_phase(v1::QUEUED);
    writer->Write(job);
    job.set_phase(v1::FINISHED);
    writer->Write(job);
    return grpc::Status::OK;
  }
};

class GrpcCoordinatorTest : public testing::Test {
 protected:
  GrpcCoordinatorTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
    coordinator_ = ConnectCoordinator(address_, absl::Seconds(20));
  }

  OneJob service_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Coordinator> coordinator_;
};

TEST_F(GrpcCoordinatorTest, Call_AnswersOrSaysWhy) {
  v1::GetJobRequest request;
  request.mutable_job()->set_name("one");
  const auto job = coordinator_->GetJob(request);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->name(), "one");
  request.mutable_job()->set_name("two");
  const absl::Status missing = coordinator_->GetJob(request).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_EQ(DetailOf(missing)->way_out(), "look again");
}

TEST_F(GrpcCoordinatorTest, Watch_TellsEachMessageAndTheEnd) {
  v1::WatchJobRequest request;
  request.mutable_job()->set_name("one");
  std::vector<v1::Phase> phases;
  const absl::Status end = coordinator_->WatchJob(request, absl::InfiniteFuture(),
                                                  [&](const v1::Job& job) { phases.push_back(job.phase()); });
  EXPECT_TRUE(end.ok()) << end;
  EXPECT_EQ(phases, (std::vector<v1::Phase>{v1::QUEUED, v1::FINISHED}));
}

TEST_F(GrpcCoordinatorTest, NobodyListens_SaysWhatToStart) {
  server_->Shutdown();
  server_.reset();
  const absl::Status status = ConnectCoordinator(address_, absl::Seconds(20))->GetJob({}).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(std::string(status.message()).substr(0, 35 + address_.size()),
            "can't reach the coordinator at " + address_ + " (co");
  EXPECT_FALSE(DetailOf(status)->way_out().empty());
}

}  // namespace
}  // namespace muster::cli
