#!/usr/bin/env bash
# round-trip.sh SERVER CLIENT
# Starts a relay, subscribes, publishes three lines, looks at its admin port, has it read its configuration again, stops
# it, and looks at what came out; no JVM may warn. Both are several words: what starts a relay that reports as JSON, and
# what starts relay-client.
set -euo pipefail
read -r -a server <<<"$1"
read -r -a client <<<"$2"

dir=$(mktemp -d)
relay=
got=
finish() {
    for process in $relay $got; do
        kill "$process" 2>/dev/null || true
    done
    rm -rf "$dir"
}
trap finish EXIT

fail() {
    echo "round trip: $1" >&2
    cat "$dir"/* >&2
    exit 1
}

# await TEXT [FILE]: until the relay has said it; for two minutes, which only a hang takes.
await() {
    for _ in $(seq 1200); do
        grep -q "$1" "$dir/${2-relay}" && return
        kill -0 "$relay" 2>/dev/null || fail "the relay ended"
        sleep 0.1
    done
    fail "the relay did not say $1"
}
address() { sed -n "s/.*\"event\":\"ready\".*\"$1\":\"\([^\"]*\)\".*/\1/p" "$dir/relay"; }

"${server[@]}" >"$dir/relay" 2>"$dir/relay.err" &
relay=$!
await '"event":"ready"'
timeout 120 "${client[@]}" subscribe "$(address subscribe)" --print --count 3 >"$dir/got" 2>"$dir/got.err" &
got=$!
await '"subscribers":1'
printf 'one\ntwo\nthree\n' | timeout 120 "${client[@]}" publish "$(address publish)" --type 7 2>"$dir/publish.err" ||
    fail "publish failed"
wait "$got" || fail "subscribe failed"
cat "$dir/got"
[ "$(grep -c -E 'one|two|three' "$dir/got")" = 3 ] || fail "not three messages"

admin=$(address admin)
if [ -n "$admin" ]; then
    timeout 120 "${client[@]}" top --once "$admin" >"$dir/top" 2>"$dir/top.err" || fail "top failed"
    grep -q ready "$dir/top" || fail "top does not say ready"
else
    echo "no admin port, so no top: $(grep 'no admin port' "$dir/relay" || true)"
fi

# A signal that is ignored where a program starts stays so: the first bit is SIGHUP's.
ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' "/proc/$relay/status" 2>/dev/null || true)
if [ -z "$ignored" ] || [ $((0x$ignored & 1)) = 1 ]; then
    echo "SIGHUP is ignored here: not tried"
else
    kill -HUP "$relay"
    await 'configuration read again'
fi

kill -TERM "$relay"
wait "$relay" || fail "the relay ended with $?"
grep '"event":"stopped"' "$dir/relay" || fail "no last line"
! grep -h '^WARNING' "$dir"/*.err || fail "the JVM warns"
