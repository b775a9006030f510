# shellcheck shell=sh
# What the start scripts share. In a clone: find a JDK, build what is missing or out of date, start. In a package that
# bin/package made: start, with the runtime and the jar that are in it.
# Sourced by them, with RELAY_HOME set to the directory above bin. POSIX sh.

RELAY_MIN_JAVA=17
relay_main=
RELAY_BUILD_WAIT=600 # seconds to wait for another script's build: a first build downloads its libraries

# Where stdin, stdout or stderr is closed, the JVM's first files would take its place, and be published or printed into.
{ true 3<&0; } 2>/dev/null || exec 0>/dev/null
{ true 3>&1; } 2>/dev/null || exec 1</dev/null
true 3>&2 2>/dev/null || exec 2>/dev/null

# The JVM decodes its arguments, its environment and the names of files by the locale, and cron and systemd give it none:
# each byte beyond ASCII would be the same replacement character. A locale that is named and not there is none as well, and
# one such category is enough: the JVM asks for all of them at once, and then has none.
# The system's errors stay English, for logs and for who searches for them. With LC_MESSAGES=C, and with no other value,
# glibc does not look at LANGUAGE; LC_ALL would come before it, so its value is kept as LC_CTYPE.
relay_locale() {
    [ -z "${LC_ALL-}" ] || LC_CTYPE=$LC_ALL
    unset LC_ALL
    LC_MESSAGES=C
    export LC_MESSAGES
    [ -z "${LC_CTYPE-}" ] || export LC_CTYPE
    if command -v locale >/dev/null; then
        # With what it says of a locale that is not there.
        relay_charmap=$(locale charmap 2>&1)
    else
        relay_charmap=${LC_CTYPE:-${LANG-}}
        relay_charmap=${relay_charmap##*.}
        relay_charmap=${relay_charmap%%@*}
    fi
    case $relay_charmap in
    [Uu][Tt][Ff]-8 | [Uu][Tt][Ff]8) ;;
    *)
        unset LANG LC_ADDRESS LC_COLLATE LC_IDENTIFICATION LC_MEASUREMENT LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER \
            LC_TELEPHONE LC_TIME
        LC_CTYPE=C.UTF-8
        export LC_CTYPE
        ;;
    esac
}

# relay_start MODULE DEFAULT_JVM_FLAGS [ARGUMENT...]
# A flag that is the name of a class stands for the flags that this class of the jar prints for the arguments. Started is
# relay_main; where that is not set, the jar's own main class, which the JVM takes a while to look up.
relay_start() {
    relay_module=$1
    relay_flags=$2
    shift 2
    relay_locale
    relay_find_java
    relay_jar=
    if ! relay_up_to_date; then
        relay_build
    fi
    # Word splitting is wanted for the flags, expansion of * and ? is not.
    set -f
    relay_ask "$@"
    relay_find_cache
    if [ -n "$relay_main" ]; then
        set -- -cp "$relay_jar" "$relay_main" "$@"
    else
        set -- -jar "$relay_jar" "$@"
    fi
    # shellcheck disable=SC2046,SC2086
    exec "$relay_java" $(relay_default_flags) ${relay_cache:+"$relay_cache" -Xlog:aot=off} ${JAVA_OPTS-} "$@"
}

# Sets relay_cache, the flag for the classes that bin/package has made ready beside the jar. The JVM passes over a cache that
# does not fit, and the flag beside it keeps it from saying so. With another collector, or another such flag, none fits.
relay_find_cache() {
    relay_cache=
    [ "$relay_java_version" -ge 25 ] && [ -r "$RELAY_HOME/lib/$relay_module.aot" ] || return 0
    case " ${JAVA_OPTS-} ${JDK_JAVA_OPTIONS-} ${JAVA_TOOL_OPTIONS-} " in
    *'-XX:+Use'*'GC '* | *' -Xshare'* | *' -XX:AOT'* | *' -XX:SharedArchiveFile'*) ;;
    *) relay_cache=-XX:AOTCache=$RELAY_HOME/lib/$relay_module.aot ;;
    esac
}

relay_fail() {
    printf '%s: %s\n' "$relay_module" "$1" >&2
    exit 1
}

