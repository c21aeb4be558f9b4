#pragma once
// The first step of every process that `muster exec` starts: the child asks the kernel to kill it when its parent dies,
// then becomes the user's program. A SIGKILL of `muster exec` thus leaves no trainer behind that nobody knows.

namespace muster::worker {

// Hidden first argument: <binary> __exec-child <parent pid> <program> [arguments…].
inline constexpr char kExecChild[] = "__exec-child";

// Never returns when argv[1] is kExecChild; otherwise does nothing. Call first in main().
void BecomeIfExecChild(int argc, char** argv);

}  // namespace muster::worker
