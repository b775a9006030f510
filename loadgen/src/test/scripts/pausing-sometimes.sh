#!/bin/sh
# Becomes COMMAND, which in every third start is stopped (SIGSTOP) for 150 ms, once in 1.8 seconds: at least one pause lies in each
# window of two seconds. FILE counts the starts. Use: pausing-sometimes.sh FILE COMMAND...
file=${1-}
if [ -z "$file" ] || [ $# -lt 2 ]; then
    echo "pausing-sometimes.sh: give a FILE that counts the starts, and a COMMAND" >&2
    exit 2
fi
shift
start=0
[ ! -f "$file" ] || read -r start <"$file"
echo $((start + 1)) >"$file"
if [ $((start % 3)) -eq 0 ]; then
    (
        # Ends with the command: then there is nobody to be stopped.
        while sleep 1.65 && kill -STOP $$; do
            sleep 0.15
            kill -CONT $$
        done
    ) >/dev/null 2>&1 &
fi
exec "$@"
