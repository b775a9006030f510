# shellcheck shell=bash
# What the scripts here share; sourced.

# step WHAT COMMAND...: says what it does, what came of it, and how long it took. A failure ends CI, but for one: Maven
# cannot fetch what the step needs. Then it is skipped.
step() {
    local what=$1 start=$SECONDS code=0 log network
    shift
    log=$(mktemp)
    echo "== $what"
    "$@" >"$log" 2>&1 || code=$?
    network=$(grep -m 1 -E 'Could not transfer artifact|failed to transfer from|in offline mode|Unknown host' "$log" || true)
    if [ "$code" != 0 ] && [ -n "$network" ]; then
        echo "== $what: skipped, no network: ${network:0:300}"
        rm -f "$log"
        return
    fi
    tail -300 "$log"
    rm -f "$log"
    if [ "$code" != 0 ]; then
        echo "== FAILED: $what: exit code $code" >&2
        exit 1
    fi
    echo "== $what: $((SECONDS - start)) s"
}

# jdks: the JDKs here, one of each version from 17 on, a line each: VERSION HOME.
jdks() {
    local home version seen=
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
        [ -x "$home/bin/javac" ] && [ ! -L "$home" ] || continue
        version=$("$home/bin/java" -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.specification.version = //p')
        case " $seen " in *" $version "*) continue ;; esac
        seen="$seen $version"
        [ "$version" -lt 17 ] || echo "$version $home"
    done
}

# failures LOG CODE: the tests that Maven's output says have failed, on one line; or its first error, or the exit code.
failures() {
    local tests
    # Each failed test stands once in Surefire's summary: [ERROR]   Class.method:line message
    tests=$(sed -nE 's/^\[ERROR\] (  |.*» )([A-Za-z0-9]+(Test)?[.][^ :]+).*/\2/p' "$1" | sort -u | tr '\n' ' ')
    tests=${tests:-$(grep -m 1 '^\[ERROR\]' "$1" || echo "exit code $2")}
    echo "${tests:0:600}"
}

# reasons LOG: the first 60 lines of the part of Maven's output where each failed test stands with its message.
reasons() {
    # No head: under pipefail it would make a longer part a failure of the script.
    sed -nE '/^\[ERROR\] (Failures|Errors): *$/,/^\[ERROR\] Tests run/p' "$1" | sed -n 1,60p | cut -c -400
}

# skips: the tests of the last mvn verify that were skipped, and why, a line each.
skips() {
    find . -path '*/target/surefire-reports/TEST-*.xml' -exec awk '
        /<testcase / {
            test = $0
            sub(/.* classname="/, "", test); sub(/".*/, "", test); sub(/.*\./, "", test)
            method = $0
            sub(/.*<testcase name="/, "", method); sub(/".*/, "", method)
            if (method != "") test = test "." method
        }
        /<skipped/ {
            why = $0
            if (!sub(/.*TestAbortedException: /, "", why)) { sub(/.* message="/, "", why); sub(/".*/, "", why) }
            sub(/^Assumption failed: /, "", why)
            gsub(/&quot;/, "\"", why); gsub(/&lt;/, "<", why); gsub(/&gt;/, ">", why); gsub(/&#10;/, " ", why); gsub(/&amp;/, "\\&", why)
            print "skipped  " test ": " why
        }' {} + | sort
}
