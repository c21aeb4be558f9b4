#pragma once
// How views show times: relative, or exact where asked for.

#include "absl/time/time.h"
#include "client/cli/format.h"
#include "google/protobuf/timestamp.pb.h"
#include "lib/base/proto_time.h"

namespace muster::cli {

struct Look {
  absl::Time now;
  absl::TimeZone zone;
  // More columns, all rows, exact times.
  bool wide = false;

  std::string When(const google::protobuf::Timestamp& time) const {
    return wide ? ExactTime(FromProto(time), zone) : Ago(FromProto(time), now);
  }
};

}  // namespace muster::cli
