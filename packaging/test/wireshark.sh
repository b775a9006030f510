#!/usr/bin/env bash
# Captures real clients at a real relay in a network namespace of its own, and has tshark take the captures apart with
# packaging/wireshark/relay.lua: what the clients sent and got must be in them. Then captures that begin in the middle,
# lack a segment or have one early, and every test vector of the protocol. What this machine cannot do is skipped, with
# the reason.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() {
    echo "wireshark: skipped: $1"
    exit 0
}

if [ "${1-}" != within ]; then
    [ "$(id -u)" = 0 ] || skip "a capture takes root"
    if ! { command -v tshark && command -v dumpcap; } >/dev/null && command -v apt-get >/dev/null; then
        export DEBIAN_FRONTEND=noninteractive
        { timeout 120 apt-get update && timeout 300 apt-get install -y --no-install-recommends tshark; } >/dev/null 2>&1 || true
    fi
    for tool in tshark dumpcap unshare ip python3; do
        command -v "$tool" >/dev/null || skip "no $tool here"
    done
    unshare -n true 2>/dev/null || skip "no network namespace can be made here"
    # What is missing is built outside, where there is a network.
    bin/relay-server --help >/dev/null
    exec unshare -n "$0" within
fi

work=$(mktemp -d)
relay=
dumpcap=
finish() {
    for process in $relay $dumpcap; do
        kill "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "wireshark: $1" >&2
    exit 1
}

# Whether tshark puts a segment that was captured early in its place.
reorders=FALSE

# Fields of a file by the dissector, one packet to a line; what tshark says itself is shown if it fails.
shark() {
    timeout 300 tshark -X lua_script:packaging/wireshark/relay.lua -o tls.keylog_file:"$work/keys" \
        -o tcp.reassemble_out_of_order:"$reorders" "$@" 2>"$work/shark.err" || {
        cat "$work/shark.err" >&2
        fail "tshark $*"
    }
    if grep -i 'lua.*error' "$work/shark.err" >&2; then
        fail "tshark $*"
    fi
}

# values FIELD CAPTURE [OPTION...]: all values, one to a line, in order.
values() {
    shark -r "$2" "${@:3}" -T fields -E occurrence=a -E aggregator=, -e "$1" | tr ',' '\n' | sed '/^$/d'
}

# seen CAPTURE [OPTION...]: how many frames.
seen() {
    values relay.type "$@" | wc -l
}

equal() {
    [ "$2" = "$3" ] || fail "$1: $2, and not $3"
}

# told EXPERT CAPTURE [OPTION...]: how often.
told() {
    values "relay.expert.$1" "${@:2}" | wc -l
}

# capture NAME: what happens in wireshark.py NAME, from the first SYN to the last FIN.
capture() {
    dumpcap -q -P -s 0 -B 64 -i lo -f 'tcp portrange 7400-7411' -w "$work/$1.pcap" 2>"$work/$1.err" &
    dumpcap=$!
    for _ in $(seq 1200); do
        if grep -q '^File' "$work/$1.err"; then break; fi
        kill -0 "$dumpcap" 2>/dev/null || fail "no capture: $(cat "$work/$1.err")"
        sleep 0.1
    done
    SSLKEYLOGFILE=$work/keys PYTHONPATH=clients/python/src packaging/test/wireshark.py "$1" "$work"
    packaging/test/wireshark.py ended "$work/$1.pcap"
    kill "$dumpcap"
    wait "$dumpcap" || true
    dumpcap=
}

ip link set lo up
bin/relay-server --json --admin none --max-body 64k --log-size 3m \
    --tls-cert clients/conformance/tls/server.pem --tls-key clients/conformance/tls/server.key >"$work/relay" 2>"$work/relay.err" &
relay=$!
for _ in $(seq 1200); do
    if grep -q '"event":"ready"' "$work/relay"; then break; fi
    kill -0 "$relay" 2>/dev/null || fail "the relay ended: $(cat "$work/relay" "$work/relay.err")"
    sleep 0.1
done
for name in plain numbered tls; do
    capture "$name"
done

# A real capture may have a segment early. Without this option tshark cannot read the TLS behind it.
reorders=TRUE

# Plain clients, both ports: each message twice, and no word of a loss.
frames=$(<"$work/frames")
equal "plain, to subscribers" "$(seen "$work/plain.pcap" -Y 'tcp.srcport == 7400')" "$frames"
equal "plain, of type 7 from the publisher" "$(values relay.type "$work/plain.pcap" -Y 'tcp.dstport == 7401' | grep -c '^7$')" 20000
equal "plain, losses" "$(told lost "$work/plain.pcap")" 0
equal "plain, bodies" "$(values relay.body "$work/plain.pcap" -Y 'tcp.srcport == 7400' | awk 'length == 184' | wc -l)" 20000

