"""Runs a command that must not outlive the agent. Run as a script, standard library only, one beside each server.

Its standard input is a pipe that only the agent holds. End of file means that the agent is gone, by whatever means:
the whole process group gets SIGTERM, and SIGKILL a little later. A death signal on the server alone would not do: it is
not handed on to what a start script has started, and it is bound to the thread that forked.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

PATIENCE_SECONDS = 2.0
PR_SET_PDEATHSIG = 1

_LIBC = ctypes.CDLL(None)


def main() -> int:
    """Run the command of the command line to its end.

    Returns:
        Its exit code, as a shell gives it: 128 and the number for a signal.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # A handler rather than SIG_IGN, which the command would inherit.
        signal.signal(number, lambda *_: None)
    try:
        # The one thread there is forks and waits, so the death signal's traps do not apply here.
        server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
    except OSError as error:
        sys.stderr.write(f"{sys.argv[1]} cannot be run: {error}\n")
        return 127
    agent_gone = threading.Event()
    ending = threading.Thread(target=end_after_agent, args=(agent_gone,), daemon=True)
    ending.start()
    code = server.wait()
    if agent_gone.is_set():
        # What the server has started may still be there, and nobody else ends it.
        ending.join()
    return code if code >= 0 else 128 - code


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it is killed."""
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def end_after_agent(agent_gone: threading.Event) -> None:
    """Wait for the end of the pipe, then end the group, this process included.

    Args:
        agent_gone: set as soon as the pipe has ended.
    """
    while os.read(0, 64):
        continue
    agent_gone.set()
    os.killpg(0, signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
