#pragma once
// Keeps reports for tests.

#include <string>
#include <utility>
#include <vector>

#include "client/agent/report_sink.h"

namespace muster::agent {

class FakeReportSink : public ReportSink {
 public:
  void Send(v1::ReportTaskRequest report) override { reports.push_back(std::move(report)); }

  // "ended 7", "member 0 code 137", "refused", "test final": kind, and the order's number for `ended`.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const v1::ReportTaskRequest& r : reports) {
      if (r.has_ended()) lines.push_back("ended " + std::to_string(r.mark().number()));
      if (r.has_member_ended()) {
        lines.push_back("member " + std::to_string(r.member_ended().pod_index()) + " code " +
                        std::to_string(r.member_ended().exit_code()));
      }
      if (r.has_refused()) lines.push_back("refused");
      if (r.has_test()) lines.push_back(r.test().final() ? "test final" : "test");
    }
    return lines;
  }

  std::vector<v1::StepResult> Results() const {
    std::vector<v1::StepResult> results;
    for (const v1::ReportTaskRequest& r : reports) {
      results.insert(results.end(), r.test().results().begin(), r.test().results().end());
    }
    return results;
  }

  std::vector<v1::ReportTaskRequest> reports;
};

}  // namespace muster::agent