# Sets relay_java and relay_java_version (the number before the first dot).
relay_find_java() {
    if [ -x "$RELAY_HOME/runtime/bin/java" ]; then
        relay_java=$RELAY_HOME/runtime/bin/java
    elif [ -n "${JAVA_HOME-}" ]; then
        relay_java=$JAVA_HOME/bin/java
        [ -x "$relay_java" ] || relay_fail "JAVA_HOME is $JAVA_HOME, and there is no bin/java in it"
    else
        relay_java=$(command -v java) || relay_fail "no java found: install a JDK $RELAY_MIN_JAVA or newer, or set JAVA_HOME"
    fi
    # A JDK says its version in a file; asking the JVM itself costs a tenth of a second at every start.
    relay_release=$(dirname -- "$(readlink -f -- "$relay_java")")/../release
    relay_java_version=
    if [ -r "$relay_release" ]; then
        while IFS='="' read -r relay_key relay_empty relay_value; do
            [ "$relay_key" != JAVA_VERSION ] || relay_java_version=${relay_value%%[!0-9]*}
        done <"$relay_release"
    fi
    if [ -z "$relay_java_version" ]; then
        relay_java_version=$("$relay_java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p')
    fi
    [ -n "$relay_java_version" ] || relay_fail "cannot tell the version of $relay_java"
    [ "$relay_java_version" -ge "$RELAY_MIN_JAVA" ] ||
        relay_fail "$relay_java is version $relay_java_version, needed is $RELAY_MIN_JAVA or newer"
}

# Puts what a class of the jar answers in its place in relay_flags.
relay_ask() {
    relay_asked=
    for relay_flag in $relay_flags; do
        case $relay_flag in
        -*) ;;
        *)
            # The smallest JVM that can be had: it lives for a quarter of a second.
            relay_flag=$("$relay_java" -XX:+UseSerialGC -XX:-UsePerfData -XX:TieredStopAtLevel=1 -Xmx64m \
                -cp "$relay_jar" "$relay_flag" "$@") || relay_fail "cannot tell how much memory the JVM needs"
            ;;
        esac
        relay_asked="$relay_asked $relay_flag"
    done
    relay_flags=$relay_asked
}

# The default flags, as far as JAVA_OPTS leaves them in force: the JVM takes the last of two equal flags, but refuses
# to start with two collectors, or with a first heap above the largest.
relay_default_flags() {
    for relay_flag in $relay_flags; do
        case $relay_flag in
        -XX:+Use*GC)
            case " ${JAVA_OPTS-} " in *' -XX:+Use'*'GC '*) continue ;; esac
            ;;
        -Xm[snx]*)
            case " ${JAVA_OPTS-} " in *' -Xm'[snx]*) continue ;; esac
            ;;
        esac
        printf '%s ' "$relay_flag"
    done
    if [ "$relay_java_version" -ge 24 ]; then
        # These versions warn of what Netty does unless it is allowed; older ones do not know the flags.
        printf '%s ' --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
    fi
}

# The modules that $relay_module is made of.
relay_sources() {
    case $relay_module in
    relay-client) echo relay-protocol relay-client ;;
    relay-testing) echo relay-protocol relay-testing ;;
    relay-server) echo relay-protocol relay-server ;;
    relay-cluster) echo relay-protocol relay-server relay-client relay-cluster ;;
    loadgen) echo relay-protocol relay-server relay-client loadgen ;;
    *) echo relay-protocol relay-server relay-client loadgen lab ;;
    esac
}

# Sets relay_jar; false where there is none, or where a source or a pom is newer.
relay_up_to_date() {
    relay_jar=$RELAY_HOME/lib/$relay_module.jar
    if [ -f "$relay_jar" ]; then
        return
    fi
    relay_jar=
    for relay_candidate in "$RELAY_HOME/$relay_module/target/$relay_module"-*-all.jar; do
        [ -f "$relay_candidate" ] || continue
        # Of several versions, the newest.
        if [ -z "$relay_jar" ] || [ -n "$(find "$relay_candidate" -newer "$relay_jar")" ]; then
            relay_jar=$relay_candidate
        fi
    done
    [ -n "$relay_jar" ] || return 1
    # Directories too: a file that was removed leaves its directory newer.
    relay_newer=$(
        set -- "$RELAY_HOME/pom.xml"
        for relay_source in $(relay_sources); do
            set -- "$@" "$RELAY_HOME/$relay_source/pom.xml" "$RELAY_HOME/$relay_source/src/main"
        done
        find "$@" -newer "$relay_jar"
    )
    [ -z "$relay_newer" ]
}

