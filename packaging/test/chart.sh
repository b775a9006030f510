#!/usr/bin/env bash
# The chart: linted, rendered for each of its ci/*.yaml, its objects compared with Kubernetes' schemas, and its relay.conf
# and cluster.conf checked by the relay itself. What cannot be had here is skipped, with the reason.
set -euo pipefail
cd "$(dirname "$0")/../.."
chart=packaging/helm/relay
kubernetes=1.29.0
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

# tool NAME PACKAGE: of the PATH, or built by Go.
tool() {
    command -v "$1" >/dev/null && return
    if command -v go >/dev/null && GOPATH="$work/go" GOFLAGS=-modcacherw timeout 900 go install "$2" >"$work/go.log" 2>&1; then
        PATH="$work/go/bin:$PATH"
        return
    fi
    return 1
}

fail() {
    echo "chart: $1" >&2
    exit 1
}

if ! tool helm helm.sh/helm/v3/cmd/helm@v3.14.4; then
    echo "chart: skipped: no helm on the PATH, and Go cannot build it: $(tail -1 "$work/go.log" 2>/dev/null || echo 'no go')"
    exit
fi
export HELM_CACHE_HOME="$work/helm" HELM_CONFIG_HOME="$work/helm" HELM_DATA_HOME="$work/helm"

# needs CHECKED RENDERED: MiB that the relay may use: heap and direct memory, as the JVM's flags limit them, 100 for the JVM
# itself, and the node's shared memory.
needs() {
    local heap direct shared
    heap=$(grep -o 'MaxHeapSize=[0-9]*' "$1" | cut -d= -f2)
    direct=$(grep -o 'MaxDirectMemorySize=[0-9]*' "$1" | cut -d= -f2)
    shared=$(sed -n 's/.*medium: Memory, sizeLimit: \([0-9]*\)Mi.*/\1/p' "$2")
    echo $(((heap + direct) / 1048576 + 100 + ${shared:-0}))
}

rendered() {
    helm template relay "$chart" --namespace prod --kube-version "$kubernetes" "$@"
}

for values in "$chart"/ci/*.yaml; do
    name=$(basename "$values" .yaml)
    helm lint --strict --kube-version "$kubernetes" "$chart" -f "$values" >"$work/lint" || fail "$(cat "$work/lint")"
    rendered -f "$values" >"$work/$name.yaml"
    echo "chart: $name: $(grep -c '^kind:' "$work/$name.yaml") objects"
    # The files of the ConfigMap and the Secret, in folders of this machine.
    for file in relay.conf cluster.conf access.conf; do
        awk -v file="  $file: |" '$0 == file { on = 1; next } on && !/^    |^$/ { on = 0 } on { print substr($0, 5) }' \
            "$work/$name.yaml" |
            sed "s#/etc/relay/#$work/etc/#; s#/var/lib/relay/#$work/var/#; s#relay-[0-9].*:#127.0.0.1:#" >"$work/$file"
    done
    # Nodes on one machine are told apart by their ports.
    awk '/127\.0\.0\.1:/ { sub(/7410/, 17410 + 10 * n++) } { print }' "$work/cluster.conf" >"$work/nodes.conf"
    mkdir -p "$work/etc/access" "$work/etc/tls" "$work/etc/cluster"
    (umask 077 && head -c 32 /dev/zero | tr '\0' s >"$work/etc/cluster/secret")
    # A Secret that is there already.
    [ -s "$work/access.conf" ] || echo 'access { anyone { from = "127.0.0.0/8", subscribe = all } }' >"$work/access.conf"
    mv "$work/access.conf" "$work/etc/access/"
    if grep -q tls.crt "$work/relay.conf"; then
        if ! command -v openssl >/dev/null; then
            echo "chart: $name: relay.conf not checked: no openssl for its certificate"
            continue
        fi
        (umask 077 && openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=relay \
            -keyout "$work/etc/tls/tls.key" -out "$work/etc/tls/tls.crt" 2>"$work/openssl")
        cp "$work/etc/tls/tls.crt" "$work/etc/tls/ca.crt"
        RELAY_ADMIN_TOKEN=sha256:$(printf %064d 0)
        export RELAY_ADMIN_TOKEN
    fi
    node=
    [ ! -s "$work/cluster.conf" ] || node="--cluster $work/nodes.conf --node 2"
    # The JVM says by which limits of memory the start script has started it.
    # shellcheck disable=SC2086
    JAVA_OPTS=-XX:+PrintCommandLineFlags bin/relay-server --config "$work/relay.conf" $node --check-config >"$work/checked" ||
        fail "$name: the relay refuses its relay.conf"
    grep -v '^-XX:' "$work/checked"
    needed=$(needs "$work/checked" "$work/$name.yaml")
    limit=$(sed -n 's/^ *limits: { memory: "*\([0-9]*\)Mi"* }$/\1/p' "$work/$name.yaml")
    [ -n "$limit" ] || fail "$name: no limit of memory"
    [ "$limit" -ge "$needed" ] || fail "$name: the pod's limit is $limit MiB, and its relay may use $needed MiB"
    echo "chart: $name: the relay may use $needed of the pod's $limit MiB"
    # Each port of a service says what it speaks.
    ports=$(grep -c '^    - { name: .* port: [0-9]' "$work/$name.yaml")
    spoken=$(grep -c '^    - { name: .* port: [0-9].* appProtocol: [a-z]* }' "$work/$name.yaml")
    [ "$ports" -gt 2 ] && [ "$ports" = "$spoken" ] || fail "$name: $spoken of $ports ports have an appProtocol"
done

# Told before anything is installed.
refuses() {
    local words=$1
    shift
    if rendered "$@" >"$work/out" 2>&1; then
        fail "rendered with $*, and should not be"
    fi
    grep -q "$words" "$work/out" || fail "with $*: $(cat "$work/out")"
}
refuses 'set access.config or access.existingSecret' --set mode=single
refuses 'serviceMonitor.enabled needs tls.existingSecret' --set insecure=true,serviceMonitor.enabled=true
refuses 'tls.plain=false needs' --set insecure=true,tls.plain=false
refuses 'insecur' --set insecur=true
refuses 'cluster.nodes' --set insecure=true,cluster.nodes=2

if tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7; then
    code=0
    timeout 300 kubeconform -strict -summary -kubernetes-version "$kubernetes" -skip ServiceMonitor \
        "$work"/single.yaml "$work"/cluster.yaml "$work"/tls.yaml "$work"/tls-only.yaml >"$work/conform" 2>&1 || code=$?
    if grep -q 'failed downloading schema' "$work/conform"; then
        echo "chart: schemas not compared: $(grep -m 1 -o 'Get "http.*' "$work/conform" | tail -c 200)"
    elif [ "$code" != 0 ]; then
        fail "$(cat "$work/conform")"
    else
        tail -1 "$work/conform"
    fi
else
    echo "chart: schemas not compared: no kubeconform on the PATH, and Go cannot build it"
fi
