#pragma once
// Gloo's rendezvous over the coordinator's key-value calls. Gloo asks peer by peer; this store fetches all peers'
// entries at the first question, so that a group of n costs 4 calls a member instead of O(n).

#include <gloo/rendezvous/store.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "client/key_value/key_value_client.h"

namespace muster {

// For one gloo::rendezvous::Context, one thread. Throws std::runtime_error where Gloo expects it: on time-out, or when
// the scope is over.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  // `prefix` names the group within the scope; `size` is how many members it has.
  GlooStore(KeyValueClient& client, std::string prefix, int size, std::chrono::milliseconds timeout);

  void set(const std::string& key, const std::vector<char>& data) override;
  std::vector<char> get(const std::string& key) override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

 private:
  KeyValueClient& client_;
  const std::string prefix_;
  const int size_;
  const std::chrono::milliseconds timeout_;
  std::map<std::string, std::string> fetched_;
};

}  // namespace muster
