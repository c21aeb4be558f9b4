#pragma once
// `muster-agent test-child`: one worker of one test, in a process that may be killed at any time.

namespace muster::agent {

// Descriptor on which a child writes its results, each a length-delimited muster.v1.StepResult.
inline constexpr int kResultDescriptor = 3;

// Reads a ChildOrder from standard input, runs it, and ends the process: 0 after the last result, whatever the results;
// 2 if the order is unreadable or names an unknown backend. Dies with its parent.
[[noreturn]] void TestChildMain(int parent_pid);

}  // namespace muster::agent
