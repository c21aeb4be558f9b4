# Muster's commands. All need only Debian 12's packages, which `setup` installs (root or sudo).
#   make test TARGETS=//lib/mesh/...     some of the tests
#   make BAZEL_FLAGS=--jobs=2 build      any flags for Bazel
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build demo test conformance-mesh conformance-peers montecarlo-selftest test-faults lint bench bench-placement clean

# Compiled objects are kept here, outside the clone, and shared by all clones; .ci/run bounds its size.
MUSTER_CACHE ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/muster/bazel-disk
BAZEL ?= bazel
BAZEL_STARTUP ?=
TARGETS ?= //...

FLAGS = --disk_cache=$(MUSTER_CACHE) --noshow_loading_progress $(BAZEL_FLAGS)
# Not for tests: a failed test's output comes as an info event.
QUIET := --ui_event_filters=-info,-debug --show_result=0
ifneq ($(CI),)
FLAGS += --color=no --curses=no --show_progress_rate_limit=30
endif

help:  ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## Install the Debian packages that the others need; quick when none is missing
	@tools/setup.sh core

build: setup  ## Compile everything
	@$(BAZEL) $(BAZEL_STARTUP) build $(FLAGS) $(QUIET) $(TARGETS)

demo: setup  ## Four hosts, two racks, one gang: placed, tested, ranked and run on this machine
	@$(BAZEL) $(BAZEL_STARTUP) build $(FLAGS) $(QUIET) //demo:all
	@demo/run.sh

test: setup  ## Run all tests; ends with the count of passed and failed test cases
	@BAZEL='$(BAZEL)' tools/bazel-test.sh $(BAZEL_STARTUP) -- $(FLAGS) $(TARGETS)

conformance-mesh: setup  ## Check lib/mesh against golden files: make conformance-mesh FILES="a.json b.json"
	@$(if $(strip $(FILES)),,echo 'usage: make conformance-mesh FILES="a.json b.json"' >&2; exit 2;) \
	  $(BAZEL) $(BAZEL_STARTUP) run $(FLAGS) $(QUIET) //tests/conformance:mesh_conformance -- $(abspath $(FILES))

conformance-peers: setup  ## Check placement, ranks and parsers against peers' cases: make conformance-peers FILES="a.json"
	@$(if $(strip $(FILES)),,echo 'usage: make conformance-peers FILES="a.json b.json"' >&2; exit 2;) \
	  $(BAZEL) $(BAZEL_STARTUP) run $(FLAGS) $(QUIET) //tests/conformance:peers_conformance -- $(abspath $(FILES))

montecarlo-selftest: setup  ## How often localisation names exactly the injected faults: 10,000 runs a row, beside published methods
	@$(BAZEL) $(BAZEL_STARTUP) build -c opt $(FLAGS) $(QUIET) //lib/selftest:montecarlo_test
	@MUSTER_RUNS=$${MUSTER_RUNS:-10000} bazel-bin/lib/selftest/montecarlo_test --gtest_brief=1

test-faults: setup  ## Real faults on hosts made of network namespaces (needs root): who is accused, and what becomes of the job
	@$(BAZEL) $(BAZEL_STARTUP) build $(FLAGS) $(QUIET) //server/main:musterd //client/agent:muster-agent //client/cli:muster
	@tests/faults/faults.py bazel-bin

lint:  ## Formatting, include directions, shell scripts
	@tools/setup.sh dev
	@tools/lint.sh

bench: setup  ## Measure against a bare peer in the same run and print the ratio
	@$(BAZEL) $(BAZEL_STARTUP) run -c opt $(FLAGS) $(QUIET) //tests/benchmarks:handshake_benchmark

# The steps of a search are counted, so costs are the same on any machine; times are of the process.
INSTANCES ?= tests/benchmarks/placement/instances
bench-placement: setup  ## Placement against proven optima and other schedulers: make bench-placement [INSTANCES=DIR] [OUT=DIR]
	@$(if $(OUT),mkdir -p $(OUT) &&) $(BAZEL) $(BAZEL_STARTUP) run -c opt $(FLAGS) $(QUIET) //tests/benchmarks/placement:placement_benchmark -- \
	  $(abspath $(INSTANCES)) $(if $(OUT),--out $(abspath $(OUT)))
	@$(BAZEL) $(BAZEL_STARTUP) run -c opt $(FLAGS) $(QUIET) //tests/benchmarks/placement:placement_scale

clean:  ## Remove this clone's build outputs; the shared cache stays
	@$(BAZEL) $(BAZEL_STARTUP) clean
