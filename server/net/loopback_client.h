#pragma once
// A bare TCP client of tests, for what no well-behaved client does.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::net {

// A descriptor that is connected to 127.0.0.1:`port`; the caller closes it.
inline int ConnectToLoopback(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<in_port_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  return fd;
}

}  // namespace muster::net
