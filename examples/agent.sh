#!/bin/sh
# An agent: takes the work that a site hands out, does it here, and sends the answer back. It calls and is never called,
# so it runs behind any firewall. It needs curl 7.55 or later and jq 1.5 or later, any POSIX shell, and od, sed, mktemp:
#
#   STELE_URL=http://localhost:3000 STELE_CONNECTOR_TOKEN=stele_connector_... sh agent.sh

# YOUR WORK GOES HERE. On its standard input is what the page sent, as JSON; strangers may have sent it, so it goes
# through programs that read it and never into a command line or `eval`. What it prints, one JSON value, is the answer;
# with another status than 0 the work has failed, and what it prints is the message that the page is told. It may be
# called again for the same id ($1), by a lease that ran out: remember the ids of what must not be done twice.
work() {
  jq --compact-output '{ youSent: . }'
}

# ---- What follows is the same for every agent. ----

set -u
umask 077
: "${STELE_URL:?is not set}" "${STELE_CONNECTOR_TOKEN:?is not set}"

room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
# In a file, since everybody on a machine sees the words of its commands.
printf 'authorization: Bearer %s\n' "$STELE_CONNECTOR_TOKEN" >"$room/token"

stopping= waiting=
trap 'stopping=yes; [ -z "$waiting" ] || kill "$waiting" 2>/dev/null' TERM INT

say() { printf '%s\n' "$*" >&2; }

# ask PATH [FILE]: polls, or posts the file; again and again while the service is away or busy. The answer is in
# $room/answer, its status in $status; empty when that was in vain.
ask() {
  path=$1 file=${2-} pause=1 tries=0
  while :; do
    status=
    [ -z "$stopping" ] || [ -n "$file" ] || return 0
    # A result that could not be delivered for as long as a lease is another agent's to give.
    [ -z "$file" ] || [ "$tries" -lt 7 ] || return 0
    # It is waited for in the background, so that a signal is heard meanwhile. A poll is answered within 25 s.
    if [ -n "$file" ]; then set -- --data-binary "@$file"; else set --; fi
    curl --silent --show-error --max-time 40 --header "@$room/token" --header 'content-type: application/json' \
      --dump-header "$room/head" --output "$room/answer" --write-out '%{http_code}' "$@" \
      "${STELE_URL%/}/v1/connector/$path" >"$room/status" 2>"$room/fault" &
    attend "$!"
    status=$(cat "$room/status")
    case $status in
      401) say 'The service does not know this token (any more).'; exit 1 ;;
      429 | 5??) after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9][0-9]*\).*/\1/p' "$room/head") ;;
      [234]??) return 0 ;;
      *) after=0 ;;
    esac
    [ -z "$stopping" ] || [ -n "$file" ] || continue
    # Between a half and one and a half of the pause, so that many agents do not come back at the same moment.
    rest=$((pause / 2 + $(od -An -N2 -tu2 /dev/urandom) % (pause + 1)))
    [ "${after:-0}" -le "$rest" ] || rest=$after
    say "${status#000} $(cat "$room/fault"); again in $rest s."
    sleep "$rest" &
    attend "$!"
    pause=$((pause * 2)) tries=$((tries + 1))
    [ "$pause" -le 30 ] || pause=30
  done
}

# Waits for a process in the background, which a signal ends when it is a poll or a pause of ours that has no work.
attend() {
  [ -n "$file" ] || waiting=$1
  [ -z "$stopping" ] || [ -z "$waiting" ] || kill "$waiting" 2>/dev/null
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
    *) say "The service said $status: $(jq --raw-output .detail "$room/answer")"; exit 1 ;;
  esac
  # By the attempt a late result of ours is told from that of another agent with the same token.
  id=$(jq --raw-output .id "$room/answer") attempt=$(jq .attempt "$room/answer")
  jq --compact-output .input "$room/answer" >"$room/input"
  # Ctrl-C is for this shell alone: the work at hand is finished.
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
    # 409 is a lease that ran out, 404 work that is no more. Any other refusal is about the answer, such as its size.
    '' | 200 | 404 | 409) ;;
    *)
      fail 'The answer of the agent was refused.' >"$room/result"
      ask "result/$id" "$room/result"
      ;;
  esac
done
