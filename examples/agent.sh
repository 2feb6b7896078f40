#!/bin/sh
# An agent: polls a site for work, does the work on this machine, and sends back the result. It only makes outgoing
# requests, so it works behind any firewall. It needs a POSIX shell, curl 7.55 or later, jq 1.5 or later, od, sed and
# mktemp:
#
#   STELE_URL=http://localhost:3000 STELE_CONNECTOR_TOKEN=stele_connector_... sh agent.sh

# YOUR WORK GOES HERE. Standard input is the JSON that the page sent. It may come from anyone, so parse it with programs
# such as jq and never put it into a command line or `eval`. Print one JSON value as the result. If `work` returns a
# status other than 0, it has failed, and what it printed is sent to the page as the error message. It may be called
# again for the same ID ($1) after a lease has expired: remember the IDs of work that must not be done twice.
work() {
  jq --compact-output '{ youSent: . }'
}

# ---- What follows is the same for every agent. ----

set -u
umask 077
: "${STELE_URL:?is not set}" "${STELE_CONNECTOR_TOKEN:?is not set}"

room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
# In a file, because command-line arguments are visible to everyone on the machine.
printf 'authorization: Bearer %s\n' "$STELE_CONNECTOR_TOKEN" >"$room/token"

stopping= waiting=
# KILL, because a process that was only just started can still miss another signal.
trap 'stopping=yes; [ -z "$waiting" ] || kill -KILL "$waiting" 2>/dev/null' TERM INT

say() { printf '%s\n' "$*" >&2; }

# ask PATH [FILE]: polls, or posts the file, and retries while the service is unavailable or busy. Writes the response
# to $room/answer and its status to $status, which is empty if there was no response.
ask() {
  path=$1 file=${2-} pause=1 tries=0
  while :; do
    status=
    [ -z "$stopping" ] || [ -n "$file" ] || return 0
    # After the length of a lease, another agent has the work, so stop trying to deliver the result.
    [ -z "$file" ] || [ "$tries" -lt 7 ] || return 0
    # Runs in the background so that signals are handled while it waits. A poll is answered within 25 s.
    if [ -n "$file" ]; then set -- --data-binary "@$file"; else set --; fi
    curl --silent --show-error --max-time 40 --header "@$room/token" --header 'content-type: application/json' \
      --dump-header "$room/head" --output "$room/answer" --write-out '%{http_code}' "$@" \
      "${STELE_URL%/}/v1/connector/$path" >"$room/status" 2>"$room/fault" &
    attend "$!"
    status=$(cat "$room/status")
    case $status in
      401) say 'The connector token is unknown or was revoked.'; exit 1 ;;
      429 | 5??) after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9][0-9]*\).*/\1/p' "$room/head") ;;
      [234]??) return 0 ;;
      *) after=0 ;;
    esac
    [ -z "$stopping" ] || [ -n "$file" ] || continue
    # Between 0.5 and 1.5 times the pause, so that many agents do not reconnect at the same moment.
    rest=$((pause / 2 + $(od -An -N2 -tu2 /dev/urandom) % (pause + 1)))
    [ "${after:-0}" -le "$rest" ] || rest=$after
    say "${status#000} $(cat "$room/fault"); retrying in $rest s"
    sleep "$rest" &
    attend "$!"
    pause=$((pause * 2)) tries=$((tries + 1))
    [ "$pause" -le 30 ] || pause=30
  done
}

# Waits for a background process. A signal ends it if no work is in progress, that is, during a poll or a pause.
attend() {
  [ -n "$file" ] || waiting=$1
  [ -z "$stopping" ] || [ -z "$waiting" ] || kill -KILL "$waiting" 2>/dev/null
  while kill -0 "$1" 2>/dev/null; do wait "$1" 2>/dev/null; done
  waiting=
}

fail() {
  jq --null-input --argjson attempt "$attempt" --arg message "${1:-The agent failed.}" \
    '{ $attempt, error: { $message } }'
}

while [ -z "$stopping" ]; do
  ask 'poll?wait=25'
  case $status in
    200) ;;
    204 | '') continue ;;
    *) say "The service returned $status: $(jq --raw-output .detail "$room/answer")"; exit 1 ;;
  esac
  # The attempt distinguishes a late result of this agent from the result of another agent with the same token.
  id=$(jq --raw-output .id "$room/answer") attempt=$(jq .attempt "$room/answer")
  jq --compact-output .input "$room/answer" >"$room/input"
  # Ctrl-C only reaches this shell, so the current work is finished.
  if (trap '' INT TERM; work "$id") <"$room/input" >"$room/output"; then
    jq --compact-output --slurp --argjson attempt "$attempt" \
      'if length == 1 then { $attempt, output: .[0] } else error("not one value") end' "$room/output" >"$room/result" ||
      fail 'The agent failed.' >"$room/result"
  else
    fail "$(head -c 1000 "$room/output")" >"$room/result"
  fi
  ask "result/$id" "$room/result"
  say "$id ${status:-could not be delivered}"
  case $status in
    # 409: the lease has expired. 404: the work no longer exists. Any other error is about the result, such as its size.
    '' | 200 | 404 | 409) ;;
    *)
      fail 'The result of the agent was rejected.' >"$room/result"
      ask "result/$id" "$room/result"
      ;;
  esac
done
