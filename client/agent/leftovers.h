#pragma once
// What an agent and its keepers may have left when all of them were killed: nobody's children then, and perhaps with an
// environment that tells nothing. They can't be told for certain from what others run, but that there are none can be:
// a process of theirs was started after the agent, by one that was, up to one whose parent is now who adopts the
// agent's orphans; and it is in the agent's control group, which only the privileged leave.

#include <sys/types.h>

#include <vector>

#include "client/agent/ledger.pb.h"

namespace muster::agent {

// Of this process, for one after it. Starts a process for a moment: call before there are threads, and before
// AdoptOrphans.
Origin OwnOrigin();

// Living processes that may descend from the process of that origin, though not from this one. Empty: nothing of it is
// left, for certain.
std::vector<pid_t> MayBeLeftOf(const Origin& origin);

}  // namespace muster::agent
