#include "client/key_value/gloo_store.h"

#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace muster {

GlooStore::GlooStore(KeyValueClient& client, std::string prefix, int size, std::chrono::milliseconds timeout)
    : client_(client), prefix_(std::move(prefix)), size_(size), timeout_(timeout) {}

void GlooStore::set(const std::string& key, const std::vector<char>& data) {
  const absl::Status status = client_.Set({{absl::StrCat(prefix_, key), std::string(data.begin(), data.end())}});
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

void GlooStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) {
  std::vector<std::string> wanted;
  for (const std::string& key : keys) {
    if (fetched_.contains(key)) continue;
    // Keys are "<rank>" or "rank_<rank>": whoever asks for one peer will ask for all.
    absl::string_view number = key;
    const bool host = absl::ConsumePrefix(&number, "rank_");
    int peer = 0;
    if (!absl::SimpleAtoi(number, &peer)) {
      wanted.push_back(key);
      continue;
    }
    for (int i = 0; i < size_; ++i) wanted.push_back(absl::StrCat(host ? "rank_" : "", i));
  }
  if (wanted.empty()) return;
  std::vector<std::string> full;
  for (const std::string& key : wanted) full.push_back(absl::StrCat(prefix_, key));
  absl::StatusOr<std::vector<std::string>> values = client_.Wait(full, absl::FromChrono(timeout));
  if (!values.ok()) throw std::runtime_error(values.status().ToString());
  for (size_t i = 0; i < wanted.size(); ++i) fetched_[wanted[i]] = std::move((*values)[i]);
}

std::vector<char> GlooStore::get(const std::string& key) {
  wait({key}, timeout_);
  const std::string& value = fetched_.at(key);
  return {value.begin(), value.end()};
}

}  // namespace muster
