#include "client/cli/explanation_view.h"

#include "absl/strings/str_cat.h"

namespace muster::cli {

void PrintExplanation(Screen& out, const v1::Explanation& explanation) {
  switch (explanation.feasibility()) {
    case v1::NOT_NOW:
      out.Line({Span("NotNow: ", Style::kWarn), explanation.summary()});
      break;
    case v1::NEVER:
      out.Line({Span("Never: ", Style::kBad), explanation.summary()});
      break;
    default:
      out.Line(explanation.summary());
  }
  for (const std::string& detail : explanation.details()) out.Line(absl::StrCat("  ", detail));
  for (int i = 0; i < explanation.ways_out_size(); ++i) {
    out.Line({Span(i == 0 ? "way out: " : "     or: ", Style::kDim), explanation.ways_out(i)});
  }
}

}  // namespace muster::cli
