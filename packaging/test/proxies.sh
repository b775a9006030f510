#!/usr/bin/env bash
# Tries real proxies in front of a relay: what docs/operations.md, "What stands in front", says of each of them. On
# loopback, at free ports. A program that is not here comes from Debian's packages, which are unpacked, not installed, so
# that no service starts; where that cannot be done, its checks are skipped with the reason.
set -uo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
unpacked=$work/unpacked
relays=()
passed=0
failed=0
skipped=0

finish() {
    for process in "${relays[@]}"; do
        kill -CONT "$process" 2>/dev/null
        kill "$process" 2>/dev/null
    done
    wait
    rm -rf "$work"
}
trap finish EXIT

# check NAME COMMAND...: COMMAND says what it does not like and fails, or says why it cannot try and ends with 77.
check() {
    local name=$1 code
    shift
    # Not in a list with ||: bash would go on behind what fails.
    (set -e; trap stop_jobs EXIT; "$@") >"$work/said" 2>&1
    code=$?
    case $code in
    0) passed=$((passed + 1)) && echo "ok       $name" ;;
    77) skipped=$((skipped + 1)) && echo "skipped  $name: $(tail -1 "$work/said")" ;;
    *)
        failed=$((failed + 1))
        echo "FAILED   $name: exit code $code"
        sed 's/^/         /' "$work/said"
        ;;
    esac
}

skip() {
    echo "$1" >&2
    exit 77
}

stop_jobs() {
    local process
    for process in $(jobs -p); do
        kill "$process" 2>/dev/null || true
    done
}

# ---- programs -----------------------------------------------------------------------------------------------------------

# fetch_programs: unpacks what is missing. What it cannot fetch, needs says later.
fetch_programs() {
    local packages=(nginx libnginx-mod-stream haproxy stunnel4 socat openssh-server openssh-client) deb
    mkdir -p "$unpacked" "$work/archives/partial"
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
    download() {
        timeout 300 apt-get install -y --download-only --no-install-recommends \
            -o "Dir::Cache::archives=$work/archives" "${packages[@]}" >/dev/null 2>&1
    }
    download || { timeout 120 apt-get update >/dev/null 2>&1 && download; } || return 0
    for deb in "$work"/archives/*.deb; do
        [ ! -e "$deb" ] || dpkg -x "$deb" "$unpacked"
    done
}

# needs PROGRAM...: each of them is here, or the check is skipped.
needs() {
    local program
    for program in socat "$@"; do
        command -v "$program" >/dev/null ||
            skip "no $program here, and apt-get could not fetch it (that needs root and a network)"
    done
}

# run PROGRAM ARGUMENT...: with the libraries that came with it. In the background it is the program's own process.
run() {
    exec env "LD_LIBRARY_PATH=$libraries" "$@"
}

socat_() {
    (run socat "$@")
}

# ---- relays and clients -------------------------------------------------------------------------------------------------

# start_relay NAME ARGUMENT...: at free ports, which address tells.
start_relay() {
    local name=$1
    shift
    bin/relay-server --json --publish-port 0 --subscribe-port 0 --admin 127.0.0.1:0 --health 127.0.0.1:0 --heartbeat 1s \
        "$@" >"$work/$name.relay" 2>"$work/$name.err" &
    relays+=($!)
    eventually 60 grep -q '"event":"ready"' "$work/$name.relay" ||
        { echo "no relay: $(cat "$work/$name.relay" "$work/$name.err")" >&2 && exit 1; }
}

# address NAME KEY: a port of that relay, as host:port.
address() {
    sed -n "s/.*\"event\":\"ready\".*\"$2\":\"\([^\"]*\)\".*/\1/p" "$work/$1.relay"
}

# eventually SECONDS COMMAND...: until it succeeds.
eventually() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

free_port() {
    local port
    while true; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port" && return; }
    done
}

# listens PORT: somebody listens there. No connection is made, which a relay would see.
listens() {
    grep -qi ":$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp
}

# admin NAME PATH: the answer of that relay's admin port.
admin() {
    printf 'GET %s HTTP/1.0\r\n\r\n' "$2" | socat_ -t 30 - "TCP:$(address "$1" admin)" >"$work/answer"
    cat "$work/answer"
}