# Sets relay_wanted, what Maven is to build: the module, and those commands of a clone's first steps that were never built. So they are all
# there after the first wait.
relay_choose() {
    relay_wanted=$relay_module
    case $relay_module in
    relay-server | relay-client | loadgen) ;;
    *) return ;;
    esac
    for relay_other in relay-server relay-client loadgen; do
        [ "$relay_other" != "$relay_module" ] || continue
        [ -z "$(find "$RELAY_HOME/$relay_other/target" -name "$relay_other-*-all.jar" 2>/dev/null)" ] || continue
        relay_wanted=$relay_wanted,$relay_other
    done
}

# One build at a time: the modules share relay-protocol's target directory.
relay_build() {
    [ -f "$RELAY_HOME/pom.xml" ] || relay_fail "not in this package: it needs a clone of Relay's sources"
    command -v mvn >/dev/null ||
        relay_fail "has to be built, and there is no mvn: install Maven 3.8 or newer, or put a built jar into $relay_module/target"
    mkdir -p "$RELAY_HOME/target" || relay_fail "cannot write to $RELAY_HOME/target"
    relay_lock
    # Whoever had the lock before may have built it.
    if ! relay_up_to_date; then
        relay_choose
        printf '%s: building %s, once and after changes; the log is target/build.log\n' "$relay_module" "$relay_wanted" >&2
        # The format is the business of mvn verify: an experiment need not be pretty to be started.
        (cd -- "$RELAY_HOME" && {
            mvn -B -Dstyle.color=never -pl "$relay_wanted" -am package -DskipTests -Dspotless.check.skip=true \
                2>&1 </dev/null 9>&- || echo "ended with $?"
        } | relay_tell_build >&2) ||
            relay_fail "the build failed: mvn -pl $relay_wanted -am package -DskipTests"
        relay_up_to_date || [ -n "$relay_jar" ] || relay_fail "the build made no $relay_module/target/$relay_module-*-all.jar"
    fi
    relay_unlock
}

# Reads what Maven says into target/build.log. Tells each module when it begins, and errors. False where Maven has failed.
relay_tell_build() {
    relay_ended=0
    relay_told=
    : >"$RELAY_HOME/target/build.log"
    while IFS= read -r relay_line; do
        printf '%s\n' "$relay_line" >>"$RELAY_HOME/target/build.log"
        case $relay_line in
        '[INFO] -'*'< '*:*' >-'*)
            relay_built=${relay_line#*:}
            relay_built=${relay_built%% >*}
            relay_told=
            ;;
        '[INFO] Building '*)
            # Its jar is built, too.
            [ -z "$relay_told" ] || continue
            relay_told=yes
            relay_count=
            case $relay_line in
            *'['*/*']')
                relay_count=${relay_line##*[}
                relay_count=" (${relay_count%]})"
                ;;
            esac
            printf '%s: %s%s\n' "$relay_module" "$relay_built" "$relay_count"
            ;;
        *'[ERROR]'*) printf '%s: %s\n' "$relay_module" "${relay_line#*\[ERROR\] }" ;;
        'ended with '*) relay_ended=1 ;;
        esac
    done
    return "$relay_ended"
}

# With flock the kernel frees the lock of a script that was killed. Elsewhere (macOS) it is a directory.
relay_lock() {
    if command -v flock >/dev/null; then
        exec 9>"$RELAY_HOME/target/.build-lock"
        flock -w "$RELAY_BUILD_WAIT" 9 || relay_fail "another build has not ended for $RELAY_BUILD_WAIT s"
        return
    fi
    relay_waited=0
    until mkdir "$RELAY_HOME/target/.build-lock.d" 2>/dev/null; do
        relay_waited=$((relay_waited + 1))
        [ "$relay_waited" -le "$RELAY_BUILD_WAIT" ] ||
            relay_fail "another build has not ended for $RELAY_BUILD_WAIT s; if there is none, remove $RELAY_HOME/target/.build-lock.d"
        sleep 1
    done
    trap 'rmdir "$RELAY_HOME/target/.build-lock.d"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Before exec: the JVM must not inherit the lock, and no trap outlives this shell.
relay_unlock() {
    exec 9>&-
    if [ -d "$RELAY_HOME/target/.build-lock.d" ] && ! command -v flock >/dev/null; then
        trap - EXIT INT TERM
        rmdir "$RELAY_HOME/target/.build-lock.d"
    fi
}
