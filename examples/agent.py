#!/usr/bin/env python3
"""An agent: takes the work that a site hands out, does it here, and sends the answer back. It calls and is never
called, so it runs behind any firewall. Python 3.9 or later, and nothing else:

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
    """An error whose message the page is told; of any other it is told only that the work failed."""


def work(given, id, partial):
    """YOUR WORK GOES HERE. `given` is what the page sent: whatever JSON can say, and strangers may have sent it. What
    is returned is the answer; `partial` sends a part of it beforehand. It may be called again for the same `id`, by a
    lease that ran out: remember the ids of what must not be done twice."""
    if given is None:
        raise Refused("Send me something.")
    partial(f"Looking at {id}")
    return {"youSent": given}


# ---- What follows is the same for every agent. ----

SILENT = 40  # seconds: a poll is answered within 25, what takes longer is a network that swallows everything
DELIVERED_WITHIN = 60  # seconds, as long as a lease: a result that comes later is another agent's to give
LONGEST_PAUSE = 30

url, token = os.environ.get("STELE_URL"), os.environ.get("STELE_CONNECTOR_TOKEN")
is_stopping = is_idle = False


class Stopped(Exception):
    """Raised in the middle of a poll or a pause, and nowhere else."""


def stop(*_):
    global is_stopping
    is_stopping = True
    if is_idle:
        raise Stopped


class Stay(HTTPRedirectHandler):
    """The token is for this address alone."""

    def redirect_request(self, *_):
        return None


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def ask(path, body=None):
    """Polls, or posts a body; again and again while the service is away or busy. (None, None) when in vain."""
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
                    sys.exit("The service does not know this token (any more).")
                if status != 429 and status < 500:
                    return status, json.loads(text) if text else None
                wait = max(wait, float(kept.get("retry-after", 0)))
                say(f"The service said {status}; again in {wait:.0f} s.")
            except (OSError, HTTPException, ValueError) as fault:
                say(f"{fault}; again in {wait:.0f} s.")
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
    # By the attempt a late result of ours is told from that of another agent with the same token.
    id, attempt = item["id"], item["attempt"]

    def failed(message):
        return json.dumps({"attempt": attempt, "error": {"message": message}})

    def partial(output):
        part = json.dumps({"attempt": attempt, "partial": True, "output": output}, allow_nan=False)
        status, told = ask(f"result/{id}", part)
        if status != 200:
            raise RuntimeError(f"A part was not taken: {told and told.get('code')}")

    try:
        result = json.dumps({"attempt": attempt, "output": work(item["input"], id, partial)}, allow_nan=False)
    except Refused as why:
        result = failed(str(why))
    except Exception:
        traceback.print_exc()
        result = failed("The agent failed.")
    status, told = ask(f"result/{id}", result)
    say(id, "done" if status == 200 else told["code"] if told else "could not be delivered")
    # 409 is a lease that ran out, 404 work that is no more. Any other refusal is about the answer, such as its size.
    if status not in (None, 200, 404, 409):
        ask(f"result/{id}", failed("The answer of the agent was refused."))


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
        sys.exit(f"The service said {status}: {told and told.get('detail')}")
