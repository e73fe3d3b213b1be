"""Opens a page in a browser without a window, does steps, and tells what came of them.

Arguments: the page, a folder for the browser's own files, the steps as JSON, a list of objects:
`eval` (an expression, whose value is told), `key` (one that is pressed), `type` (text that is
typed), `media` (light or dark), `width` (of the window), `shot` (a file for a picture of the page).
Written is one JSON object: `values` (of the expressions), `log` (complaints of the browser),
`requests` (what was asked for beside the page).
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27}


class Browser:
    """The browser at the other end of two pipes: messages end with a zero byte."""

    def __init__(self, folder):
        # The browser reads from 3 and writes to 4.
        theirs_in, self.out = os.pipe()
        self.into, theirs_out = os.pipe()
        names = ["chromium", "google-chrome", "chromium-browser"]
        program = next(filter(None, map(shutil.which, names)), names[0])
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        command += ["--remote-debugging-pipe", f"--user-data-dir={folder}"]
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.session, self.events = b"", 0, None, []

    def message(self):
        while b"\0" not in self.rest:
            read = os.read(self.into, 1 << 16)
            if not read:
                sys.exit("the browser ended")
            self.rest += read
        whole, self.rest = self.rest.split(b"\0", 1)
        return json.loads(whole)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while (answer := self.message()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())


def press(browser, key):
    code = KEYS.get(key, ord(key[0].upper()))
    text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
    event = {"key": key, "windowsVirtualKeyCode": code}
    browser.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **event)


def picture(browser, path):
    size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))


def do(browser, step):
    """Returns the value of an expression, in a list."""
    (what, value), = step.items()
    if what == "eval":
        told = browser.call(
            "Runtime.evaluate", expression=value, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in told:
            sys.exit(f"{value}: {told['exceptionDetails']}")
        return [told["result"].get("value")]
    if what == "key":
        press(browser, value)
    elif what == "type":
        browser.call("Input.insertText", text=value)
    elif what == "media":
        feature = {"name": "prefers-color-scheme", "value": value}
        browser.call("Emulation.setEmulatedMedia", features=[feature])
    elif what == "width":
        size = {"width": value, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **size)
    elif what == "shot":
        picture(browser, value)
    else:
        sys.exit(f"unknown step {what}")
    return []


def main():
    page, folder, steps = sys.argv[1:]
    browser = Browser(folder)
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
    browser.session = attached["sessionId"]
    for domain in ["Page", "Runtime", "Log", "Network"]:
        browser.call(f"{domain}.enable")
    # Without a window nothing has the focus otherwise.
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.events.clear()
    url = pathlib.Path(page).resolve().as_uri()
    browser.call("Page.navigate", url=url)
    browser.wait("Page.loadEventFired")
    values = [value for step in json.loads(steps) for value in do(browser, step)]
    log, requests = [], []
    for event in browser.events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded":
            log.append(params["entry"]["text"])
        elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            log.append(json.dumps(params))
        elif method == "Network.requestWillBeSent":
            requests.append(params["request"]["url"])
    requests.remove(url)
    json.dump({"values": values, "log": log, "requests": requests}, sys.stdout)
    browser.session = None
    browser.call("Browser.close")
    browser.process.wait()


main()
