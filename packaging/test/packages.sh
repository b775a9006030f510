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

# loads_ready_made COMMAND ARGUMENT...: its own classes come from the cache; it says whether.
loads_ready_made() {
    alone JAVA_OPTS="-Xlog:class+load:file=$work/loaded" "$@" >"$work/cached" 2>&1 || true
    grep -q 'dev\.msgrelay\..*source: shared objects file' "$work/loaded"
}

# A cache that does not fit is passed over in silence.
tarball_has_classes_ready_made() {
    local client="$work/tar/bin/relay-client" stale="$work/stale" refusal
    [ -x "$client" ] || skip "the tarball is not unpacked"
    [ "$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$work/tar/runtime/release")" -ge 25 ] ||
        skip "no classes ready made: bin/package had no JDK 25"
    ls "$work/tar/lib/relay-client.aot" "$work/tar/lib/relay-server.aot"
    loads_ready_made "$client" ping 127.0.0.1:1
    loads_ready_made "$work/tar/bin/relay-server" --check-config
    refusal=$(alone "$client" ping 127.0.0.1:1 2>&1) && false
    # Elsewhere it fits as well.
    cp -a "$work/tar" "$stale"
    loads_ready_made "$stale/bin/relay-client" ping 127.0.0.1:1
    # Another jar, half a cache, none, something else, one that may not be read.
    touch "$stale/lib/relay-client.jar" "$stale/lib/relay-server.jar"
    if loads_ready_made "$stale/bin/relay-client" ping 127.0.0.1:1 ||
        loads_ready_made "$stale/bin/relay-server" --check-config; then
        echo "classes made ready of another jar were taken" && return 1
    fi
    for change in : 'truncate -s 1m' 'truncate -s 0' 'cp LICENSE' 'chmod 0'; do
        $change "$stale/lib/relay-client.aot"
        [ "$(alone "$stale/bin/relay-client" ping 127.0.0.1:1 2>&1)" = "$refusal" ]
    done
    rm -r "$stale"
}

# memory_group: makes a control group that limits memory, and sets group and limit, its file.
memory_group() {
    group=/sys/fs/cgroup/relay-packages-$$
    limit=memory.max
    if [ -d /sys/fs/cgroup/memory ]; then
        group=/sys/fs/cgroup/memory/relay-packages-$$
        limit=memory.limit_in_bytes
    fi
    mkdir "$group" 2>/dev/null || skip "no control group can be made here"
    trap 'for i in 1 2 3 4 5; do rmdir "$group" 2>/dev/null && break; sleep 1; done' EXIT
    [ -e "$group/$limit" ] || skip "no limit of memory can be set here"
}

# in_memory MIB COMMAND...: what it says goes to the file said.
in_memory() {
    echo $(($1 << 20)) >"$group/$limit"
    shift
    # shellcheck disable=SC2016
    alone bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >"$work/in-memory" 2>&1
}

# The JVM touches its heap when it starts: the relay has to say that it does not fit before that.
tarball_names_a_limit_of_memory() {
    [ -x "$work/tar/bin/relay-server" ] || skip "the tarball is not unpacked"
    memory_group
    local relay="$work/tar/bin/relay-server" code=0
    # shellcheck disable=SC2086
    in_memory 200 "$relay" $free_ports || code=$?
    [ "$code" = 1 ] || { echo "in 200 MiB: exit code $code" && cat "$work/in-memory" && false; }
    grep "takes 2.. MiB of memory .* the limit is 200 MiB ($group/$limit)" "$work/in-memory"
    in_memory 300 "$relay" --check-config
    grep "may take 4.. MiB of memory .* the limit is 300 MiB ($group/$limit)" "$work/in-memory"
    in_memory 512 "$relay" --check-config
    ! grep limit "$work/in-memory"
}

# has_shared NODES: the memory that they want, as docs/cluster.md has it.
has_shared() {
    local free
    [ -d /dev/shm ] || skip "no /dev/shm here"
    free=$(df --block-size=1M --output=avail /dev/shm | tail -1)
    [ "$free" -ge $((384 * $1)) ] || skip "$1 nodes want $((384 * $1)) MiB in /dev/shm, and $free are free"
}

# one_node FILE DIRECTORY: a cluster of one, which takes connections without others.
one_node() {
    cat >"$1" <<END
cluster {
  name = "packages-$$"
  directory = "$2"
  members { 1 = "127.0.0.1:7410" }
}
END
    chmod 644 "$1"
}

