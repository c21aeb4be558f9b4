#include "lib/selftest/hints.h"

#include <gtest/gtest.h>

namespace muster::selftest {
namespace {

struct Message {
  const char* name;
  // As a library writes it.
  const char* error;
  // In the hint.
  const char* says;
};

class HintOf : public testing::TestWithParam<Message> {};

TEST_P(HintOf, Message_SaysWhatToDo) {
  EXPECT_NE(HintText(GetParam().error).find(GetParam().says), std::string::npos)
      << "got: " << HintText(GetParam().error);
  EXPECT_FALSE(IsEcho(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, HintOf,
    testing::Values(
        Message{"DuplicateGpu",
                "init.cc:887 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000",
                "CUDA_VISIBLE_DEVICES"},
        Message{"DuplicateGpuNewer", "Multiple Ranks are using the same GPU/ rank 0 rank 3", "same GPU"},
        Message{"Shm", "unhandled system error: failed to extend /dev/shm/nccl-xK2 to 9637888 bytes", "medium: Memory"},
        Message{"ShmCreate", "Error while creating shared memory segment /dev/shm/nccl-1 (size 9637888)", "/dev/shm"},
        Message{"Fallocate", "posix_fallocate failed : No space left on device", "/dev/shm"},
        Message{"Interface", "Bootstrap : no socket interface found", "NCCL_SOCKET_IFNAME"},
        Message{"SocketInterface", "NET/Socket : no interface found", "NCCL_SOCKET_IFNAME"},
        Message{"IbInterface", "NET/IB : No IP interface found.", "NCCL_SOCKET_IFNAME"},
        Message{"OpenDevice", "NET/IB : Unable to open device mlx5_3", "device plugin"},
        Message{"NoDevice", "NET/IB : No device found.", "RDMA"},
        Message{"Tcp", "NCCL INFO Using network Socket", "NCCL_IB_DISABLE"},
        Message{"Verbs", "Failed to open libibverbs.so.1", "rdma-core"},
        Message{"Retries",
                "NET/IB: Got completion from peer 10.0.0.7<54> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=0 len=0",
                "cable"},
        Message{"Completion", "Got completion from peer 10.0.0.7<54> with error 4", "peer"},
        Message{"Acs", "status=IBV_WC_LOC_PROT_ERR(4)", "nvidia-peermem"},
        Message{"Memlock", "Call to ibv_reg_mr failed with error Cannot allocate memory", "IPC_LOCK"},
        Message{"Mixed", "Attempted to connect incompatible devices", "NCCL_IB_HCA"},
        Message{"FabricManager", "Cuda failure 'system not yet initialized'", "fabricmanager"},
        Message{"Driver", "CUDA driver version is insufficient for CUDA runtime version", "driver"},
        Message{"Versions", "Mismatched NCCL version detected : rank 0 has 22703 rank 1 has 22605", "one image"},
        Message{"Cuda", "ncclUnhandledCudaError: unhandled cuda error", "Xid"},
        Message{"System", "ncclSystemError: unhandled system error", "NCCL_DEBUG=INFO"},
        Message{"GlooAddress", "gloo: Unable to find address for: gpu-a01", "--address"},
        Message{"Files", "gloo: socket: Too many open files", "ulimit -n"},
        Message{"Route", "gloo: connect: No route to host", "firewalls"},
        Message{"Refused", "gloo: connect [10.0.0.3]:4711: Connection refused", "firewalls"},
        Message{"Killed", "the test's process was ended by signal 9", "out-of-memory"},
        Message{"Bus", "the test's process was ended by signal 7", "/dev/shm"},
        Message{"Abort", "the test's process was ended by signal 6", "size"},
        Message{"Backend", "backend 'nccl' is not built in; this agent has gloo and simulated", "selfTest.backend"},
        Message{"Hung", "no result within the test's deadline; the process was killed", "selfTest.deadline"},
        Message{"TimedOut", "gloo: Timed out waiting 30000ms for recv operation to complete", "dead link"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Hints, UnknownMessage_HasNone) {
  EXPECT_FALSE(HintFor("the moon is in the way").has_value());
  EXPECT_EQ(HintText(""), "");
}

TEST(FirstOwnError, Echoes_AreNotTheCause) {
  EXPECT_EQ(FirstOwnError({"gloo: Connection closed by peer [10.0.0.7]:4711", "odd", "failed to extend /dev/shm/nccl-1",
                           "remote process exited or there was a network error"}),
            2);
  EXPECT_EQ(FirstOwnError({"Connection reset by peer", "odd"}), 1);
  EXPECT_EQ(FirstOwnError({"Connection reset by peer", "not run: the group broke in step 3"}), 0);
  EXPECT_EQ(FirstOwnError({}), -1);
}

}  // namespace
}  // namespace muster::selftest
