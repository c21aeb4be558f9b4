"""C++ code from .proto files by the system protoc: messages alone (for lib/) or with the gRPC services."""

def _protoc(name, srcs, deps, outs, flags, runtime, visibility):
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
        cmd = "/usr/bin/protoc -I. --cpp_out=$(GENDIR) %s %s" % (flags, " ".join([pkg + "/" + s for s in srcs])),
        message = "protoc",
    )
    native.cc_library(
        name = name,
        srcs = [o for o in outs if o.endswith(".cc")],
        hdrs = [o for o in outs if o.endswith(".h")],
        copts = ["-w"],
        deps = deps + [runtime],
        visibility = visibility,
    )

def cc_message_library(name, srcs, deps = [], visibility = ["//visibility:public"]):
    """Messages only, no gRPC: what lib/ may depend on. `srcs` are of this package, `deps` are other such libraries."""
    stems = [s[:-len(".proto")] for s in srcs]
    outs = [s + e for s in stems for e in [".pb.h", ".pb.cc"]]
    _protoc(name, srcs, deps, outs, "", "//third_party:protobuf", visibility)

def cc_grpc_library(name, srcs, deps = [], visibility = ["//visibility:public"]):
    """Messages and service stubs of .proto files that declare services."""
    stems = [s[:-len(".proto")] for s in srcs]
    outs = [s + e for s in stems for e in [".pb.h", ".pb.cc", ".grpc.pb.h", ".grpc.pb.cc"]]
    flags = "--grpc_out=$(GENDIR) --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin"
    _protoc(name, srcs, deps, outs, flags, "//third_party:grpc++", visibility)
