"""A real browser, spoken to through a pipe: Chromium's own protocol, nothing else."""

import json
import os
import select
import shutil
import subprocess
from itertools import count

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-pipe",
)
PATIENCE = 60


def find_browser():
    """Return the path of a Chromium on this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A Chromium without a window, and one page in it.

    Attributes
    ----------
    complaints : list of str
        Errors and warnings on the console, and scripts that failed.
    requests : list of str
        The addresses that pages asked for.
    """

    def __init__(self, profile):
        to_browser, self._writer = os.pipe()
        self._reader, from_browser = os.pipe()
        flags = " ".join(f"'{flag}'" for flag in (*FLAGS, f"--user-data-dir={profile}"))
        # Chromium listens on descriptor 3 and answers on 4.
        command = f"exec '{find_browser()}' {flags} 3<&{to_browser} 4>&{from_browser}"
        self._process = subprocess.Popen(
            ["bash", "-c", command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers, self._rest, self._session = count(1), b"", None
        self.complaints, self.requests, self._events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Ask for something and return the answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, path):
        """Show a file and wait until it has loaded."""
        self._events.clear()
        # From elsewhere, or a new fragment of the same page would load nothing.
        self.call("Page.navigate", url="about:blank")
        self._wait_for("Page.loadEventFired")
        self._events.clear()
        self.call("Page.navigate", url=path if "://" in path else f"file://{path}")
        self._wait_for("Page.loadEventFired")

    def evaluate(self, script):
        """Return what a script comes to; it may be a promise."""
        answer = self.call(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def close(self):
        """End the browser."""
        os.close(self._writer)
        os.close(self._reader)
        self._process.terminate()
        self._process.wait(timeout=20)

    def _wait_for(self, event):
        while event not in self._events:
            self._read()

    def _read(self):
        while b"\0" not in self._rest:
            is_ready, _, _ = select.select([self._reader], [], [], PATIENCE)
            assert is_ready, f"the browser has said nothing for {PATIENCE} s"
            chunk = os.read(self._reader, 1 << 20)
            assert chunk, "the browser has ended"
            self._rest += chunk
        raw, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(raw)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event, params):
        self._events.append(event)
        if event == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled" and params["type"] != "log":
            self.complaints.append(str(params["args"]))
        elif event == "Log.entryAdded" and params["entry"]["level"] in {
            "error",
            "warning",
        }:
            self.complaints.append(str(params["entry"]))
        elif event == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
