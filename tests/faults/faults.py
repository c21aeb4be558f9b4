#!/usr/bin/env python3
"""Real faults on hosts that are network namespaces of this machine: who is accused, on what evidence, what becomes of the job.

Five hosts (veth, bridge, `tc tbf`), one coordinator, a gang of four and a spare. Each row starts all anew, breaks one thing and
checks the receipt and the job. Needs root (namespaces, tc); without, it says so and fails where CI is set.

usage: faults.py BIN [ROW...]      BIN: folder with server/main/musterd, client/agent/muster-agent, client/cli/muster
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HOSTS = 5
NET = "10.77.0"
ROW_SECONDS = 600
TAG = "mf%d" % (os.getpid() % 10000)

JOB = """
name: train
spec:
  members: 4
  workersPerMember: 1
  mesh: {dialect: megatron, axes: {tp: 1, pp: 2, dp: 2}}
  selfTest: {profile: quick, backend: %(backend)s%(more)s}
  limits: {maxTries: 3, repairDeadline: 4m}
  launch: {kind: agent, command: [/bin/true]}
"""


def run(*command, check=True):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stdout.strip()))
    return done.stdout


def space(host):
    return "%s-%s" % (TAG, host)


def inside(host, *command, check=True):
    return run("ip", "netns", "exec", space(host), *command, check=check)


class Network:
    """Hosts h1..hN and a switch, all in namespaces, so that nothing is left in the root one."""

    names = ["sw"] + ["h%d" % i for i in range(1, HOSTS + 1)]

    def __enter__(self):
        try:
            for name in self.names:
                run("ip", "netns", "add", space(name))
                inside(name, "ip", "link", "set", "lo", "up")
            inside("sw", "ip", "link", "add", "br0", "type", "bridge")
            inside("sw", "ip", "addr", "add", NET + ".1/24", "dev", "br0")
            inside("sw", "ip", "link", "set", "br0", "up")
            for i in range(1, HOSTS + 1):
                host, port = "h%d" % i, "p%d" % i
                inside("sw", "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space(host))
                inside("sw", "ip", "link", "set", port, "master", "br0", "up")
                inside(host, "ip", "addr", "add", address(host) + "/24", "dev", "eth0")
                inside(host, "ip", "link", "set", "eth0", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            run("ip", "netns", "del", space(name), check=False)


def address(host):
    return "%s.%d" % (NET, 10 + int(host[1:]))


def slow_out(host, rate):
    inside(host, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "64kb", "latency", "400ms")


def slow_in(host, rate):
    inside("sw", "tc", "qdisc", "add", "dev", "p" + host[1:], "root", "tbf", "rate", rate, "burst", "64kb", "latency",
           "400ms")


def cut(a, b):
    inside(a, "ip", "route", "add", "blackhole", address(b) + "/32")
    inside(b, "ip", "route", "add", "blackhole", address(a) + "/32")


class Hunter(threading.Thread):
    """Sends a signal to every test child of one agent, as soon as it is seen."""

    def __init__(self, agent, number):
        super().__init__(daemon=True)
        self.agent, self.number, self.stop, self.hit = agent, number, False, set()

    def run(self):
        while not self.stop:
            for pid in os.listdir("/proc"):
                if not pid.isdigit() or pid in self.hit:
                    continue
                try:
                    with open("/proc/%s/cmdline" % pid) as f:
                        words = f.read().split("\0")
                    if len(words) > 3 and words[1] == "test-child" and words[3] == str(self.agent):
                        # It takes part before it stops.
                        time.sleep(0.05)
                        os.kill(int(pid), self.number)
                        self.hit.add(pid)
                except (OSError, ValueError):
                    pass
            time.sleep(0.02)


class Cluster:
    def __init__(self, binaries, folder, row):
        self.binaries, self.folder, self.row = binaries, folder, row
        self.processes, self.agents, self.hunters = [], {}, []

    def start(self, host, *command):
        log = open(os.path.join(self.folder, os.path.basename(command[0]) + "-" + host + ".log"), "w")
        process = subprocess.Popen(["ip", "netns", "exec", space(host)] + list(command), stdout=log,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        self.processes.append(process)
        return process

    def __enter__(self):
        self.start("sw", self.binaries + "/server/main/musterd", "--listen", NET + ".1:7070",
                   "--i-know-this-is-insecure-listen", "--metrics", "127.0.0.1:9090", "--data", self.folder + "/data")
        for i in range(1, HOSTS + 1):
            host = "h%d" % i
            flags = self.row.get("flags", {}).get(host, [])
            process = self.start(host, self.binaries + "/client/agent/muster-agent", "--server", NET + ".1:7070",
                                 "--node-name", host, "--address",
                                 self.row.get("addresses", {}).get(host, address(host)), "--gpus", "1", "--data",
                                 self.folder + "/" + host, "--allow-launch", "--muster-binary",
                                 self.binaries + "/client/cli/muster", "--label", "topology.muster.dev/rack=r1", *flags)
            self.agents[host] = process.pid  # `ip netns exec` becomes the program
        self.wait(lambda: len(self.ask("get", "nodes").get("nodes", [])) == HOSTS, 60, "all agents to register")
        for host, number in self.row.get("hunt", {}).items():
            self.hunters.append(Hunter(self.agents[host], number))
            self.hunters[-1].start()
        return self

    def __exit__(self, *_):
        for hunter in self.hunters:
            hunter.stop = True
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass
            process.wait()

    def muster(self, *words):
        return inside("sw", self.binaries + "/client/cli/muster", *words, "--server", NET + ".1:7070", check=False)

    def ask(self, *words):
        try:
            return json.loads(self.muster(*words, "-o", "json"))
        except ValueError:
            return {}

    def wait(self, done, seconds, what):
        until = time.time() + seconds
        while time.time() < until:
            if done():
                return
            time.sleep(0.3)
        raise RuntimeError("waited %d s for %s" % (seconds, what))

    def run_job(self):
        path = self.folder + "/job.yaml"
        with open(path, "w") as f:
            f.write(JOB % {"backend": self.row.get("backend", "gloo"), "more": self.row.get("more", "")})
        print(self.muster("submit", "-f", path), end="", file=sys.stderr)
        job = {}

        def ended():
            nonlocal job
            job = self.ask("get", "job", "train")
            return job.get("phase") == "FINISHED"

        self.wait(ended, ROW_SECONDS, "the job to end")
        receipts = self.ask("get", "receipts", "--job", "train").get("receipts", [])
        return job, [self.ask("describe", "receipt", r["id"]) for r in reversed(receipts)]


def text_of(a):
    return " ".join(w for w in (a.get("kind", ""), a.get("node", ""), a.get("part", "")) if w)


ROWS = [
    {"name": "healthy", "accused": [], "result": "SUCCEEDED"},
    {"name": "slow link, one way", "break": lambda: slow_out("h3", "16mbit"), "accused": ["NODE h3"],
     "result": "SUCCEEDED"},
    {"name": "slow node", "break": lambda: (slow_out("h2", "16mbit"), slow_in("h2", "16mbit")), "accused": ["NODE h2"],
     "result": "SUCCEEDED"},
    {"name": "dead link", "break": lambda: cut("h1", "h4"), "more": ", deadline: 30s", "accused": ["LINK h1 h4"],
     "result": "SUCCEEDED"},
    {"name": "peer stops (SIGSTOP)", "hunt": {"h3": signal.SIGSTOP}, "accused": ["NODE h3"], "result": "SUCCEEDED"},
    {"name": "child dies (SIGKILL)", "hunt": {"h2": signal.SIGKILL}, "accused": ["NODE h2"],
     "result": "SUCCEEDED"},
    {"name": "corrupted payload", "backend": "simulated", "flags": {"h3": ["--simulate-corrupt", "0.01"]},
     "accused": ["NODE h3"], "result": "SUCCEEDED", "hint": "wrong data"},
    {"name": "wrong interface", "addresses": {"h2": NET + ".99"}, "accused": ["CONFIG"], "result": "FAILED",
     "hint": "--address"},
]


def judge(row, job, receipts):
    """What is wrong with the outcome; empty: nothing."""
    accused = [a for r in receipts for a in r.get("accused", [])]
    named = [text_of(a) for a in accused]
    if sorted(set(named)) != sorted(row["accused"]):
        return "accused %s" % (named or "nobody")
    if job.get("result") != row["result"]:
        return "job %s: %s" % (job.get("result"), job.get("why"))
    if row["accused"] and row["result"] == "SUCCEEDED":
        culprit = row["accused"][0].split()[-1]
        last = receipts[-1]
        if last.get("verdict") not in ("PASS", "WARN"):
            return "the job ran with a receipt of %s" % last.get("verdict")
        if culprit in [r["node"] for r in last["placement"]["ranks"]]:
            return "the job ran on %s" % culprit
    words = " ".join([job.get("why", "")] + [a.get("hint", "") + " ".join(a.get("evidence", [])) for a in accused])
    if row.get("hint", "") not in words:
        return "no hint at %s" % row["hint"]
    return ""


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    binaries, only = os.path.abspath(sys.argv[1]), sys.argv[2:]
    try:
        with Network():
            pass
    except (RuntimeError, OSError) as e:
        print("faults: network namespaces are not permitted here: %s" % e)
        return 1 if os.environ.get("CI") else 0
    failed, table = 0, []
    for row in ROWS:
        if only and row["name"] not in only:
            continue
        folder = tempfile.mkdtemp(prefix="muster-faults-")
        start, job, receipts = time.time(), {}, []
        try:
            with Network():
                row.get("break", lambda: None)()
                with Cluster(binaries, folder, row) as cluster:
                    job, receipts = cluster.run_job()
            wrong = judge(row, job, receipts)
        except RuntimeError as e:
            wrong = str(e)
        accused = [a for r in receipts for a in r.get("accused", [])]
        evidence = (accused[0].get("evidence") or [""])[0] if accused else ""
        table.append((row["name"], ", ".join(sorted({text_of(a) for a in accused})) or "nobody",
                      (receipts[0].get("verdict", "") if receipts else "-"), job.get("result", "-").lower(),
                      "%.0f" % (time.time() - start), wrong or "right", evidence))
        print("%-22s %-14s %-13s %-10s %4s s  %s" % table[-1][:6], flush=True)
        if evidence:
            print("    %s" % evidence, flush=True)
        if wrong:
            failed += 1
            print("    logs: %s" % folder)
        else:
            shutil.rmtree(folder)
    print("%d passed, %d failed" % (len(table) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