# shows NAME TEXT: the connections of that relay have the text.
shows() {
    admin "$1" /connections >"$work/connections"
    grep -q "$2" "$work/connections"
}

# hides NAME TEXT: they are listed, and none has it.
hides() {
    admin "$1" /connections >"$work/connections"
    grep -q '"connections":' "$work/connections" && ! grep -q "$2" "$work/connections"
}

# counts NAME COUNTER: its value at /metrics.
counts() {
    admin "$1" /metrics >"$work/metrics"
    sed -n "s/^relay_$2_total \(.*\)\.0$/\1/p" "$work/metrics"
}

# carries RELAY PEER PUBLISH SUBSCRIBE: a message through both ports of a proxy; the relay sees the peer's address. The
# client comes from 127.0.0.2, the proxies are 127.0.0.1. What the relay shows may be a second old: so the subscribers
# of former checks must have gone before.
carries() {
    local text="through $RANDOM" there="\"address\":\"$2:[0-9]*\",\"role\":\"subscriber\""
    eventually 60 hides "$1" "$there" || { echo "$2 stays at the relay" && cat "$work/connections" && return 1; }
    run socat -u "TCP:127.0.0.1:$4,bind=127.0.0.2" "CREATE:$work/got" &
    local subscriber=$!
    eventually 60 shows "$1" "$there" || { echo "no $2 at the relay" && cat "$work/connections" && return 1; }
    printf '\0\0\0\7\0\0\0\15%13s' "$text" | socat_ -u - "TCP:127.0.0.1:$3"
    eventually 30 grep -qa "$text" "$work/got" || { echo "'$text' did not come through" && return 1; }
    kill "$subscriber" 2>/dev/null || true
}

# last_word PORT: what the relay says to a publisher that has sent a wrong frame and ended its output. Both leave in one
# segment, or the relay might speak between them, and be heard by a proxy that loses what comes behind the end.
last_word() {
    printf '\0\0\0\7\177\377\377\377' | socat_ -t 20 - "TCP:127.0.0.1:$1,cork" >"$work/word" || true
    grep -qa 'is over the limit' "$work/word"
}

# cuts_idle PORT: a plain subscriber, which sends nothing and gets nothing, is cut after the 5 s that a check sets.
cuts_idle() {
    socat_ -u "TCP:127.0.0.1:$1" "CREATE:$work/idle" &
    local plain=$!
    eventually 30 gone "$plain" || { echo "an idle connection was not cut" && return 1; }
}

gone() {
    ! kill -0 "$1" 2>/dev/null
}

# keeps_greeted RELAY PORT: a subscriber that said HELLO stays, since a PING comes each second.
keeps_greeted() {
    bin/relay-client subscribe "127.0.0.1:$2" --name greeted --reconnect none >/dev/null 2>"$work/greeted" &
    local client=$!
    eventually 60 shows "$1" '"name":"greeted"' || { cat "$work/greeted" && return 1; }
    sleep 12
    gone "$client" && { echo "a connection with heartbeats was cut" && cat "$work/greeted" && return 1; }
    kill "$client"
}

# ---- nginx --------------------------------------------------------------------------------------------------------------

# nginx_at FILE RELAY SETTINGS: starts it, and sets publish and subscribe to its ports.
nginx_at() {
    local module=/usr/lib/nginx/modules/ngx_stream_module.so
    needs nginx
    [ -e "$module" ] || module=$unpacked$module
    [ -e "$module" ] || skip "no stream module of nginx here"
    publish=$(free_port)
    subscribe=$(free_port)
    cat >"$work/$1" <<END
load_module $module;
daemon off;
master_process off;
pid $work/$1.pid;
error_log stderr;
events {}
stream {
    $3
    server { listen 127.0.0.1:$publish; proxy_pass $(address "$2" publish); }
    server { listen 127.0.0.1:$subscribe; proxy_pass $(address "$2" subscribe); }
}
END
    run nginx -p "$work" -e stderr -c "$work/$1" &
    eventually 30 listens "$subscribe"
}

