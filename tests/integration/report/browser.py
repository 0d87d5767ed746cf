"""A page in headless Chromium, driven through the DevTools pipe: sizes, colour schemes, keys and scripts."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.programs import program

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",  # the pages are our own, and a container's root may not have a sandbox
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--remote-debugging-pipe",
)
LAUNCH = (
    "import os, sys; [os.dup2(int(end), number) for number, end in enumerate(sys.argv[1:3], 3)]; "
    "os.execv(sys.argv[3], sys.argv[3:])"
)
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "Backspace": 8}


class Browser:
    """A browser with one tab.

    Commands and answers are JSON texts that end with a null byte, on the file descriptors 3 and 4 of the browser.
    """

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = commands
        self._answers = answers
        self._unread = b""
        self._events: list[str] = []
        self._number = 0
        self._session = ""
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: object) -> Any:
        """Give a command and wait for its answer; what the page complains about meanwhile is kept."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        command |= {"sessionId": self._session} if self._session else {}
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._hear(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            read = os.read(self._answers, 2**20)
            if not read:
                raise RuntimeError("the browser has ended")
            self._unread += read
        text, _, self._unread = self._unread.partition(b"\0")
        return json.loads(text)

    def _hear(self, event: dict[str, Any]) -> None:
        name, said = event["method"], event.get("params", {})
        self._events.append(name)
        if name == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif name == "Log.entryAdded" and said["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(said["entry"]["text"])
        elif name == "Network.requestWillBeSent" and not said["request"]["url"].startswith(
            ("file:", "data:", "about:")
        ):
            self.complaints.append(f"request for {said['request']['url']}")

    def open(
        self,
        page: Path,
        *,
        width: int = 1440,
        height: int = 900,
        scheme: str = "light",
        medium: str = "",
        scripts: bool = True,
    ) -> None:
        """Open a page in a window of a size, a colour scheme and a medium ("print"), with or without its scripts."""
        self.resize(width, height)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=medium, features=features)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.complaints, self._events = [], []
        self.call("Page.navigate", url=page.resolve().as_uri())
        while "Page.loadEventFired" not in self._events:
            self._hear(self._next())
        if scripts:
            self.settle()

    def resize(self, width: int, height: int = 900) -> None:
        """Change the window's size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"]["exception"].get("description", answer["result"]))
        return answer["result"].get("value")

    def settle(self) -> None:
        """Wait until the page has been laid out and what it waits for briefly has happened."""
        self.run("new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 200))")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key, as a reader would."""
        code = KEYS.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        about = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Type a text into what has the focus, and wait for what the page makes of it."""
        self.call("Input.insertText", text=text)
        self.settle()


@contextmanager
def browser() -> Generator[Browser]:
    """A browser that ends with the block; the test is skipped where Chromium is not installed."""
    chromium = program(*NAMES)
    to_browser, commands = os.pipe()
    answers, from_browser = os.pipe()
    # Out of the way of 3 and 4, which LAUNCH makes of them.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
    launch = [sys.executable, "-ISc", LAUNCH, *map(str, ends)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [*launch, chromium, *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=ends,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        try:
            yield Browser(commands, answers)
        finally:
            os.close(commands)  # which ends the browser
            process.wait(timeout=30)
            os.close(answers)