# With HELLO: the numbers that the client has counted, by the dissector's own count; and with TLS by the client's keys.
numbered() {
    local name=$1 capture=$work/$1.pcap what stream expected
    for what in live some late; do
        case $what in
        live) stream=audit ;;
        *) stream=$what ;;
        esac
        stream=$(values tcp.stream "$capture" -Y "relay.hello.name == \"$stream\"")
        values relay.seq "$capture" -Y "tcp.stream == $stream" "${@:2}" >"$work/got"
        cmp "$work/got" "$work/$name.$what" || fail "$name, $what: $(wc -l <"$work/got") other numbers than the client's"
        shark -r "$capture" -Y "tcp.stream == $stream && relay.gap.from" -T fields -e relay.gap.from -e relay.gap.to >"$work/got"
        cmp "$work/got" "$work/$name.$what.gaps" || fail "$name, $what: other gaps"
    done
    equal "$name, gaps as expert information" "$(told gap "$capture")" 1
    equal "$name, the publisher's numbers" "$(values relay.number "$capture" "${@:2}" | md5sum)" "$(seq 20000 | md5sum)"
    equal "$name, acknowledged" "$(values relay.ack.number "$capture" | tail -1)" 20000
    equal "$name, losses" "$(told lost "$capture")" 0
    equal "$name, wrong counts" "$(told count "$capture")" 0
    equal "$name, malformed" "$(told malformed "$capture")" 0
    values relay.name "$capture" | sort -u >"$work/names"
    for expected in HELLO WELCOME MESSAGE ACK GAP SEQUENCE; do
        grep -qx "$expected" "$work/names" || fail "$name: no $expected"
    done
}
numbered numbered
numbered numbered -2
numbered tls
equal "the ERROR" "$(values relay.error.code "$work/numbered.pcap")" 7
equal "the ERROR as expert information" "$(told error "$work/numbered.pcap")" 1
: >"$work/no-keys"
equal "TLS without keys" "$(seen "$work/tls.pcap" -o tls.keylog_file:"$work/no-keys")" 0

# Ports: by preference alone for plain clients, by HELLO for the others, also within TLS.
no_ports=(-o relay.subscribe:1 -o relay.publish:1 -o relay.tls_subscribe:1 -o relay.tls_publish:1)
equal "plain on an unknown port" "$(seen "$work/plain.pcap" "${no_ports[@]}")" 0
for name in numbered tls; do
    equal "$name, found by HELLO" "$(values relay.seq "$work/$name.pcap" "${no_ports[@]}" | md5sum)" \
        "$(values relay.seq "$work/$name.pcap" | md5sum)"
done

# From here on the captures are edited ones. Their tests name the option where they want it.
reorders=FALSE

# The relay's bytes in packets of other sizes: the largest of a loopback with 654 frames in each, those that the relay
# writes, and those of a link.
edit() {
    packaging/test/wireshark.py edit "$work/$1.pcap" "$work/edited.pcap" "$2"
}
for size in 65483 32768 1448; do
    there=$(edit plain "$size")
    equal "packets of $size" "$(seen "$work/edited.pcap")" "$there"
    equal "packets of $size, losses" "$(told lost "$work/edited.pcap")" 0
    got=$(seen "$work/edited.pcap" -o tcp.desegment_tcp_streams:FALSE)
    [ $((got * 100)) -ge $((there * 95)) ] || fail "packets of $size, not put together: $got of $there frames"
done

# share LEAST WHAT [OPTION...]: of the frames that begin in what was captured; each loss and each new start is told. Where
# the rest of a body happens to look like headers that lead to the first frame, a few are taken for frames too.
share() {
    local least=$1 what=$2 there got
    shift 2
    there=$(edit plain "$what")
    shark -r "$work/edited.pcap" "$@" -T fields -E aggregator=, -e relay.type -e relay.expert.lost -e relay.expert.start \
        >"$work/got"
    got=$(cut -f 1 "$work/got" | tr ',' '\n' | sed '/^$/d' | wc -l)
    [ "$((got * 1000))" -ge "$((there * least))" ] && [ "$got" -le "$((there + 4))" ] || fail "$what $*: $got of $there frames"
    echo "$what $*: $got of $there frames"
    [ "$least" -lt 1000 ] || return 0
    [ "$(cut -f 2 "$work/got" | sed '/^$/d' | wc -l)" -ge 1 ] || fail "$what $*: no loss is told"
    [ "$(cut -f 3 "$work/got" | sed '/^$/d' | wc -l)" -ge 1 ] || fail "$what $*: no new start is told"
}
for order in '' -2; do
    share 975 32768,early=10 ${order:+"$order"}
    share 975 1448,early=300 ${order:+"$order"}
    for size in 65483 32768 1448; do
        share 900 "$size,middle=10" ${order:+"$order"}
        share 900 "$size,missing=10" ${order:+"$order"}
    done
done
for size in 65483 32768 1448; do
    share 1000 "$size,early=10" -o tcp.reassemble_out_of_order:TRUE
done

# Numbers behind a loss: none until a control frame tells where the stream stands, and then the right ones.
edit numbered 32768,missing=5 >/dev/null
values relay.seq "$work/edited.pcap" >"$work/got"
[ "$(wc -l <"$work/got")" -gt 0 ] || fail "no numbers before a loss"
sort "$work/got" | comm -23 - <(sort "$work/numbered.late" "$work/numbered.live") >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "numbers that no client got: $(head -3 "$work/wrong")"

# Every frame of the protocol's test vectors: malformed is what is bad, and nothing else.
packaging/test/wireshark.py vectors relay-protocol/src/test/resources/vectors "$work/vectors.pcap" >"$work/vectors"
shark -r "$work/vectors.pcap" -Y 'tcp.len > 0' -T fields -e tcp.stream -e relay.expert.malformed -e relay.expert.lost |
    sort -n | cut -f 2- | paste "$work/vectors" - |
    awk -F '\t' '($1 ~ /^bad/) != ($2 != "" || $3 != "") { print "vector " $1 ": " $2 $3 }' >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "$(cat "$work/wrong")"
equal "vectors" "$(seen "$work/vectors.pcap")" "$(grep -c -v -E 'bad-hello-(negative|oversized|ten-megabytes)' "$work/vectors")"

echo "wireshark: $(tshark --version 2>/dev/null | sed -n 1p), $frames plain messages, $(wc -l <"$work/vectors") vectors"
