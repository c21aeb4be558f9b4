#pragma once
// What is wrong with a topology file: a sentence with file, line and way out, and the kind of fault for programs.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace muster::inventory {

// INVALID_ARGUMENT: "topology.conf:3: switch r: child l0 is not defined; …". `kind` is stable, snake_case: unknown_key,
// mixed_formats, bad_hostlist, bad_child, cycle, several_parents, duplicate_name, name_too_long, nodes_and_children,
// bad_block_sizes, no_nodes_and_no_sizes, empty, bad_yaml, several_types, unsupported_type, bad_value, too_many,
// too_long. Line 0: the file as a whole.
absl::Status SourceError(absl::string_view kind, absl::string_view file, int line, absl::string_view problem,
                         absl::string_view way_out);

// Gives a status of another parser a kind.
absl::Status WithKind(absl::Status status, absl::string_view kind);

// Empty if the status carries none.
std::string KindOf(const absl::Status& status);

// For messages: at most 64 characters of it.
std::string Brief(absl::string_view text);

}  // namespace muster::inventory