nginx_with_half_close() {
    nginx_at nginx.conf plain 'proxy_half_close on;'
    carries plain 127.0.0.1 "$publish" "$subscribe"
    last_word "$publish"
}

nginx_as_it_comes() {
    nginx_at nginx.conf plain ''
    carries plain 127.0.0.1 "$publish" "$subscribe"
    ! last_word "$publish" || { echo "the last word came through without proxy_half_close" && return 1; }
}

nginx_with_the_protocol() {
    nginx_at nginx.conf proxied 'proxy_protocol on; proxy_half_close on;'
    carries proxied 127.0.0.2 "$publish" "$subscribe"
    last_word "$publish"
}

nginx_idle() {
    nginx_at nginx.conf plain 'proxy_timeout 5s; proxy_half_close on;'
    cuts_idle "$subscribe"
    keeps_greeted plain "$subscribe"
}

# ---- HAProxy ------------------------------------------------------------------------------------------------------------

# haproxy_at RELAY SERVER TIMEOUT LINES: likewise; what stands behind the server's address, and lines of the backend.
haproxy_at() {
    needs haproxy
    publish=$(free_port)
    subscribe=$(free_port)
    rm -f "$work/haproxy.sock"
    cat >"$work/haproxy.cfg" <<END
global
    stats socket $work/haproxy.sock
defaults
    mode tcp
    timeout connect 5s
    timeout client $3
    timeout server $3
listen publish
    bind 127.0.0.1:$publish
    $4
    server relay $(address "$1" publish) $2
listen subscribe
    bind 127.0.0.1:$subscribe
    $4
    server relay $(address "$1" subscribe) $2
END
    run haproxy -db -f "$work/haproxy.cfg" &
    eventually 30 listens "$subscribe"
}

haproxy_without_the_protocol() {
    haproxy_at plain '' 1h ''
    carries plain 127.0.0.1 "$publish" "$subscribe"
    last_word "$publish"
}

haproxy_with_the_protocol() {
    haproxy_at proxied send-proxy-v2 1h ''
    carries proxied 127.0.0.2 "$publish" "$subscribe"
    last_word "$publish"
    haproxy_at proxied send-proxy 1h ''
    carries proxied 127.0.0.2 "$publish" "$subscribe"
}

haproxy_idle() {
    haproxy_at plain '' 5s ''
    cuts_idle "$subscribe"
    keeps_greeted plain "$subscribe"
}

# server_is WORD: what HAProxy thinks of the relay. UP stays UP where a check was late and the next ones are not.
server_is() {
    printf 'show stat\n' | socat_ -t 10 - "UNIX-CONNECT:$work/haproxy.sock" >"$work/stat"
    grep -q "^publish,relay,.*,$1\( [0-9]/[0-9]\)\?," "$work/stat"
}

# A check that sends the header: counted, and no WARN. In version 1 HAProxy gives its own address, in version 2 none.
haproxy_checks_with_the_protocol() {
    local before counter version warnings
    warnings=$(grep -c '"level":"WARN"' "$work/proxied.relay" || true)
    for version in send-proxy send-proxy-v2; do
        counter=proxy_local
        [ "$version" = send-proxy-v2 ] || counter=probes
        before=$(counts proxied "$counter")
        haproxy_at proxied "$version check inter 200ms" 1h ''
        eventually 30 more_than "$before" "$counter" || { echo "$version: no $counter" && return 1; }
        server_is UP
    done
    [ "$(grep -c '"level":"WARN"' "$work/proxied.relay" || true)" = "$warnings" ] ||
        { grep '"level":"WARN"' "$work/proxied.relay" && return 1; }
}

more_than() {
    [ "$(counts proxied "$2")" -gt "$1" ]
}

# Its plain check is never accepted by the relay, and stays green while the process stands still; the port of health does not.
haproxy_checks_of_a_relay_that_stands_still() {
    local health relay=${relays[0]}
    health=$(address plain health)
    haproxy_at plain 'check inter 200ms' 1h ''
    eventually 30 server_is UP
    kill -STOP "$relay"
    sleep 3
    server_is UP || { echo "the plain check notices, against what is documented" && kill -CONT "$relay" && return 1; }
    kill -CONT "$relay"
    haproxy_at plain "check inter 200ms fall 2 port ${health##*:}" 1h 'option httpchk GET /health/ready'
    eventually 30 server_is UP
    kill -STOP "$relay"
    eventually 30 server_is DOWN || { kill -CONT "$relay" && return 1; }
    kill -CONT "$relay"
    eventually 30 server_is UP
}

