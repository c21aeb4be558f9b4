#include "lib/selftest/hints.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace muster::selftest {
namespace {

struct Row {
  // All of these must be in the message.
  std::vector<absl::string_view> words;
  Hint hint;
};

// Most telling first: a general message ("unhandled system error") often carries a special one.
const std::vector<Row>& Table() {
  static const auto* const kTable = new std::vector<Row>{
      {{"Duplicate GPU detected"},
       {"two ranks of a node use the same GPU",
        "look at local ranks, CUDA_VISIBLE_DEVICES, time-slicing and MIG; the agents' GPU UUIDs are in the receipt"}},
      {{"Multiple Ranks are using the same GPU"},
       {"two ranks of a node use the same GPU",
        "look at local ranks, CUDA_VISIBLE_DEVICES, time-slicing and MIG; the agents' GPU UUIDs are in the receipt"}},
      {{"failed to extend /dev/shm"},
       {"/dev/shm is too small, a container's default is 64 MiB",
        "mount an emptyDir with medium: Memory there (docker: --shm-size), 32 MiB a local GPU and more"}},
      {{"Error while creating shared memory"},
       {"/dev/shm is too small or can't be written",
        "mount an emptyDir with medium: Memory there (docker: --shm-size), 32 MiB a local GPU and more"}},
      {{"posix_fallocate failed"},
       {"/dev/shm is too small, a container's default is 64 MiB",
        "mount an emptyDir with medium: Memory there (docker: --shm-size), 32 MiB a local GPU and more"}},
      {{"no socket interface found"},
       {"no network interface matches NCCL_SOCKET_IFNAME",
        "list the interfaces (ip addr); eth matches eth0 and eth1, =eth0 only that one, ^lo,docker all but those"}},
      {{"NET/Socket : no interface"},
       {"no network interface matches NCCL_SOCKET_IFNAME",
        "list the interfaces (ip addr); eth matches eth0 and eth1, =eth0 only that one, ^lo,docker all but those"}},
      {{"NET/IB : No IP interface"},
       {"the out-of-band interface of InfiniBand has no address",
        "set NCCL_SOCKET_IFNAME to an interface with an IP address"}},
      {{"NET/IB : Unable to open device"},
       {"the container may not open this HCA",
        "check the device plugin and cgroup; unequal sets of HCAs hang later, above all with "
        "NCCL_IGNORE_NET_MISMATCH=1"}},
      {{"NET/IB : No device found"},
       {"RDMA is not there and NCCL falls back to TCP",
        "check the RDMA device plugin and that the image has rdma-core"}},
      {{"Using network Socket"},
       {"NCCL uses TCP instead of RDMA", "check the RDMA device plugin, NCCL_IB_DISABLE and NCCL_NET"}},
      {{"Failed to open libibverbs"},
       {"the image has no libibverbs", "install rdma-core (libibverbs1, ibverbs-providers) in the image"}},
      {{"IBV_WC_RETRY_EXC_ERR"},
       {"packets to the named peer and HCA got lost",
        "check the cable, the switch port and the peer's NIC; in congestion raise NCCL_IB_TIMEOUT (20 is about 30 s)"}},
      {{"Got completion from peer"},
       {"an RDMA operation with the named peer failed",
        "check the cable, the switch port and the peer's NIC, and whether the peer had an error of its own"}},
      {{"LOC_PROT_ERR"},
       {"the NIC may not read GPU memory", "load nvidia-peermem, and turn PCI ACS off (or NCCL_NET_GDR_LEVEL=LOC)"}},
      {{"ibv_reg_mr", "Cannot allocate memory"},
       {"memory can't be locked", "give the container IPC_LOCK, or ulimit -l unlimited"}},
      {{"Attempted to connect incompatible devices"},
       {"InfiniBand and RoCE NICs are mixed", "choose one kind by NCCL_IB_HCA on all nodes"}},
      {{"system not yet initialized"},
       {"the fabric manager does not run", "start nvidia-fabricmanager, with the driver's very version"}},
      {{"CUDA driver version is insufficient"},
       {"the driver is older than NCCL's CUDA", "update the driver, or use an image with an older CUDA"}},
      {{"Mismatched NCCL version"},
       {"the nodes have different NCCL versions", "use one image; the versions are in the receipt, node by node"}},
      {{"unhandled cuda error"},
       {"a CUDA call failed inside NCCL",
        "run with NCCL_DEBUG=INFO, look for Xid in dmesg, compare the driver with NCCL's CUDA"}},
      {{"unhandled system error"},
       {"a system call failed inside NCCL", "run with NCCL_DEBUG=INFO and look at the lines before it"}},
      {{"Unable to find address for"},
       {"the host's name has no address of this interface", "give muster-agent --address (a node's IP)"}},
      {{"Address already in use"},
       {"another process has the port", "free the port, or leave the choice to the system (port 0)"}},
      {{"Too many open files"},
       {"the limit of open files is too low for a full mesh of sockets", "raise it: ulimit -n 1048576 (LimitNOFILE)"}},
      {{"No space left on device"},
       {"a file system is full, often /dev/shm", "df -h on the node; enlarge /dev/shm or remove stale files"}},
      {{"No route to host"},
       {"the network has no way to that address", "check routes, VLANs and firewalls between the two nodes"}},
      {{"Network is unreachable"},
       {"the network has no way to that address", "check routes and the interface that was chosen"}},
      {{"Connection refused"},
       {"nobody listens at that address: the peer did not start, or it is the wrong interface's",
        "check the peer's own error, --address of its agent, network policies and host firewalls"}},
      {{"signal 9"},
       {"the test's process was killed", "look for the out-of-memory killer in dmesg and for the container's limits"}},
      {{"signal 7"}, {"the test's process lost its memory mapping (SIGBUS)", "/dev/shm is full: enlarge it"}},
      {{"signal 6"},
       {"the library ended its process", "Gloo does so when peers disagree on a size; look at the agent's log"}},
      {{"signal 11"},
       {"the test's process crashed", "look at the agent's log and the library versions in the receipt"}},
      {{"signal 4"}, {"the library uses instructions that this CPU does not have", "use a build for this machine"}},
      {{"is not built in"},
       {"this agent can't run that backend", "leave selfTest.backend out, or install the backend on the node"}},
      {{"no result within the test's deadline"},
       {"the collective hung or was far too slow, and was killed",
        "the receipt's pairs tell which nodes can't talk; raise selfTest.deadline for very slow links"}},
      {{"DEADLINE_EXCEEDED"},
       {"a member of the group did not come in time", "look at the error of the member that is named"}},
      {{"timed out"},
       {"a peer did not answer in time",
        "a dead link, a firewall that drops packets, or a peer that hangs: the receipt's pairs tell which"}},
  };
  return *kTable;
}

constexpr absl::string_view kEchoes[] = {
    "not run: the group broke",
    "connection closed by peer",
    "connection reset by peer",
    "broken pipe",
    "remote process exited or there was a network error",
    "socket closed",
    "application timeout caused pair closure",
};

}  // namespace

absl::optional<Hint> HintFor(absl::string_view error) {
  const std::string text = absl::AsciiStrToLower(error);
  for (const Row& row : Table()) {
    bool all = true;
    for (absl::string_view word : row.words) all &= absl::StrContains(text, absl::AsciiStrToLower(word));
    if (all) return row.hint;
  }
  return absl::nullopt;
}

std::string HintText(absl::string_view error) {
  const absl::optional<Hint> hint = HintFor(error);
  return hint ? absl::StrCat(hint->meaning, "; ", hint->action) : std::string();
}

bool IsEcho(absl::string_view error) {
  const std::string text = absl::AsciiStrToLower(error);
  for (absl::string_view echo : kEchoes) {
    if (absl::StrContains(text, echo)) return true;
  }
  return false;
}

int FirstOwnError(const std::vector<std::string>& errors) {
  int own = -1;
  for (size_t i = 0; i < errors.size(); ++i) {
    if (IsEcho(errors[i])) continue;
    if (HintFor(errors[i])) return static_cast<int>(i);
    if (own < 0) own = static_cast<int>(i);
  }
  return own >= 0 ? own : errors.empty() ? -1 : 0;
}

}  // namespace muster::selftest