# has_documents DIRECTORY: what its README and the alerts send an operator to.
has_documents() {
    local document documents
    documents=$(grep -o 'docs/[a-z/-]*\.[a-z]*' "$1/README.md" packaging/prometheus/relay-alerts.yml | sed 's/.*://' | sort -u)
    [ -n "$documents" ]
    for document in $documents; do
        test -f "$1/$document"
    done
}

tarball_has_a_cluster() {
    local tar
    tar=$(one 'relay-*.tar.gz')
    has_shared 3
    mkdir -p "$work/cluster" "$work/home"
    tar -xzf "$tar" -C "$work/cluster" --strip-components 1
    timeout 600 env -i HOME="$work/home" PATH=/usr/bin:/bin "$work/cluster/bin/relay-cluster" demo | tee "$work/demo"
    grep -q '^PASS: each of' "$work/demo"
}

example_configuration() {
    local tar relay hash
    tar=$(one 'relay-*.tar.gz')
    mkdir -p "$work/configuration"
    tar -xzf "$tar" -C "$work/configuration" --strip-components 1
    relay=$work/configuration/bin/relay-server
    has_documents "$work/configuration"
    alone "$relay" --config "$work/configuration/relay.conf" --check-config | grep 'relay.conf: good; .* no access block'
    # What is commented out is right, too, with a token.
    hash=$(alone "$relay" token 2>&1 >/dev/null | sed -n 's/^token = "\(.*\)"$/\1/p')
    sed -e 's/^#log-size/log-size/' -e '/^#access/,/^#}/s/^#//' -e "s/sha256:\.\.\./$hash/" \
        "$work/configuration/relay.conf" >"$work/whole.conf"
    alone "$relay" --config "$work/whole.conf" --check-config | grep 'whole.conf: good; .* 3 identities'
}

# completes FILE COMMAND BEGUN WORD: as bash completes it, what was begun becomes that word.
completes() {
    # shellcheck disable=SC2016
    grep -qx -e "$4" <<<"$(bash -c '. "$1"; COMP_WORDS=("$2" "$3"); COMP_CWORD=1; COMP_LINE="$2 $3"; COMP_POINT=${#COMP_LINE}
        "_complete_$2"; printf "%s\n" "${COMPREPLY[@]}"' bash "$1" "$2" "$3")" ||
        { echo "$2 $3 is not completed to $4" && return 1; }
}

# other_shells SHARE COMMAND: zsh's and fish's completion is there, and is read by them where they are.
other_shells() {
    local zsh=$1/zsh/vendor-completions/_$2 fish=$1/fish/vendor_completions.d/$2.fish
    grep -qx "#compdef $2" "$zsh" && grep -q "^complete -c $2 .*-l help" "$fish"
    ! command -v zsh >/dev/null || zsh -n "$zsh"
    ! command -v fish >/dev/null || fish -n "$fish"
}

manuals_and_completion() {
    local tar page
    tar=$(one 'relay-*.tar.gz')
    mkdir -p "$work/manual"
    tar -xzf "$tar" -C "$work/manual" --strip-components 1 --wildcards '*/share'
    for page in relay-server relay-server-token relay-client relay-client-subscribe relay-client-publish relay-client-ping \
        relay-client-info relay-client-top \
        relay-cluster relay-cluster-demo relay-cluster-local relay-cluster-snapshot loadgen loadgen-run; do
        grep -q "$page" "$work/manual/share/man/man1/$page.1"
    done
    for option in log check admin; do
        grep -q -e "\\\\-\\\\-$option" "$work/manual/share/man/man1/relay-server.1"
    done
    completes "$work/manual/share/bash-completion/completions/relay-server" relay-server --log- --log-size
    completes "$work/manual/share/bash-completion/completions/relay-client" relay-client sub subscribe
    completes "$work/manual/share/bash-completion/completions/relay-cluster" relay-cluster snap snapshot
    completes "$work/manual/share/bash-completion/completions/loadgen" loadgen shoot shootout
    for command in relay-server relay-client relay-cluster loadgen; do
        other_shells "$work/manual/share" "$command"
    done
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
        grep -q 'ok installed' <<<"$(dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null)" ||
            skip "needs the package $package, which is not installed here"
    done
}

# prepare_deb: it lies in $work, beside the scripts that try it.
prepare_deb() {
    local deb
    deb=$(one 'relay_*.deb')
    can_have_copies
    can_install "$deb"
    cp "$deb" "$work/relay.deb"
    prepare_scripts
}

