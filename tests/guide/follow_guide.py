#!/usr/bin/env python3
"""Follows a page of the guide word for word: follow_guide.py PAGE.md PROGRAM...

Runs, in one shell and in the page's order, every command of its ```console blocks, after writing the files that its
```yaml blocks name in their first line (`# hello.yaml`). A command is a line that begins with `$ ` and those that
continue it (indented, or closing a loop); the other lines are what the page says that it prints. PROGRAMs (paths of
musterd, muster-agent, muster) are what those names call.

A printed line matches whatever differs between two runs: numbers, times, ids, widths of columns. Every line of the page
must be printed, in that order; more may be, as the page leaves lines out where it says so. `muster get ...` is repeated
for up to RETRY_SECONDS until it matches, as its reader would do while agents come up.

The page's own paths and ports are private to the run: /tmp/muster is a temporary folder, musterd's ports are free ones.
Nothing that the shell started outlives the run. Last line: `N passed, N failed`, a command each.
"""
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

COMMAND_SECONDS = 120
RETRY_SECONDS = 15


class Step:
    def __init__(self, line_number, command):
        self.line_number = line_number
        self.command = command
        self.printed = []


def read_page(path):
    """The page's files {name: text} and its steps."""
    files, steps = {}, []
    fence, block, first = None, [], 0
    with open(path, encoding="utf-8") as page:
        for number, line in enumerate(page, 1):
            line = line.rstrip("\n")
            if not line.startswith("```"):
                block.append(line)
            elif fence is None:
                fence, block, first = line[3:].strip(), [], number + 1
            else:
                if fence == "yaml" and block and re.fullmatch(r"# [\w.-]+\.yaml", block[0]):
                    files[block[0][2:]] = "\n".join(block) + "\n"
                elif fence == "console":
                    steps += read_session(block, first)
                fence, block = None, []
    return files, steps


def read_session(block, first):
    steps = []
    continued = False
    for number, line in enumerate(block, first):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:]))
            continued = line.endswith(("\\", "; do"))
        elif not steps:
            sys.exit(f"line {number}: a console block begins with a command ($ ...)")
        elif continued:
            steps[-1].command += "\n" + line
            if steps[-1].command.split("\n")[0].endswith("; do"):
                continued = not line.strip().startswith("done")
            else:
                continued = line.endswith("\\")
        else:
            steps[-1].printed.append(line)
    return steps


def pattern_of(line):
    """What a printed line must look like, but for numbers, ids and the widths of columns."""
    out = []
    for word in re.split(r"\s+", line.strip()):
        word = re.sub(r"\b(test|rcp|job)-[0-9a-f-]{8,}", r"\1-SOMEID", word)
        word = re.sub(r"\d+", "NUMBER", word)
        word = re.escape(word).replace("NUMBER", r"\d+").replace("SOMEID", "[0-9a-f-]+")
        out.append(r"(now|\d+ s ago)" if word == "now" else word)
    return re.compile(r"\s*" + r"\s+".join(out) + r"\s*$")


def missing_line(printed, output):
    """The first line of the page that the output lacks, or None."""
    lines = iter(output.splitlines())
    for expected in printed:
        if expected.strip() and not any(pattern_of(expected).match(line) for line in lines):
            return expected
    return None


class Shell:
    """One interactive reader's shell: jobs, variables and %1 last from command to command."""

    def __init__(self, environment, folder):
        self.folder = folder
        # The shell tells the end of each command here.
        self.told, tells = os.pipe()
        self.tells = tells
        self.process = subprocess.Popen(
            ["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment, cwd=folder, text=True, start_new_session=True, pass_fds=[tells])
        os.close(tells)
        self.count = 0
        self.send("set -m")

    def send(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def run(self, command):
        """Exit status and output; the status is None if it took longer than COMMAND_SECONDS."""
        self.count += 1
        self.send(f"{{ {command}\n}} >.{self.count}.out 2>&1 </dev/null {self.tells}>&-\necho $? >&{self.tells}")
        ended, _, _ = select.select([self.told], [], [], COMMAND_SECONDS)
        status = int(os.read(self.told, 16)) if ended else None
        return status, self.output()

    def output(self):
        """What the latest command has printed so far."""
        with open(os.path.join(self.folder, f".{self.count}.out"), encoding="utf-8", errors="replace") as out:
            return out.read()

    def end(self):
        self.send("kill $(jobs -p) 2>/dev/null; wait")
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            pass


def children_marked(mark):
    """Processes that carry `mark` in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                if mark.encode() in environ.read().split(b"\0") and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            continue
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_step(shell, step, folder):
    command = step.command.replace("/tmp/muster", folder)
    deadline = time.monotonic() + RETRY_SECONDS
    while True:
        status, output = shell.run(command)
        missing = missing_line(step.printed, output)
        while command.endswith("&") and missing is not None and time.monotonic() < deadline:
            time.sleep(0.05)
            output = shell.output()
            missing = missing_line(step.printed, output)
        if (status == 0 and missing is None) or not command.startswith("muster get") or time.monotonic() > deadline:
            return status, output, missing
        time.sleep(0.2)


def main():
    page, programs = sys.argv[1], sys.argv[2:]
    files, steps = read_page(page)
    if not steps:
        sys.exit(f"{page}: no console block")
    work = tempfile.mkdtemp(prefix="muster-guide.")
    folder = os.path.join(work, "muster")
    for name in ("bin", "home", "here", "muster", "programs"):
        os.mkdir(os.path.join(work, name))
    server, metrics = free_port(), free_port()
    for program in programs:
        name = os.path.basename(program)
        own = f' --listen 127.0.0.1:{server} --metrics 127.0.0.1:{metrics}' if name == "musterd" else ""
        # Copies, as the page makes them: an agent looks for `muster` beside itself.
        copy = shutil.copy(program, os.path.join(work, "programs"))
        wrapper = os.path.join(work, "bin", name)
        with open(wrapper, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\nexec {copy}{own} "$@"\n')
        os.chmod(wrapper, 0o755)
    for name, text in files.items():
        with open(os.path.join(work, "here", name), "w", encoding="utf-8") as file:
            file.write(text)

    mark = f"MUSTER_GUIDE={work}"
    shell = Shell({"PATH": f"{work}/bin:/usr/bin:/bin", "HOME": f"{work}/home", "LANG": "C.UTF-8",
                   "MUSTER_SERVER": f"127.0.0.1:{server}", "MUSTER_GUIDE": work}, os.path.join(work, "here"))
    passed = failed = 0
    try:
        for step in steps:
            status, output, missing = run_step(shell, step, folder)
            if status == 0 and missing is None:
                passed += 1
                continue
            failed += 1
            print(f"{page}:{step.line_number}: $ {step.command}")
            print("  took too long" if status is None else f"  exit status {status}")
            if missing is not None:
                print(f"  the page promises a line that was not printed:\n    {missing}")
            print("  printed:\n" + "".join(f"    {line}\n" for line in output.splitlines()[-40:]))
            if status is None:
                break
    finally:
        shell.end()
        left = children_marked(mark)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if left:
            failed += 1
            print(f"{page}: {len(left)} processes were left running when its shell had ended theirs")
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
