#include "client/worker/exec.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <utility>
#include <variant>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/rpc/channel.h"
#include "client/worker/environment.h"
#include "client/worker/gang_session.h"
#include "client/worker/messages.h"
#include "client/worker/port_reservation.h"
#include "client/worker/process_set.h"
#include "lib/base/errors.h"
#include "lib/base/mailbox.h"

namespace muster::worker {
namespace {

constexpr int kForwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
// How long an exit report may take before it is left to the lease.
constexpr absl::Duration kReportPatience = absl::Seconds(10);

// What can happen.
struct GotSignal {
  int signal;
  bool from_terminal;
};
struct GotRank {
  absl::StatusOr<v1::Assignment> assignment;
};
struct GotOrder {
  absl::StatusOr<v1::WatchGangResponse> order;
};
using Happening = std::variant<GotSignal, GotRank, GotOrder>;

// Takes the blocked signals in a thread of its own, SIGCHLD among them, until it is told to end by SIGRTMIN.
class SignalThread {
 public:
  explicit SignalThread(Mailbox<Happening>& mailbox) {
    sigemptyset(&set_);
    for (int signal : kForwarded) sigaddset(&set_, signal);
    sigaddset(&set_, SIGCHLD);
    sigaddset(&set_, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
    thread_ = std::thread([this, &mailbox] {
      for (;;) {
        siginfo_t info;
        const int signal = sigwaitinfo(&set_, &info);
        if (signal == SIGRTMIN) return;
        // Ctrl-C reaches the whole foreground group; our commands lead groups of their own, so it is forwarded like any
        // other.
        if (signal > 0) mailbox.Put(GotSignal{signal, info.si_code == SI_KERNEL});
      }
    });
  }
  ~SignalThread() {
    pthread_kill(thread_.native_handle(), SIGRTMIN);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t set_, before_;
  std::thread thread_;
};

// Talks to the coordinator in a thread of its own: one rank, then one watch, each when asked.
class SessionThread {
 public:
  SessionThread(GangSession& session, Mailbox<Happening>& mailbox)
      : session_(session), mailbox_(mailbox), thread_([this] { Loop(); }) {}
  ~SessionThread() {
    session_.Stop();
    asked_.Put(std::nullopt);
    thread_.join();
  }

  void AskForRank() { asked_.Put(Ask{}); }
  void AskForOrders(v1::Assignment assignment) { asked_.Put(Ask{std::move(assignment)}); }

 private:
  struct Ask {
    std::optional<v1::Assignment> watch;
  };
  void Loop() {
    for (;;) {
      std::optional<std::optional<Ask>> ask = asked_.Take(absl::InfiniteFuture());
      if (!ask || !*ask) return;
      if ((*ask)->watch) {
        mailbox_.Put(GotOrder{session_.Watch(*(*ask)->watch)});
      } else {
        mailbox_.Put(GotRank{session_.GetRank()});
      }
    }
  }

  GangSession& session_;
  Mailbox<Happening>& mailbox_;
  Mailbox<std::optional<Ask>> asked_;
  std::thread thread_;
};

class Executor {
 public:
  Executor(const ExecOptions& options, Mailbox<Happening>& mailbox, GangSession& session, SessionThread& talk,
           std::optional<PortReservation> port)
      : options_(options), mailbox_(mailbox), session_(session), talk_(talk), port_(std::move(port)) {}

  int Run() {
    talk_.AskForRank();
    while (!exit_code_) {
      std::optional<Happening> happening = mailbox_.Take(kill_at_);
      if (!happening) {
        kill_at_ = absl::InfiniteFuture();
        processes_.Signal(SIGKILL);
        continue;
      }
      std::visit([this](auto& h) { On(h); }, *happening);
    }
    return *exit_code_;
  }

 private:
  void On(GotSignal& got) {
    if (got.signal == SIGCHLD) return Collect();
    if (processes_.running() == 0) {
      if (got.signal == SIGUSR1 || got.signal == SIGUSR2) return;
      exit_code_ = 128 + got.signal;
      return;
    }
    processes_.Signal(got.signal);
    if (got.signal == SIGTERM || got.signal == SIGINT || got.signal == SIGQUIT) kill_at_ = absl::Now() + options_.grace;
  }

  void On(GotRank& got) {
    if (!got.assignment.ok()) {
      Say(absl::StrCat(std::string(got.assignment.status().message())));
      exit_code_ = ExitCodeOf(got.assignment.status());
      return;
    }
    assignment_ = *std::move(got.assignment);
    Say(DescribeAssignment(assignment_));
    if (const std::string warning = IndexWarning(assignment_); !warning.empty()) Say(warning);
    // The port is the command's from here on.
    port_.reset();
    StartAll();
  }

  void StartAll() {
    const bool per_member = options_.per_member.value_or(IsLauncher(options_.command));
    const Endpoint endpoint{options_.server};
    const int32_t copies = per_member ? 1 : assignment_.workers_per_member();
    first_failure_ = 0;
    ordered_ = false;
    processes_.Clear();
    for (int32_t i = 0; i < copies; ++i) {
      const Environment env =
          per_member ? MemberEnvironment(assignment_, endpoint) : WorkerEnvironment(assignment_, i, endpoint);
      if (absl::Status s = processes_.Start(options_.command, env); !s.ok()) {
        Say(std::string(s.message()));
        first_failure_ = 127;
        if (processes_.running() == 0) return Ended();
        return StopCommand();
      }
    }
    talk_.AskForOrders(assignment_);
  }

  // Reaps what has ended. The first failure ends the others: a gang without one of its workers only hangs.
  void Collect() {
    const bool was_running = processes_.running() > 0;
    for (const ProcessSet::Exit& exit : processes_.Reap()) {
      if (exit.code == 0 || first_failure_ != 0) continue;
      first_failure_ = exit.code;
      if (processes_.running() > 0 && !ordered_) {
        Say(absl::StrCat("worker ", exit.index, " of ", processes_.size(), " ended with code ", exit.code,
                         "; stopping the other ", processes_.running()));
        StopCommand();
      }
    }
    if (was_running && processes_.running() == 0) Ended();
  }

  void Ended() {
    kill_at_ = absl::InfiniteFuture();
    const int code = first_failure_;
    if (absl::Status s = session_.ReportExit(assignment_, code, ordered_, kReportPatience); !s.ok()) {
      Say(absl::StrCat("could not report the end of the command: ", std::string(s.message())));
    }
    if (leave_) {
      exit_code_ = *leave_;
    } else if (ordered_) {
      talk_.AskForRank();
    } else {
      exit_code_ = code;
    }
  }

  void On(GotOrder& got) {
    if (!got.order.ok()) {
      if (absl::IsCancelled(got.order.status())) return;
      Say(std::string(got.order.status().message()));
      leave_ = ExitCodeOf(got.order.status());
    } else {
      Say(absl::StrCat(got.order->why(), got.order->order() == v1::WatchGangResponse::STOP_AND_REJOIN
                                             ? "; stopping and joining again"
                                             : ""));
      if (got.order->order() == v1::WatchGangResponse::STOP_AND_LEAVE) leave_ = ExitCodeFor(got.order->outcome());
    }
    ordered_ = true;
    if (processes_.running() == 0) return;  // it has just ended by itself
    StopCommand();
  }

  void StopCommand() {
    processes_.Signal(SIGTERM);
    kill_at_ = absl::Now() + options_.grace;
  }

  void Say(const std::string& line) const {
    if (!options_.quiet && !line.empty()) std::fprintf(stderr, "muster: %s\n", line.c_str());
  }

  const ExecOptions& options_;
  Mailbox<Happening>& mailbox_;
  GangSession& session_;
  SessionThread& talk_;
  std::optional<PortReservation> port_;
  v1::Assignment assignment_;
  ProcessSet processes_;
  absl::Time kill_at_ = absl::InfiniteFuture();
  int first_failure_ = 0;
  bool ordered_ = false;      // the command was ended on the coordinator's order
  std::optional<int> leave_;  // then exit with this
  std::optional<int> exit_code_;
};

}  // namespace

bool IsLauncher(const std::vector<std::string>& command) {
  if (command.empty()) return false;
  const std::string program = command[0].substr(command[0].rfind('/') + 1);
  if (program == "torchrun" || program == "deepspeed" || program == "accelerate") return true;
  if (!absl::StartsWith(program, "python")) return false;
  for (size_t i = 1; i + 1 < command.size(); ++i) {
    if (command[i] == "-m") {
      const std::string& module = command[i + 1];
      return module == "torch.distributed.run" || module == "torch.distributed.launch" ||
             module == "accelerate.commands.launch";
    }
    if (!absl::StartsWith(command[i], "-")) return false;
  }
  return false;
}

int Exec(const ExecOptions& options) {
  Mailbox<Happening> mailbox;
  SignalThread signals(mailbox);
  std::optional<PortReservation> port;
  if (absl::StatusOr<PortReservation> taken = PortReservation::Take(options.address); taken.ok())
    port.emplace(*std::move(taken));

  ProgressPrinter printer(options.quiet ? nullptr : stderr);
  GangSession session(Connect(options.server), options.server,
                      Identity{.job = options.job,
                               .pod_index = options.pod_index,
                               .incarnation = options.incarnation,
                               .local_rank = std::nullopt,
                               .node = options.node,
                               .address = options.address,
                               .reserved_port = port ? port->port() : 0,
                               .logs = options.logs},
                      {.progress = [&](const v1::NotReady& not_ready) { printer.Progress(not_ready); },
                       .trouble = [&](const absl::Status& status) { printer.Trouble(status); }},
                      static_cast<uint64_t>(absl::ToUnixNanos(absl::Now())) ^ static_cast<uint64_t>(getpid()));
  SessionThread talk(session, mailbox);
  return Executor(options, mailbox, session, talk, std::move(port)).Run();
}

}  // namespace muster::worker
