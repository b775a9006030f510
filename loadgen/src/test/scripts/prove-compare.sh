#!/bin/sh
# What loadgen compare promises, tried on an idle machine, one command for each promise:
#
#   prove-compare.sh same      a relay against itself: no alarm of any kind
#   prove-compare.sh slower    against one that is stopped for a fifth of the time: A faster
#   prove-compare.sh pauses    against one that is stopped for 150 ms in a third of its runs: more runs of B stood still
#
# Exits 1 where a promise was broken: an alarm in more than one go of fifty, or fewer than nine of ten found.
# Use: prove-compare.sh same|slower|pauses [GOES [MINUTES [OPTION OF COMPARE...]]]
what=${1-}
goes=${2-10}
minutes=${3-12}
[ $# -lt 1 ] || shift
[ $# -lt 1 ] || shift
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
starts=$(mktemp) || exit 1
trap 'rm -f "$starts"' EXIT
java="java -XX:+UseSerialGC -XX:-UsePerfData -Xms160m -Xmx160m -Xmn128m -XX:+AlwaysPreTouch"
relay="$java -jar $jar --slow-subscriber backpressure --publish-port {publish} --subscribe-port {subscribe}"
case $what in
same)
    other=$relay
    sought='faster'
    ;;
slower)
    other="$here/stopped-part-time.sh 20 $relay"
    sought='^A faster'
    ;;
pauses)
    other="$here/pausing-sometimes.sh $starts $relay"
    sought='more runs of B stood still'
    ;;
*)
    echo "prove-compare.sh: '$what' is none of same, slower, pauses" >&2
    exit 2
    ;;
esac

found=0
failed=0
i=1
while [ "$i" -le "$goes" ]; do
    report=$("$home/bin/loadgen" compare --a-command "$relay" --b-command "$other" --minutes "$minutes" "$@" 2>/dev/null)
    verdict=$(printf '%s\n' "$report" | sed -n 's/^verdict: //p')
    printf '%s %d: %s\n' "$what" "$i" "${verdict:-FAIL: $report}"
    printf '%s\n' "$report" | sed -n 's/^  \(relay CPU\|[0-9]* of [0-9]* runs\|spread\)/    \1/p; s/^\([0-9]* runs, \)/    \1/p; s/^\([AB]: [0-9]\)/    \1/p'
    [ -n "$verdict" ] || failed=$((failed + 1))
    # An alarm of the line of the CPU time is one, too.
    if [ "$what" = same ]; then
        verdict="$verdict; $(printf '%s\n' "$report" | sed -n 's/^  relay CPU.* \([AB] needs less\)$/\1 faster/p')"
    fi
    stood=$(printf '%s\n' "$report" | sed -n 's/^  \([0-9]*\) of [0-9]* runs of B stood still, \([0-9]*\) .*/\1 -gt \2/p')
    # shellcheck disable=SC2086 # three words
    [ ${stood:-0 -gt 0} ] && verdict="$verdict; more runs of B stood still"
    ! printf '%s\n' "$verdict" | grep -v perhaps | grep -q "$sought" || found=$((found + 1))
    i=$((i + 1))
done
echo "$what: found $found of $goes times, $failed failed"
[ "$failed" -eq 0 ] || exit 1
if [ "$what" = same ]; then
    [ $((found * 50)) -le "$goes" ]
else
    [ $((found * 10)) -ge $((goes * 9)) ]
fi
