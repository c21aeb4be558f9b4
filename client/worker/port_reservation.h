#pragma once
// A TCP port that nobody else is given until the command that will listen on it starts.

#include <string>

#include "absl/status/statusor.h"

namespace muster::worker {

// Move-only: holds a bound socket. The port stays free for the command once this is destroyed (it was never listened
// on).
class PortReservation {
 public:
  // On `address` (IPv4; empty: all). UNAVAILABLE: no port to be had, or not an address of this host.
  static absl::StatusOr<PortReservation> Take(const std::string& address);

  PortReservation(PortReservation&& other) noexcept : fd_(other.fd_), port_(other.port_) { other.fd_ = -1; }
  PortReservation& operator=(PortReservation&&) = delete;
  ~PortReservation();

  int port() const { return port_; }

 private:
  PortReservation(int fd, int port) : fd_(fd), port_(port) {}
  int fd_;
  int port_;
};

}  // namespace muster::worker
