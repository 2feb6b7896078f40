"""Tells schemathesis about Stele's callers, and about refusals that depend on state (refusals.json)."""

import json
import os
import re
import threading
import urllib.error
import urllib.parse
import urllib.request

import schemathesis
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

BASE = os.environ["STELE_FUZZ_BASE"]
OPERATOR = os.environ["STELE_FUZZ_OPERATOR"]
SEEN = os.environ["STELE_FUZZ_SEEN"]
SLUG = "fuzzed-site"
OWNER = "owner@fuzz.example"

with open(os.environ["STELE_FUZZ_REFUSALS"]) as file:
    REFUSALS = json.load(file)

OF_PAGES = {401: "unauthenticated", 403: "forbidden", 404: "not_found", 451: "taken_down", 503: "unavailable"}

lock = threading.RLock()
seen = {}


def ask(method, path, body=None, headers=None):
    """Returns the status and body of a response. The body is parsed if it is JSON."""
    request = urllib.request.Request(BASE + path, method=method, headers=headers or {})
    if isinstance(body, dict):
        body = json.dumps(body).encode()
        request.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(request, data=body, timeout=20) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


def sign_in(email):
    ask("POST", "/v1/auth/start", {"email": email})
    _, outbox = ask("GET", "/dev/outbox.json")
    link = next(mail["links"][0] for mail in outbox if mail["to"] == email)
    _, answer = ask("GET", link[len(BASE):], headers={"accept": "application/json"})
    return answer["token"]


class World:
    """A user with a site. Both are restored if a request has ended the session or deleted the site."""

    def __init__(self):
        self.session = ""
        self.connector = ""
        self.asked = 0
        # True after a refused request, because the session may have ended.
        self.is_doubtful = True

    def kept(self):
        with lock:
            self.asked += 1
            if self.is_doubtful and ask("GET", "/v1/me", headers=self.bearer())[0] != 200:
                self.session = sign_in(OWNER)
            self.is_doubtful = False
            if self.asked % 10 == 1:
                self.mend()
            return self

    def mend(self):
        ask("POST", f"/v1/admin/sites/{SLUG}/restore", headers={"authorization": f"Bearer {OPERATOR}"})
        if ask("GET", f"/v1/sites/{SLUG}", headers=self.bearer())[0] != 200:
            headers = {**self.bearer(), "content-type": "text/html"}
            ask("POST", f"/v1/deploy?slug={SLUG}", b"<h1>Hello</h1>", headers)
            ask("POST", f"/v1/sites/{SLUG}/capabilities", {"name": "connector", "enabled": True}, self.bearer())
            _, made = ask("POST", f"/v1/sites/{SLUG}/connector/tokens", {"name": "agent"}, self.bearer())
            self.connector = made.get("token", "") if isinstance(made, dict) else ""

    def spare(self):
        """Creates another site to delete, because a deleted site's name stays reserved for a month."""
        headers = {**self.bearer(), "content-type": "text/html"}
        return ask("POST", "/v1/deploy", b"<h1>Spare</h1>", headers)[1].get("slug", SLUG)

    def bearer(self):
        return {"authorization": f"Bearer {self.session}"}


world = World()


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Shortens polls: each of hundreds could wait for half a minute, and other tests cover waiting."""
    if case.operation.definition.raw["operationId"] != "pollConnector":
        return
    try:
        is_long = 0.2 < float((case.query or {}).get("wait", 25)) <= 30
    except (TypeError, ValueError):
        return
    if is_long:
        case.query = {**(case.query or {}), "wait": 0.2}


@schemathesis.serializer("application/partial-upload", "application/octet-stream")
def bytes_as_they_are(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.auth(refresh_interval=None)
class Caller:
    """Sends each operation as the caller it is intended for. Erasing and signing out have a user of their own."""

    def get(self, case, ctx):
        raw = case.operation.definition.raw
        schemes = {name for scheme in raw.get("security", []) for name in scheme}
        if "operator" in schemes:
            return OPERATOR
        if "connectorToken" in schemes:
            return world.kept().connector
        if raw["operationId"] == "deleteSite" and (case.path_parameters or {}).get("slug") == SLUG:
            case.path_parameters["slug"] = world.kept().spare()
        if raw["operationId"] in ("eraseMe", "signOut"):
            return sign_in("leaving@fuzz.example")
        return world.kept().session

    def set(self, case, data, ctx):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


def problem_of(response):
    """Returns the code and field of a refusal. Pages have no code, and responses to HEAD have neither."""
    try:
        problem = json.loads(response.content)
        return problem["code"], (problem.get("errors") or [{"path": None}])[0]["path"]
    except (ValueError, KeyError, TypeError):
        return OF_PAGES.get(response.status_code), None


def is_listed(response, case):
    """Reports whether the response is a listed refusal, and counts it for the report."""
    code, path = problem_of(response)
    operation = case.operation.definition.raw["operationId"]
    for refusal in REFUSALS:
        is_it = (
            refusal["code"] == code
            and operation in refusal.get("operations", [operation])
            and re.fullmatch(refusal.get("path", ".*"), path or "")
        )
        if not is_it:
            continue
        with lock:
            key = f"{response.status_code} {code}" + (f" {path}" if "path" in refusal else "")
            seen[key] = seen.get(key, 0) + 1
            with open(SEEN, "w") as file:
                json.dump(seen, file)
        return True
    return False


@schemathesis.check
def described_requests_are_taken(ctx, response, case):
    """Works like schemathesis' own check, but accepts listed refusals."""
    try:
        positive_data_acceptance(ctx, response, case)
    except AssertionError:
        if not is_listed(response, case):
            raise


@schemathesis.check
def strangers_are_refused(ctx, response, case):
    """Works like schemathesis' own check, but accepts a 404 if the site is hidden from strangers."""
    try:
        return ignored_auth(ctx, response, case)
    except AssertionError as failure:
        if "got `404 Not Found`" in failure.message and is_hidden(case):
            return None
        raise


def is_hidden(case):
    """Reports whether strangers get 404 for the site: it is hidden from them, or the request has deleted it."""
    slug = (case.path_parameters or {}).get("slug")
    if "/sites/{slug}" not in case.path or slug is None:
        return False
    status, problem = ask("GET", "/v1/sites/" + urllib.parse.quote(str(slug), safe=""))
    return status == 404 and isinstance(problem, dict) and problem.get("code") == "site_not_found"


@schemathesis.check
def never_fails(ctx, response, case):
    """Fails on any 5xx except those that report a feature which this service lacks."""
    if response.status_code == 401:
        world.is_doubtful = True
    if response.status_code >= 500 and not is_listed(response, case):
        raise AssertionError(f"It failed: {response.status_code} {problem_of(response)}")
