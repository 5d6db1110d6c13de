#!/usr/bin/env python3
"""group.py SECONDS LAUNCHER .. -- TEST .. - tests of a room in one start of MPI, which fe/tests/group.c runs one after the other.

Each TEST is a name and its arguments, one word.  What the tests print is passed on.  A test that dies, or that takes more than
SECONDS, fails, and the others go on in a start of their own.  The last lines name each test that failed, and how; the status is 1
if there is one."""

import os
import queue
import signal
import subprocess
import sys
import threading


def pass_on(pipe, lines):
    for line in pipe:
        lines.put(line)
    lines.put(None)


def stop(started):
    """mpiexec ends its ranks when it is asked to; what is left after that is ended with the group of processes."""
    started.terminate()
    try:
        started.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def run(launcher, tests, seconds):
    """One start: (names that ended, name -> how it failed)."""
    ended, failed, begun = [], {}, None
    started = subprocess.Popen([*launcher, *tests], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    lines = queue.Queue()
    threading.Thread(target=pass_on, args=(started.stdout, lines), daemon=True).start()
    late = False
    while not late:
        try:
            line = lines.get(timeout=seconds)
        except queue.Empty:
            late = True
            break
        if line is None:
            break
        print(line, end="", flush=True)
        word = line.split()
        if word[:2] == ["group:", "begin"] and len(word) > 2:
            begun = word[2]
        elif word[:2] == ["group:", "end"] and len(word) > 3 and word[2] == begun:
            ended.append(begun)
            if word[3] != "ok":
                failed[begun] = "checks are false"
            begun = None
    if late:
        stop(started)
    status = started.wait()
    if begun:
        ended.append(begun)
        failed[begun] = f"no word of it for {seconds:g} s" if late else f"the program ended in it with status {status}"
    elif late or (status and not failed) or len(ended) < len(tests):
        failed.setdefault("start of " + tests[min(len(ended), len(tests) - 1)].split()[0],
                          "no word" if late else f"the program ended with status {status}")
    return ended, failed


def main():
    seconds, split = float(sys.argv[1]), sys.argv.index("--")
    launcher, tests = sys.argv[2:split], sys.argv[split + 1:]
    failed, left = {}, tests
    while left:
        ended, new = run(launcher, left, seconds)
        failed.update(new)
        if not ended:
            break
        left = left[len(ended):]
    ran = len(tests) - len(left)
    print(f"{ran} of {len(tests)} tests ran, {ran - len(failed)} are well" if not left else
          f"{ran} of {len(tests)} tests ran; not run: {', '.join(t.split()[0] for t in left)}")
    for name, how in failed.items():
        print(f"FAILED {name}: {how}")
    return 1 if failed or left else 0


if __name__ == "__main__":
    sys.exit(main())
