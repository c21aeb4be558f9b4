#!/usr/bin/env python3
"""Prints what a `bazel test` did, from its build events: tools/test-summary.py EVENTS.json

EVENTS.json is what `bazel test --build_event_json_file=EVENTS.json` wrote, so only targets of that very run count, also
those whose result came from the cache. Test cases are read from each target's test.xml. A target that did not build, or
failed outside any of its cases (crash, time-out), counts as one failed case. The last line is `N passed, N failed`,
test cases both. Exit status: 0 if nothing failed and something passed, else 1.
"""
import json
import sys
import urllib.parse
import xml.etree.ElementTree as ET

SLOW_SECONDS = 10
SLOW_SHOWN = 3


def read_events(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


class Target:
    def __init__(self):
        self.status = None
        self.cached = True
        self.seconds = 0.0
        self.xml = []
        self.passed = self.failed = self.skipped = 0
        self.failures = []

    def ok(self):
        return self.status == "PASSED"

    def count_cases(self):
        for path in self.xml:
            try:
                cases = ET.parse(path).getroot().iter("testcase")
            except (OSError, ET.ParseError):
                continue
            for case in cases:
                name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
                if case.find("failure") is not None or case.find("error") is not None:
                    self.failed += 1
                    self.failures.append(name)
                elif case.find("skipped") is not None or case.get("status") == "notrun":
                    self.skipped += 1
                else:
                    self.passed += 1
        if not self.ok() and self.failed == 0:
            self.failed = 1
        if self.ok() and self.passed + self.failed + self.skipped == 0:
            self.passed = 1


def collect(path):
    targets = {}
    for event in read_events(path):
        ids = event.get("id", {})
        if "testResult" in ids and "testResult" in event:
            target = targets.setdefault(ids["testResult"]["label"], Target())
            result = event["testResult"]
            target.cached &= bool(result.get("cachedLocally") or result.get("executionInfo", {}).get("cachedRemotely"))
            for output in result.get("testActionOutput", []):
                if output.get("name") == "test.xml" and output.get("uri", "").startswith("file://"):
                    target.xml.append(urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path))
        elif "testSummary" in ids and "testSummary" in event:
            target = targets.setdefault(ids["testSummary"]["label"], Target())
            target.status = event["testSummary"].get("overallStatus", "NO_STATUS")
            target.seconds = int(event["testSummary"].get("totalRunDurationMillis", 0)) / 1000
        elif "targetCompleted" in ids and not event.get("completed", {}).get("success"):
            # Without a summary of its own: it did not build.
            target = targets.setdefault(ids["targetCompleted"]["label"], Target())
            target.status = target.status or "FAILED_TO_BUILD"
    return targets


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    targets = collect(sys.argv[1])
    for target in targets.values():
        target.count_cases()

    bad = sorted(label for label, target in targets.items() if not target.ok())
    good = [target for target in targets.values() if target.ok()]
    slow = sorted(((t.seconds, l) for l, t in targets.items() if t.seconds >= SLOW_SECONDS and not t.cached), reverse=True)

    print()
    for label in bad:
        target = targets[label]
        print(f"{target.status.replace('_', ' '):<16}{label}")
        for name in target.failures[:10]:
            print(f"{'':<16}  {name}")
        if len(target.failures) > 10:
            print(f"{'':<16}  and {len(target.failures) - 10} more")
    for seconds, label in slow[:SLOW_SHOWN]:
        print(f"slow {seconds:8.1f} s  {label}")
    cached = sum(target.cached for target in good)
    skipped = sum(target.skipped for target in targets.values())
    print(
        f"test targets: {len(good)} passed ({cached} unchanged since their last run), {len(bad)} failed"
        + (f"; test cases skipped: {skipped}" if skipped else "")
    )
    passed = sum(target.passed for target in targets.values())
    failed = sum(target.failed for target in targets.values())
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if bad or failed or not passed else 0)


if __name__ == "__main__":
    main()
