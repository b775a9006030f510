#!/bin/sh
# What loadgen compare promises, tried: of a relay set against itself no verdict says that one is faster; of a relay set
# against one that is stopped for a fifth of the time, each does. Takes up to 2 * GOES * MINUTES; exits 1 where A/A raised an alarm, or
# more than one go in ten did not find the slow one.
# Use: prove-compare.sh [GOES [MINUTES [OPTION OF COMPARE...]]]
goes=${1-10}
minutes=${2-5}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
home=$(CDPATH='' cd -- "$here/../../../.." && pwd -P) || exit 1
jar=
for candidate in "$home"/relay-server/target/relay-server-*-all.jar; do
    [ -f "$candidate" ] && jar=$candidate
done
[ -n "$jar" ] || {
    echo "prove-compare.sh: no relay-server/target/relay-server-*-all.jar: mvn -DskipTests package" >&2
    exit 1
}
java="java -XX:+UseSerialGC -XX:-UsePerfData -Xms160m -Xmx160m -Xmn128m -XX:+AlwaysPreTouch"
relay="$java -jar $jar --slow-subscriber backpressure --publish-port {publish} --subscribe-port {subscribe}"

# go NAME ARGUMENT...: one comparison; adds its verdict to a list
go() {
    name=$1
    shift
    printf '%s: ' "$name"
    report=$("$home/bin/loadgen" compare --a-command "$relay" "$@" 2>/dev/null)
    verdict=$(printf '%s\n' "$report" | sed -n 's/^verdict: //p')
    printf '%s\n' "${verdict:-FAIL: $report}"
    printf '%s\n' "$report" | sed -n 's/^  relay CPU/    relay CPU/p; s/^\([0-9]* runs, \)/    \1/p'
}

alarms=0
found=0
i=1
while [ "$i" -le "$goes" ]; do
    go "A/A $i" --b-command "$relay" --minutes "$minutes" "$@"
    case $verdict in
    [AB]\ faster* | '') alarms=$((alarms + 1)) ;;
    esac
    go "A/slow $i" --b-command "$here/stopped-part-time.sh 20 $relay" --minutes "$minutes" "$@"
    case $verdict in
    A\ faster*) found=$((found + 1)) ;;
    esac
    i=$((i + 1))
done
echo "against itself: $alarms of $goes false alarms; against one stopped for a fifth of the time: found $found of $goes times"
[ "$alarms" -eq 0 ] && [ $((found * 10)) -ge $((goes * 9)) ]
