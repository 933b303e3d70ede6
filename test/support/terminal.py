"""Runs a program in a pseudo-terminal and types into it. Standard input: a JSON object with "command" (a list of
words) and "steps" (each with "awaits", a text that the screen must show first, and "types"). Standard output: a
JSON object with "screen", all that the terminal showed, and "code", the exit code (minus the signal's number)."""
import json
import os
import pty
import select
import sys
import time

LONGEST_S = 60

plan = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(plan["command"][0], plan["command"])

screen = b""
seen = 0
steps = list(plan["steps"])
ends_at = time.monotonic() + LONGEST_S
while time.monotonic() < ends_at:
    while steps:
        found = screen.find(steps[0]["awaits"].encode(), seen)
        if found < 0:
            break
        seen = found + len(steps[0]["awaits"].encode())
        os.write(terminal, steps[0]["types"].encode())
        steps.pop(0)
    ready, _, _ = select.select([terminal], [], [], 0.2)
    if not ready:
        continue
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # Linux says so when the last holder of the other end is gone.
        break
    if not piece:
        break
    screen += piece
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
json.dump(
    {
        "screen": screen.decode(errors="replace"),
        "code": os.waitstatus_to_exitcode(status),
        "untyped": len(steps),
    },
    sys.stdout,
)
