#!/usr/bin/env python3
"""An agent: polls a site for work, does the work on this machine, and sends back the result. It only makes outgoing
requests, so it works behind any firewall. It needs Python 3.9 or later and nothing else:

  STELE_URL=http://localhost:3000 STELE_CONNECTOR_TOKEN=stele_connector_... python3 agent.py
"""
import json
import os
import random
import signal
import sys
import time
import traceback
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener


class Refused(Exception):
    """An error whose message is sent to the page. For any other error, the page only learns that the work failed."""


def work(given, id, partial):
    """YOUR WORK GOES HERE. `given` is what the page sent: any JSON value, and it may come from anyone. Return the
    result; call `partial` to send a part of it in advance. It may be called again for the same `id` after a lease
    has expired: remember the IDs of work that must not be done twice."""
    if given is None:
        raise Refused("Send me something.")
    partial(f"Looking at {id}")
    return {"youSent": given}


# ---- What follows is the same for every agent. ----

SILENT = 40  # seconds: a poll is answered within 25, so anything longer means that the network drops packets
DELIVERED_WITHIN = 60  # seconds, the length of a lease: after that, another agent has the work
LONGEST_PAUSE = 30

url, token = os.environ.get("STELE_URL"), os.environ.get("STELE_CONNECTOR_TOKEN")
is_stopping = is_idle = False


class Stopped(Exception):
    """Raised only during a poll or a pause."""


def stop(*_):
    global is_stopping
    is_stopping = True
    if is_idle:
        raise Stopped


class Stay(HTTPRedirectHandler):
    """Follows no redirects, so the token is sent only to the configured URL."""

    def redirect_request(self, *_):
        return None


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def ask(path, body=None):
    """Polls, or posts a body, and retries while the service is unavailable or busy. (None, None) without a response."""
    global is_idle
    enough = time.monotonic() + DELIVERED_WITHIN if body else float("inf")
    pause = 0.5
    try:
        is_idle = body is None
        while time.monotonic() < enough:
            if is_stopping and body is None:
                return None, None
            wait = pause * random.uniform(0.5, 1.5)
            try:
                status, kept, text = once(path, body)
                if status == 401:
                    sys.exit("The connector token is unknown or was revoked.")
                if status != 429 and status < 500:
                    return status, json.loads(text) if text else None
                wait = max(wait, float(kept.get("retry-after", 0)))
                say(f"The service returned {status}; retrying in {wait:.0f} s")
            except (OSError, HTTPException, ValueError) as fault:
                say(f"{fault}; retrying in {wait:.0f} s")
            time.sleep(wait)
            pause = min(2 * pause, LONGEST_PAUSE)
    except Stopped:
        pass
    finally:
        is_idle = False
    return None, None


def once(path, body):
    head = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    data = None if body is None else body.encode()
    try:
        with opener.open(Request(f"{url.rstrip('/')}/v1/connector/{path}", data, head), timeout=SILENT) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read()


def handle(item):
    # The attempt distinguishes a late result of this agent from the result of another agent with the same token.
    id, attempt = item["id"], item["attempt"]

    def failed(message):
        return json.dumps({"attempt": attempt, "error": {"message": message}})

    def partial(output):
        part = json.dumps({"attempt": attempt, "partial": True, "output": output}, allow_nan=False)
        status, told = ask(f"result/{id}", part)
        if status != 200:
            raise RuntimeError(f"A partial result was rejected: {told and told.get('code')}")

    try:
        result = json.dumps({"attempt": attempt, "output": work(item["input"], id, partial)}, allow_nan=False)
    except Refused as why:
        result = failed(str(why))
    except Exception:
        traceback.print_exc()
        result = failed("The agent failed.")
    status, told = ask(f"result/{id}", result)
    say(id, "done" if status == 200 else told["code"] if told else "could not be delivered")
    # 409: the lease has expired. 404: the work no longer exists. Any other error is about the result, such as its size.
    if status not in (None, 200, 404, 409):
        ask(f"result/{id}", failed("The result of the agent was rejected."))


if not url or not token:
    sys.exit("Set STELE_URL and STELE_CONNECTOR_TOKEN.")
opener = build_opener(Stay)
signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
while not is_stopping:
    status, told = ask("poll?wait=25")
    if status == 200:
        handle(told)
    elif status not in (None, 204):
        sys.exit(f"The service returned {status}: {told and told.get('detail')}")
