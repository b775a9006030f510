#!/usr/bin/env bash
# Unpacks or installs what bin/package built, and runs it. What this machine cannot do is skipped, with the reason.
set -uo pipefail
cd "$(dirname "$0")/../.."
packages=$PWD/target/package
round_trip=$PWD/packaging/test/round-trip.sh
free_ports="--publish-port 0 --subscribe-port 0 --admin 127.0.0.1:0 --json"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

# check NAME COMMAND...: COMMAND says what it does not like and fails, or says why it cannot try and ends with 77.
check() {
    local name=$1 code
    shift
    # Not in a list with ||: bash would go on behind what fails.
    (set -e; "$@") >"$work/said" 2>&1
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

# one PATTERN: the one package that is so.
one() {
    local found
    found=$(compgen -G "$packages/$1" | head -1) || true
    [ -n "$found" ] || skip "bin/package built no $1"
    echo "$found"
}

# Neither Java nor Maven are on the PATH, and nothing says where they are.
alone() {
    env -i HOME="$work/home" PATH=/usr/bin:/bin "$@"
}

tarball_runs() {
    local tar
    tar=$(one 'relay-*.tar.gz')
    mkdir -p "$work/tar" "$work/home"
    tar -xzf "$tar" -C "$work/tar" --strip-components 1
    alone "$round_trip" "$work/tar/bin/relay-server $free_ports" "$work/tar/bin/relay-client"
    # A symbolic link, as /usr/local/bin would have it; a size that the JVM's limits depend on.
    ln -s "$work/tar/bin/relay-server" "$work/relay-server"
    alone "$round_trip" "$work/relay-server $free_ports --log-size 128m" "$work/tar/bin/relay-client"
    alone "$work/tar/bin/loadgen" run --duration 1s --warmup 1s
}

example_configuration() {
    local tar relay hash
    tar=$(one 'relay-*.tar.gz')
    mkdir -p "$work/configuration"
    tar -xzf "$tar" -C "$work/configuration" --strip-components 1
    relay=$work/configuration/bin/relay-server
    alone "$relay" --config "$work/configuration/relay.conf" --check-config | grep 'relay.conf: good; .* no access block'
    # What is commented out is right, too, with a token.
    hash=$(alone "$relay" token 2>&1 >/dev/null | sed -n 's/^token = "\(.*\)"$/\1/p')
    sed -e 's/^#log-size/log-size/' -e '/^#access/,/^#}/s/^#//' -e "s/sha256:\.\.\./$hash/" \
        "$work/configuration/relay.conf" >"$work/whole.conf"
    alone "$relay" --config "$work/whole.conf" --check-config | grep 'whole.conf: good; .* 3 identities'
}

manuals_and_completion() {
    local tar page
    tar=$(one 'relay-*.tar.gz')
    mkdir -p "$work/manual"
    tar -xzf "$tar" -C "$work/manual" --strip-components 1 --wildcards '*/share'
    for page in relay-server relay-server-token relay-client relay-client-subscribe relay-client-publish relay-client-top \
        loadgen loadgen-run; do
        grep -q "$page" "$work/manual/share/man/man1/$page.1"
    done
    for option in log check admin; do
        grep -q -e "\\\\-\\\\-$option" "$work/manual/share/man/man1/relay-server.1"
    done
    for command in relay-server relay-client loadgen; do
        # As bash completes it: --log- becomes --log-size.
        bash -n "$work/manual/share/bash-completion/completions/$command"
    done
    bash -c '. "$1"; COMP_WORDS=(relay-server --log-); COMP_CWORD=1; COMP_LINE="relay-server --log-"; COMP_POINT=${#COMP_LINE}
        _complete_relay-server; printf "%s\n" "${COMPREPLY[@]}"' bash \
        "$work/manual/share/bash-completion/completions/relay-server" | grep -qx -e '--log-size'
    command -v man >/dev/null || skip "no man here; pages and completion are there"
    MANPATH="$work/manual/share/man" MANWIDTH=100 man relay-server >"$work/page"
    grep -q 'SYNOPSIS' "$work/page"
    MANPATH="$work/manual/share/man" man --warnings -l "$work/manual/share/man/man1/relay-server.1" 2>&1 >/dev/null | (! grep .)
}

# On a copy of this machine's root, with a network of its own, that is gone afterwards: what is written goes to memory.
# $work is /mnt there.
on_a_copy() {
    # shellcheck disable=SC2016
    unshare --mount --net sh -c '
        set -e
        ip link set lo up
        mount -t tmpfs none "$1"
        mkdir "$1/upper" "$1/work" "$1/root"
        mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
        mount -t proc none "$1/root/proc"
        mount --rbind /dev "$1/root/dev"
        mount --bind "$2" "$1/root/mnt"
        root=$1/root
        shift 2
        exec chroot "$root" "$@"' sh "$work/copy" "$work" "$@"
}

can_have_copies() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    mkdir -p "$work/copy"
    on_a_copy true 2>/dev/null || skip "no overlay of the root, or no network of its own, can be had here"
}

# can_install DEB: what it depends on is there.
can_install() {
    local package
    command -v dpkg >/dev/null || skip "no dpkg here"
    for package in $(dpkg-deb --field "$1" Depends | sed 's/([^)]*)//g; s/,/ /g'); do
        dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            skip "needs the package $package, which is not installed here"
    done
}

