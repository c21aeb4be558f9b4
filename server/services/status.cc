#include "server/services/status.h"

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/any.pb.h"
#include "lib/base/errors.h"
#include "proto/muster/v1/outcome.pb.h"

namespace muster::services {
namespace {

// gRPC refuses statuses whose headers pass 8 KiB; the message travels twice.
constexpr size_t kLongestMessage = 1500;

std::string Cut(absl::string_view message) {
  if (message.size() <= kLongestMessage) return std::string(message);
  return std::string(message.substr(0, kLongestMessage)) + "…";
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status, Term term) {
  if (status.ok()) return grpc::Status::OK;
  absl::optional<v1::OutcomeDetail> detail = DetailOf(status);
  if (!detail) detail = v1::OutcomeDetail();
  detail->set_term(term.value());
  v1::StatusDetails details;
  details.set_code(static_cast<int32_t>(status.code()));
  details.set_message(Cut(status.message()));
  details.add_details()->PackFrom(*detail);
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), details.message(), details.SerializeAsString());
}

}  // namespace muster::services
