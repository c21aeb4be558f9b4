#pragma once
// Where an agent's reports go. Session and node are filled in by the sender.

#include "proto/muster/v1/agent_service.pb.h"

namespace muster::agent {

class ReportSink {
 public:
  virtual ~ReportSink() = default;
  // Never blocks; delivered in order, as often as needed.
  virtual void Send(v1::ReportTaskRequest report) = 0;
};

}  // namespace muster::agent