deb_installs_runs_and_goes() {
    local deb
    deb=$(one 'relay_*.deb')
    can_have_copies
    can_install "$deb"
    command -v setpriv >/dev/null || skip "no setpriv here"
    cp "$deb" "$work/relay.deb"
    cp -r packaging/test "$work/scripts"
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb
        id relay
        [ "$(stat -c "%U:%G %a" /etc/relay/relay.conf)" = "root:relay 640" ]
        run="setpriv --reuid=relay --regid=relay --clear-groups env -i PATH=/usr/bin:/bin"
        mkdir -p /run/relay && chown relay /run/relay
        /mnt/scripts/round-trip.sh "$run /usr/bin/relay-server --config /etc/relay/relay.conf" /usr/bin/relay-client
        test -L /etc/systemd/system/multi-user.target.wants/relay-server.service
        dpkg -r relay
        test ! -e /usr/bin/relay-server
        test -f /etc/relay/relay.conf
        dpkg -P relay
        test ! -e /etc/relay
    '
}

unit_is_sound() {
    local deb
    deb=$(one 'relay_*.deb')
    command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
    systemd-analyze security --help | grep -q -e --offline || skip "systemd-analyze is older than 250"
    can_have_copies
    can_install "$deb"
    cp "$deb" "$work/relay.deb"
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb >/dev/null
        # Where dpkg is told to leave manuals out, the one that the unit names is not there.
        manual=no
        [ ! -e /usr/share/man/man1/relay-server.1.gz ] || ! command -v man >/dev/null || manual=yes
        systemd-analyze verify --man=$manual relay-server.service 2>&1 | (! grep -i relay-server)
        # Of 10, the lower the better; 20 is 2.0.
        systemd-analyze security --offline=yes --no-pager --threshold=20 relay-server.service
    '
}

image_runs() {
    local image root layer
    image=$(one 'relay-*.image.tar')
    [ "$(id -u)" = 0 ] || skip "needs root"
    command -v python3 >/dev/null || skip "needs python3, to read the image's manifest"
    mkdir -p "$work/image" "$work/root"
    tar -xf "$image" -C "$work/image"
    root=$work/root
    python3 - "$work/image" <<'END' >"$work/layers"
import json, sys
image = json.load(open(sys.argv[1] + "/manifest.json"))[0]
config = json.load(open(sys.argv[1] + "/" + image["Config"]))["config"]
assert config["Entrypoint"] == ["/opt/relay/bin/relay-server"], config
assert config["User"] == "10001:10001", config
print("\n".join(image["Layers"]))
END
    while IFS= read -r layer; do
        tar -xzf "$work/image/$layer" -C "$root"
    done <"$work/layers"
    mkdir -p "$root/proc" "$root/dev"
    cat >"$work/in-image" <<'END'
#!/bin/sh
mount -t proc none "$1/proc" && mount --rbind /dev "$1/dev" || exit
root=$1
shift
exec chroot --userspec=10001:10001 "$root" "$@"
END
    chmod +x "$work/in-image"
    unshare --mount true || skip "no mount namespace here"
    local run="env -i PATH=/opt/relay/bin:/usr/bin:/bin:/usr/sbin:/sbin unshare --mount $work/in-image $root"
    "$round_trip" "$run /opt/relay/bin/relay-server $free_ports" "$run /opt/relay/bin/relay-client"
}

# container_tool: what builds and runs images here.
container_tool() {
    local tool why=
    for tool in podman docker buildah; do
        command -v "$tool" >/dev/null || continue
        if timeout 30 "$tool" info >"$work/info" 2>&1; then
            echo "$tool"
            return
        fi
        why="$why $tool: $(grep . "$work/info" | tail -1);"
    done
    skip "no container tool works here:${why:- neither podman, docker nor buildah is installed}"
}

containerfile_builds_and_runs() {
    local tar tool base run image=relay-packages-test code=0
    tar=$(one 'relay-*.tar.gz')
    tool=$(container_tool)
    base=$(sed -n 's/^FROM //p' packaging/image/Containerfile)
    timeout 300 "$tool" inspect --type image "$base" >/dev/null 2>&1 || timeout 300 "$tool" pull "$base" >"$work/pull" 2>&1 ||
        skip "$tool cannot fetch $base: $(grep . "$work/pull" | tail -1)"
    mkdir -p "$work/container/relay"
    tar -xzf "$tar" -C "$work/container/relay" --strip-components 1
    if [ "$tool" = buildah ]; then
        timeout 300 buildah build -t "$image" -f packaging/image/Containerfile "$work/container"
        timeout 60 buildah rmi "$image"
        skip "it is built; buildah alone does not run it"
    fi
    timeout 300 "$tool" build -t "$image" -f packaging/image/Containerfile "$work/container"
    run="$tool run --rm --network host"
    # What is signalled is the tool, which hands it on.
    "$round_trip" "$run $image $free_ports" "$run --interactive --entrypoint /opt/relay/bin/relay-client $image" || code=$?
    timeout 60 "$tool" rmi --force "$image"
    return "$code"
}

check "tarball: unpacked, without Java on the PATH" tarball_runs
check "tarball: example configuration" example_configuration
check "tarball: manual pages and completion" manuals_and_completion
check "deb: installed, run as its user, removed, purged" deb_installs_runs_and_goes
check "deb: unit verified, its exposure at most 2.0" unit_is_sound
check "image: unpacked, run as its user" image_runs
check "Containerfile: built, run" containerfile_builds_and_runs
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
