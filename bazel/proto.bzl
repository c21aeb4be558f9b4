"""C++ code from .proto files by the system protoc: messages alone (for lib/) or with the gRPC services."""

# Generated code is not under test, and takes minutes to compile with sanitizers.
GENERATED = ["-w"] + select({
    "//bazel:sanitizers": ["-fno-sanitize=all", "-O0", "-g0"],
    "//conditions:default": [],
})

def _messages(name, srcs, deps, outs, visibility):
    pkg = native.package_name()
    native.filegroup(
        name = name + "_protos",
        srcs = srcs + [d + "_protos" for d in deps],
        visibility = visibility,
    )
    native.genrule(
        name = name + "_gen",
        srcs = [name + "_protos"],
        outs = outs,
        cmd = "/usr/bin/protoc -I. --cpp_out=$(GENDIR) " + " ".join([pkg + "/" + s for s in srcs]),
        message = "protoc",
    )
    native.cc_library(
        name = name,
        srcs = [o for o in outs if o.endswith(".cc")],
        hdrs = [o for o in outs if o.endswith(".h")],
        copts = GENERATED,
        deps = deps + ["//third_party:protobuf"],
        visibility = visibility,
    )

def cc_message_library(name, srcs, deps = [], visibility = ["//visibility:public"]):
    """Messages only, no gRPC: what lib/ may depend on. `srcs` are of this package, `deps` are other such libraries."""
    stems = [s[:-len(".proto")] for s in srcs]
    outs = [s + e for s in stems for e in [".pb.h", ".pb.cc"]]
    _messages(name, srcs, deps, outs, visibility)

def cc_grpc_library(name, srcs, deps = [], visibility = ["//visibility:public"]):
    """Service stubs of .proto files that declare services; their messages come apart, as `name`_messages, for code
    that must not know gRPC."""
    cc_message_library(
        name = name + "_messages",
        srcs = srcs,
        deps = deps,
        visibility = visibility,
    )
    stems = [s[:-len(".proto")] for s in srcs]
    outs = [s + e for s in stems for e in [".grpc.pb.h", ".grpc.pb.cc"]]
    native.genrule(
        name = name + "_stubs_gen",
        srcs = [name + "_messages_protos"],
        outs = outs,
        cmd = "/usr/bin/protoc -I. --grpc_out=$(GENDIR) --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin " +
              " ".join([native.package_name() + "/" + s for s in srcs]),
        message = "protoc",
    )
    native.cc_library(
        name = name,
        srcs = [o for o in outs if o.endswith(".cc")],
        hdrs = [o for o in outs if o.endswith(".h")],
        copts = GENERATED,
        deps = deps + [":" + name + "_messages", "//third_party:grpc++"],
        visibility = visibility,
    )