# ---- stunnel, socat, SSH, Envoy -----------------------------------------------------------------------------------------

# stunnel_at RELAY SERVER: TLS in front of the relay, and another stunnel that speaks it. Publish and subscribe are the
# ports of the latter.
stunnel_at() {
    local port front=() role ports=()
    needs stunnel4 openssl
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost \
        -keyout "$work/tls.key" -out "$work/tls.crt" 2>"$work/openssl"
    for role in publish subscribe; do
        port=$(free_port)
        front+=("$(free_port)")
        cat >"$work/$role.server" <<END
foreground = yes
pid =
cert = $work/tls.crt
key = $work/tls.key
[$role]
accept = 127.0.0.1:$port
connect = $(address "$1" "$role")
$2
END
        cat >"$work/$role.client" <<END
foreground = yes
pid =
[$role]
client = yes
accept = 127.0.0.1:${front[-1]}
connect = 127.0.0.1:$port
CAfile = $work/tls.crt
verifyPeer = yes
END
        run stunnel4 "$work/$role.server" &
        run stunnel4 "$work/$role.client" &
        ports+=("$port" "${front[-1]}")
    done
    for port in "${ports[@]}"; do
        eventually 30 listens "$port"
    done
    publish=${front[0]}
    subscribe=${front[1]}
}

stunnel_without_the_protocol() {
    stunnel_at plain ''
    carries plain 127.0.0.1 "$publish" "$subscribe"
    last_word "$publish"
}

# The client that it tells of is the other stunnel.
stunnel_with_the_protocol() {
    stunnel_at proxied 'protocol = proxy'
    carries proxied 127.0.0.1 "$publish" "$subscribe"
    [ "$(counts proxied proxy_headers)" -gt 0 ]
}

stunnel_idle() {
    stunnel_at plain 'TIMEOUTidle = 5'
    cuts_idle "$subscribe"
    keeps_greeted plain "$subscribe"
}

# socat_at OPTION...: in front of the relay.
socat_at() {
    needs
    publish=$(free_port)
    subscribe=$(free_port)
    run socat "$@" "TCP-LISTEN:$publish,bind=127.0.0.1,fork" "TCP:$(address plain publish)" &
    run socat "$@" "TCP-LISTEN:$subscribe,bind=127.0.0.1,fork" "TCP:$(address plain subscribe)" &
    eventually 30 listens "$publish"
    eventually 30 listens "$subscribe"
}

socat_as_it_comes() {
    socat_at
    carries plain 127.0.0.1 "$publish" "$subscribe"
    last_word "$publish"
}

socat_idle() {
    socat_at -T 5
    cuts_idle "$subscribe"
    keeps_greeted plain "$subscribe"
}

