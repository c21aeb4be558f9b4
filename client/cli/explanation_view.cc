#include "client/cli/explanation_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/format.h"

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
  PrintGains(out, explanation);
  for (int i = 0; i < explanation.ways_out_size(); ++i) {
    out.Line({Span(i == 0 ? "way out: " : "     or: ", Style::kDim), explanation.ways_out(i)});
  }
}

void PrintGains(Screen& out, const v1::Explanation& explanation) {
  const int64_t cost = explanation.placement().cost();
  for (const v1::Explanation::Gain& gain : explanation.gains()) {
    const std::string less = cost > 0 ? absl::StrFormat(" (-%.0f %%)", 100.0 * static_cast<double>(cost - gain.cost()) /
                                                                           static_cast<double>(cost))
                                      : "";
    out.Line({Span("would gain: ", Style::kDim), absl::StrCat(gain.change(), ": cost ", Thousands(gain.cost()), less)});
  }
}

}  // namespace muster::cli
