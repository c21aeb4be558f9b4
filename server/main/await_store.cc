#include "server/main/await_store.h"

#include <spdlog/spdlog.h>

#include <string>

namespace muster::musterd {
namespace {

constexpr absl::Duration kBetween = absl::Seconds(1);

}  // namespace

absl::StatusOr<std::unique_ptr<store::Store>> AwaitStore(
    const std::function<absl::StatusOr<std::unique_ptr<store::Store>>()>& open,
    const std::function<bool(absl::Duration)>& pause) {
  bool said = false;
  for (;;) {
    absl::StatusOr<std::unique_ptr<store::Store>> store = open();
    if (!absl::IsUnavailable(store.status())) return store;
    if (!said) {
      spdlog::error("event=store_not_opened why=\"{}\" next=\"tries again every {}\"",
                    std::string(store.status().message()), absl::FormatDuration(kBetween));
    }
    said = true;
    if (!pause(kBetween)) return nullptr;
  }
}

}  // namespace muster::musterd
