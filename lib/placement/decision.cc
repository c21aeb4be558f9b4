#include "lib/placement/decision.h"

namespace muster::placement {
namespace {

const std::string& SentenceOf(const Placed& placed) { return placed.placement.reason(); }
const std::string& SentenceOf(const NotNow& not_now) { return not_now.reason; }
const std::string& SentenceOf(const Never& never) { return never.reason; }

}  // namespace

const std::string& ReasonOf(const Decision& decision) {
  return std::visit([](const auto& answer) -> const std::string& { return SentenceOf(answer); }, decision);
}

}  // namespace muster::placement
