#!/bin/sh
# Becomes COMMAND, which is stopped (SIGSTOP) for PERCENT of every tenth of a second: a relay that is slower, for tests of
# what finds it. Use: stopped-part-time.sh PERCENT COMMAND...
case ${1-} in
[1-9] | [1-9][0-9]) ;;
*)
    echo "stopped-part-time.sh: '${1-}' is not within 1..99 percent" >&2
    exit 2
    ;;
esac
stopped=$(printf '0.%03d' "$1")
running=$(printf '0.%03d' $((100 - $1)))
shift
(
    # Ends with the command: then there is nobody to be stopped.
    while kill -STOP $$; do
        sleep "$stopped"
        kill -CONT $$
        sleep "$running"
    done
) >/dev/null 2>&1 &
exec "$@"
