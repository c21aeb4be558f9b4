#pragma once
// The agent's child processes: started, listened to, signalled, seen ended.

#include <sys/types.h>

#include <map>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "client/agent/event.h"
#include "client/agent/process.h"

namespace muster::agent {

// Belongs to one thread, which must live as long as the agent (children die with it). A child is listened to by a
// thread of its own that posts to `events`, which must outlive this.
class Children {
 public:
  explicit Children(EventQueue& events) : events_(events) {}
  // Kills what is left and sees it ended, what it leaves behind too.
  ~Children();

  // `input` becomes the child's standard input. With `results`, what it writes to descriptor 3 arrives as
  // ChildReported; in any case one ChildEnded follows, last. Errors as Spawn, or INTERNAL without descriptors.
  absl::StatusOr<ChildId> Start(ProcessSpec spec, const std::string& input, bool results);

  // To the child itself and its process group. Nothing happens to one that has ended.
  void Signal(ChildId child, int signal) const;
  pid_t Pid(ChildId child) const;
  // After ChildEnded: collects it and answers its wait status.
  int Reap(ChildId child);
  size_t size() const { return children_.size(); }

  // Kills what lost its parent below this process and so became its child (process_tree.h's AdoptOrphans; nobody else
  // may start processes here). True: none is left. Else ask again: a killed process takes a moment to end, and may have
  // left others.
  bool EndOrphans() const;

 private:
  struct Child {
    pid_t pid = -1;
    std::thread listener;
  };

  EventQueue& events_;
  ChildId last_ = 0;
  std::map<ChildId, Child> children_;
};

}  // namespace muster::agent