ssh_tunnel() {
    local port sessions as=()
    needs ssh sshd ssh-keygen
    port=$(free_port)
    publish=$(free_port)
    subscribe=$(free_port)
    mkdir -p "$work/ssh"
    (run ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host")
    (run ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/client")
    cat >"$work/ssh/config" <<END
ListenAddress 127.0.0.1:$port
HostKey $work/ssh/host
AuthorizedKeysFile $work/ssh/client.pub
StrictModes no
PidFile none
END
    # From version 9.8 on the server has a second program.
    sessions=/usr/lib/openssh/sshd-session
    [ -e "$sessions" ] || [ ! -e "$unpacked$sessions" ] || echo "SshdSessionPath $unpacked$sessions" >>"$work/ssh/config"
    if [ "$(id -u)" = 0 ]; then
        # As root the server wants a user of its own and a folder in /run, which only this process sees.
        unshare --mount true 2>/dev/null || skip "no mounts of its own can be had here, for the SSH server"
        grep -v '^sshd:' /etc/passwd >"$work/ssh/passwd"
        echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin' >>"$work/ssh/passwd"
        # shellcheck disable=SC2016
        as=(unshare --mount sh -c 'mount --bind "$0/passwd" /etc/passwd && mount -t tmpfs none /run &&
            mkdir -m 755 /run/sshd && exec "$@"' "$work/ssh")
    fi
    run "${as[@]}" "$(command -v sshd)" -D -e -f "$work/ssh/config" &
    eventually 30 listens "$port" || skip "no SSH server can be had here"
    run ssh -N -F /dev/null -i "$work/ssh/client" -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no \
        -o IdentitiesOnly=yes -o LogLevel=ERROR -p "$port" -L "127.0.0.1:$publish:$(address plain publish)" \
        -L "127.0.0.1:$subscribe:$(address plain subscribe)" "$(id -un)@127.0.0.1" &
    eventually 30 listens "$subscribe"
    carries plain 127.0.0.1 "$publish" "$subscribe"
    last_word "$publish"
}

# envoy_at RELAY CLUSTER FILTER: lines of the cluster and of the filter.
envoy_at() {
    local role port
    needs
    command -v envoy >/dev/null || skip "no envoy here, which Debian does not have"
    publish=$(free_port)
    subscribe=$(free_port)
    {
        echo 'static_resources:'
        echo '  listeners:'
        for role in publish subscribe; do
            port=$publish
            [ "$role" = publish ] || port=$subscribe
            cat <<END
  - name: $role
    address: { socket_address: { address: 127.0.0.1, port_value: $port } }
    filter_chains:
    - filters:
      - name: envoy.filters.network.tcp_proxy
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
          stat_prefix: $role
          cluster: $role
          $3
END
        done
        echo '  clusters:'
        for role in publish subscribe; do
            port=$(address "$1" "$role")
            cat <<END
  - name: $role
    connect_timeout: 5s
    load_assignment:
      cluster_name: $role
      endpoints:
      - lb_endpoints:
        - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${port##*:} } } }
    $2
END
        done
    } >"$work/envoy.yaml"
    run envoy --disable-hot-restart --concurrency 1 -l error -c "$work/envoy.yaml" &
    eventually 60 listens "$subscribe"
}

envoy_without_the_protocol() {
    envoy_at plain '' ''
    carries plain 127.0.0.1 "$publish" "$subscribe"
    last_word "$publish"
}

envoy_with_the_protocol() {
    envoy_at proxied '
    transport_socket:
      name: envoy.transport_sockets.upstream_proxy_protocol
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport
        config: { version: V2 }
        transport_socket:
          name: envoy.transport_sockets.raw_buffer
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer' ''
    carries proxied 127.0.0.2 "$publish" "$subscribe"
    last_word "$publish"
}

envoy_idle() {
    envoy_at plain '' 'idle_timeout: 5s'
    cuts_idle "$subscribe"
    keeps_greeted plain "$subscribe"
}

fetch_programs
export PATH="$PATH:$unpacked/usr/sbin:$unpacked/usr/bin"
libraries=$(echo "$unpacked"/usr/lib/*-linux-gnu* | tr ' ' ':')
start_relay plain
start_relay proxied --proxy-protocol required --proxy-from 127.0.0.1

check "nginx, proxy_half_close on" nginx_with_half_close
check "nginx, without it" nginx_as_it_comes
check "nginx, PROXY protocol" nginx_with_the_protocol
check "nginx, idle" nginx_idle
check "HAProxy" haproxy_without_the_protocol
check "HAProxy, PROXY protocol" haproxy_with_the_protocol
check "HAProxy, idle" haproxy_idle
check "HAProxy, checks with the PROXY protocol" haproxy_checks_with_the_protocol
check "HAProxy, checks of a relay that stands still" haproxy_checks_of_a_relay_that_stands_still
check "stunnel" stunnel_without_the_protocol
check "stunnel, PROXY protocol" stunnel_with_the_protocol
check "stunnel, idle" stunnel_idle
check "socat" socat_as_it_comes
check "socat, idle" socat_idle
check "ssh -L" ssh_tunnel
check "Envoy" envoy_without_the_protocol
check "Envoy, PROXY protocol" envoy_with_the_protocol
check "Envoy, idle" envoy_idle

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