# prepare_scripts: they lie in $work, and users can be changed.
prepare_scripts() {
    command -v setpriv >/dev/null || skip "no setpriv here"
    mkdir -p "$work/scripts"
    cp packaging/test/* "$work/scripts/"
}

deb_installs_runs_and_goes() {
    prepare_deb
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb
        id relay
        [ "$(stat -c "%U:%G %a" /etc/relay/relay.conf)" = "root:relay 640" ]
        run="setpriv --reuid=relay --regid=relay --clear-groups env -i PATH=/usr/bin:/bin"
        mkdir -p /run/relay && chown relay /run/relay
        /mnt/scripts/round-trip.sh "$run /usr/bin/relay-server --config /etc/relay/relay.conf" /usr/bin/relay-client
        test -L /etc/systemd/system/multi-user.target.wants/relay-server.service
        test -L /etc/systemd/system/timers.target.wants/relay-journal-check.timer
        dpkg -r relay
        test ! -e /usr/bin/relay-server
        test -f /etc/relay/relay.conf
        # Installed again, the service can be started, and files that the configuration links to are left alone.
        ln -s /etc/shadow /etc/relay/relay-key.pem
        ln -s /nonexistent /etc/relay/relay.pem
        group=$(stat -c %G /etc/shadow)
        dpkg -i /mnt/relay.deb
        [ "$(stat -c %G /etc/shadow)" = "$group" ]
        test ! -e /etc/systemd/system/relay-server.service
        test ! -e /etc/systemd/system/relay-journal-check.timer
        rm /etc/relay/*.pem
        # What the operator put there stays, and is named; what the package made goes.
        mkdir -p /var/lib/relay/stream
        dpkg -P relay 2>&1 | grep "relay: left /var/lib/relay, and the user relay"
        id relay
        rm -r /var/lib/relay/stream
        dpkg -i /mnt/relay.deb
        mkdir -p /var/lib/relay
        dpkg -P relay
        test ! -e /etc/relay
        test ! -e /var/lib/relay
        ! id relay
    '
}

# As a node of a cluster, by what /etc/default/relay-server says.
deb_is_a_node() {
    prepare_deb
    has_shared 1
    one_node "$work/one.conf" /var/lib/relay/cluster
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb >/dev/null
        [ "$(stat -c "%U:%G %a" /etc/relay/cluster.conf)" = "root:relay 640" ]
        mkdir -p /run/relay /var/lib/relay && chown relay /run/relay /var/lib/relay
        run="setpriv --reuid=relay --regid=relay --clear-groups env -i PATH=/usr/bin:/bin"
        # The example is a good one: what is refused is that this machine is none of its members.
        refused=$($run RELAY_CLUSTER=/etc/relay/cluster.conf RELAY_NODE=4 relay-server 2>&1) && exit 1
        echo "$refused"
        grep -q "node 4 is not among the members .1, 2, 3." <<<"$refused"
        # Its user may not look into what this test has.
        install -m 644 /mnt/one.conf /tmp/one.conf
        run="$run RELAY_CLUSTER=/tmp/one.conf RELAY_NODE=1"
        /mnt/scripts/round-trip.sh "$run relay-server --config /etc/relay/relay.conf" relay-client
        test -e /var/lib/relay/cluster/node-1
    '
}

# With the package's own runtime, as its user.
deb_tells_its_service_manager() {
    prepare_deb
    command -v python3 >/dev/null || skip "needs python3, to listen as a service manager does"
    cat >"$work/listen.py" <<'END'
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
word = None
while word != "STOPPING=1":
    word = listener.recv(4096).decode()
    print(word, flush=True)
END
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb >/dev/null
        mkdir -p /run/relay && chown relay /run/relay
        timeout 600 python3 /mnt/listen.py /run/notify >/run/notified &
        listener=$!
        for _ in $(seq 1200); do
            [ ! -S /run/notify ] || break
            sleep 0.1
        done
        run="setpriv --reuid=relay --regid=relay --clear-groups env -i PATH=/usr/bin:/bin"
        /mnt/scripts/round-trip.sh "$run NOTIFY_SOCKET=/run/notify relay-server --config /etc/relay/relay.conf" relay-client
        wait "$listener"
        cat /run/notified
        [ "$(tr "\n" " " </run/notified)" = "READY=1 STOPPING=1 " ]
    '
}

# By the commands of its units: beside a relay that runs, and with a byte that is not what was written.
deb_checks_its_journal() {
    prepare_deb
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb >/dev/null
        units=/usr/lib/systemd/system
        grep -qx "OnFailure=relay-notify@%n.service" $units/relay-journal-check.service
        as="setpriv --reuid=relay --regid=relay --clear-groups env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8"
        check="$as $(sed -n "s/^ExecStart=//p" $units/relay-journal-check.service)"
        file=$(sed "s/.*--metrics-file \([^ ]*\).*/\1/" <<<"$check")
        directory=${check##* }
        grep -qx "ConditionPathExists=$directory/epochs" $units/relay-journal-check.service
        mkdir -p /run/relay "$(dirname "$file")" "$(dirname "$directory")"
        chown relay /run/relay "$(dirname "$file")" "$(dirname "$directory")"
        $as relay-server --config /etc/relay/relay.conf --journal "$directory" >/run/relay/out &
        relay=$!
        for _ in $(seq 1200); do
            ! grep -q \"event\":\"ready\" /run/relay/out || break
            sleep 0.1
        done
        seq 1000 | $as relay-client publish --ack=forced --name check >/dev/null
        $check
        grep "^relay_journal_check_sound{directory=\"$directory\"} 1$" "$file"
        kill "$relay"
        wait "$relay" || true
        printf x | dd of="$(ls "$directory"/*.stream)" bs=1 seek=100 conv=notrunc 2>/dev/null
        code=0
        $check || code=$?
        [ "$code" = 1 ]
        grep "^relay_journal_check_sound{.*} 0$" "$file"
        # A mail to root, where there is something that sends it.
        printf "#!/bin/sh\ncat >/run/relay/mail\n" >/usr/sbin/sendmail
        chmod +x /usr/sbin/sendmail
        $as $(sed -n "s/^ExecStart=//p" "$units/relay-notify@.service" | sed "s/%i/relay-journal-check.service/")
        grep "^Subject: relay-journal-check.service has failed on " /run/relay/mail
    '
}

deb_has_manuals_and_completion() {
    local deb page
    deb=$(one 'relay_*.deb')
    command -v dpkg-deb >/dev/null || skip "no dpkg-deb here"
    # Not installed: a machine may leave manuals out.
    mkdir -p "$work/deb"
    dpkg-deb --extract "$deb" "$work/deb"
    has_documents "$work/deb/usr/share/doc/relay"
    for page in relay-server relay-server-token relay-server-journal relay-client relay-client-subscribe \
        relay-client-publish relay-client-top relay-cluster relay-cluster-demo; do
        grep -q "$page" <<<"$(gzip --decompress --stdout "$work/deb/usr/share/man/man1/$page.1.gz")"
    done
    other_shells "$work/deb/usr/share" relay-server
    completes "$work/deb/usr/share/bash-completion/completions/relay-server" relay-server --log- --log-size
    completes "$work/deb/usr/share/bash-completion/completions/relay-client" relay-client sub subscribe
}

unit_is_sound() {
    local deb
    deb=$(one 'relay_*.deb')
    command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
    grep -q -e --offline <<<"$(systemd-analyze security --help)" || skip "systemd-analyze is older than 250"
    can_have_copies
    can_install "$deb"
    cp "$deb" "$work/relay.deb"
    on_a_copy bash -c '
        set -e
        dpkg -i /mnt/relay.deb >/dev/null
        # Where dpkg is told to leave manuals out, the one that the unit names is not there.
        manual=no
        [ ! -e /usr/share/man/man1/relay-server.1.gz ] || ! command -v man >/dev/null || manual=yes
        for unit in relay-server.service relay-journal-check.service relay-journal-check.timer; do
            systemd-analyze verify --man=$manual $unit 2>&1 | (! grep -i relay-)
        done
        # Of 10, the lower the better; 20 is 2.0.
        systemd-analyze security --offline=yes --no-pager --threshold=20 relay-server.service
        systemd-analyze security --offline=yes --no-pager --threshold=20 relay-journal-check.service
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
assert {"7400/tcp", "7401/tcp", "7410/udp", "7414/udp"} <= set(config["ExposedPorts"]), config
assert "/var/lib/relay" in config["Volumes"] and "RELAY_IMAGE=1" in config["Env"], config
assert config["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0", config
print("\n".join(image["Layers"]))
END
    while IFS= read -r layer; do
        tar -xzf "$work/image/$layer" -C "$root"
    done <"$work/layers"
    mkdir -p "$root/proc" "$root/dev"
    cat >"$work/in-image" <<'END'
#!/bin/sh
# The root of a container is a file system by itself.
mount --bind "$1" "$1" && mount -t proc none "$1/proc" && mount --rbind /dev "$1/dev" || exit
root=$1
shift
exec chroot --userspec=10001:10001 "$root" "$@"
END
    chmod +x "$work/in-image"
    unshare --mount true || skip "no mount namespace here"
    local run="env -i PATH=/opt/relay/bin:/usr/bin:/bin:/usr/sbin:/sbin unshare --mount $work/in-image $root"
    "$round_trip" "$run /opt/relay/bin/relay-server $free_ports" "$run /opt/relay/bin/relay-client"
    has_shared 1
    one_node "$root/tmp/one.conf" /tmp/cluster
    "$round_trip" "$run /opt/relay/bin/relay-server $free_ports --cluster /tmp/one.conf --node 1" \
        "$run /opt/relay/bin/relay-client"
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

# What it says, done by hand, on a copy of this machine's root instead of the base.
containerfile_by_hand() {
    local tar
    tar=$(one 'relay-*.tar.gz')
    can_have_copies
    prepare_scripts
    command -v python3 >/dev/null || skip "needs python3, to read it"
    mkdir -p "$work/context/relay"
    tar -xzf "$tar" -C "$work/context/relay" --strip-components 1
    cat >"$work/read.py" <<'END'
import json, re, shlex, sys
base, arguments, copies, user, environment, ports, entry = None, {}, [], "0:0", {}, [], []
runs, volumes, labels = [], [], {}
for number, line in enumerate(open(sys.argv[1]), 1):
    if not line.strip() or line.startswith("#"):
        continue
    word, rest = line.rstrip("\n").split(" ", 1)
    rest = re.sub(r"\$\{(\w+)\}", lambda name: arguments[name[1]], rest)
    if word == "FROM" and base is None:
        base = rest
    elif word == "ARG":
        arguments.update([rest.split("=", 1)])
    elif word == "COPY":
        copies.append(rest.split(" "))
    elif word == "USER":
        user = rest
    elif word == "RUN":
        runs.append(rest)
    elif word == "VOLUME":
        volumes.append(rest)
    elif word == "LABEL":
        labels.update(pair.split("=", 1) for pair in shlex.split(rest))
    elif word == "ENV":
        environment.update([rest.split("=", 1)])
    elif word == "EXPOSE":
        ports += rest.split(" ")
    elif word == "ENTRYPOINT":
        entry = json.loads(rest)
    else:
        sys.exit(f"line {number}: {line.rstrip()}: not known here")
assert volumes == ["/var/lib/relay"] and labels["org.opencontainers.image.title"] == "relay", (volumes, labels)
assert base and ports == ["7400/tcp", "7401/tcp", "7410/tcp", "7411/tcp", "7410-7414/udp"] and re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), (base, ports, user)
uid, gid = user.split(":")
run = ["setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "env", "-i"]
run += [name + "=" + value for name, value in environment.items()]
print("set -e; cd /mnt/context")
for source, target in copies:
    # Of a directory, what is in it.
    print("mkdir -p", shlex.quote(target), "&& cp -r", shlex.quote(source) + "/.", shlex.quote(target))
print("\n".join(runs))
print("/mnt/scripts/round-trip.sh", shlex.quote(" ".join(run + entry + sys.argv[2:])), shlex.quote(" ".join(run + ["relay-client"])))
END
    # shellcheck disable=SC2086
    python3 "$work/read.py" packaging/image/Containerfile $free_ports >"$work/by-hand"
    on_a_copy bash /mnt/by-hand
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
check "tarball: classes ready made, and a cache that does not fit" tarball_has_classes_ready_made
check "tarball: names a limit of memory that is too low" tarball_names_a_limit_of_memory
check "tarball: example configuration, documents" example_configuration
check "tarball: three nodes, one of them killed" tarball_has_a_cluster
check "tarball: manual pages and completion" manuals_and_completion
check "deb: installed, run as its user, removed, purged" deb_installs_runs_and_goes
check "deb: a node of a cluster" deb_is_a_node
check "deb: manual pages, completion, documents" deb_has_manuals_and_completion
check "deb: tells its service manager" deb_tells_its_service_manager
check "deb: checks its journal, and tells of damage" deb_checks_its_journal
check "deb: units verified, their exposure at most 2.0" unit_is_sound
check "image: unpacked, run as its user" image_runs
check "Containerfile: done by hand on a copy of this root" containerfile_by_hand
check "Containerfile: built, run" containerfile_builds_and_runs
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
