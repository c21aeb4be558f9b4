#pragma once
// Sockets that listen where an operator's flag says.

#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::net {

// Whether `address` has the form that Listening::At takes. INVALID_ARGUMENT: what is wrong with it.
absl::Status CheckAddress(const std::string& address);

// Closes its descriptors, and removes the file of a socket that has one, when it goes.
class Listening {
 public:
  // "host:port", "[v6]:port" or "unix:/path"; port 0 picks one. Every address that the host has is taken; with port 0
  // all get the same. The descriptors don't block and aren't inherited by children.
  // INVALID_ARGUMENT: no such form, or a host without an address. UNAVAILABLE: taken by another process, or not an
  // address of this machine; the message says which and names `address`.
  static absl::StatusOr<Listening> At(const std::string& address);

  Listening(Listening&& other) noexcept;
  Listening& operator=(Listening&&) = delete;
  ~Listening();

  const std::vector<int>& descriptors() const { return descriptors_; }
  // 0 where the address has none.
  int port() const { return port_; }

 private:
  Listening() = default;
  static absl::StatusOr<Listening> AtFile(const std::string& address, const std::string& path);
  // 0, or what was wrong as errno has it.
  int Add(const sockaddr* address, unsigned length, bool only_v6);

  std::vector<int> descriptors_;
  int port_ = 0;
  std::string file_;
};

}  // namespace muster::net
