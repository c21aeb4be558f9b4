#pragma once
// Runs `muster` in process against the fake coordinator, at a fixed time.

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "client/cli/fake_coordinator.h"
#include "client/cli/run.h"

namespace muster::cli {

// 2026-11-30 13:00:00 UTC.
inline const absl::Time kNow = absl::FromUnixSeconds(1796043600);

inline google::protobuf::Timestamp Before(int64_t seconds) {
  google::protobuf::Timestamp time;
  time.set_seconds(absl::ToUnixSeconds(kNow) - seconds);
  return time;
}

class Harness {
 public:
  explicit Harness(std::vector<CommandInfo> commands) : commands_(std::move(commands)) {}

  // The exit code; what was printed is in out and err.
  int Muster(const std::vector<std::string>& pieces) {
    std::ostringstream out_text, err_text;
    std::istringstream in_text(in);
    {
      Screen out_screen(out_text, screen), err_screen(err_text, {});
      Context context{.out = out_screen,
                      .err = err_screen,
                      .in = in_text,
                      .now = [this] { return now; },
                      .zone = absl::UTCTimeZone(),
                      .sleep = [this](absl::Duration duration) { now += duration; },
                      .env =
                          [this](const std::string& name) {
                            const auto found = env.find(name);
                            return found == env.end() ? std::string() : found->second;
                          },
                      .fresh_id = [] { return std::string("request-1"); },
                      .connect =
                          [this](const std::string& server, absl::Duration) {
                            state.server = server;
                            return std::make_unique<FakeCoordinator>(state);
                          },
                      .server = "",
                      .timeout = absl::nullopt};
      code = Run(pieces, commands_, context);
    }
    out = out_text.str();
    err = err_text.str();
    return code;
  }

  FakeState state;
  std::map<std::string, std::string> env;
  std::string in, out, err;
  ScreenOptions screen;
  absl::Time now = kNow;
  int code = 0;

 private:
  std::vector<CommandInfo> commands_;
};

}  // namespace muster::cli
