#!/usr/bin/env bash
# Builds what a repository gets (jars, sources, javadoc, SBOM) twice: in two folders, with other time zones and languages.
# Every file has to come out the same. A jar keeps its files' permissions, so the mask is the usual one both times.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
modules=relay-bom,relay-protocol,relay-testing,relay-server,relay-client,relay-cluster

build() {
    local folder=$1
    mkdir -p "$folder"
    tar --exclude=target --exclude=.git --exclude=./results -cf - . | tar -xf - -C "$folder"
    (cd "$folder" && mvn -B -q -Prelease -Dmaven.test.skip=true -Dspotless.check.skip=true -Denforcer.skip=true -pl "$modules" package)
    (cd "$folder" && find . -path './*/target/*' \( -name '*.jar' -o -name 'bom.json' -o -name 'bom.xml' \) \
        -not -path '*/classes/*' -print0 | sort -z | xargs -0 sha256sum) >"$folder.sums"
}

build "$work/a"
(TZ=Pacific/Auckland LC_ALL=C.UTF-8 build "$work/somewhere else")
cat "$work/a.sums"
for kind in -sources.jar -javadoc.jar -all.jar bom.json; do
    grep -q -e "$kind\$" "$work/a.sums" || { echo "reproducible: none is $kind" >&2; exit 1; }
done
for module in relay-protocol relay-server relay-client relay-cluster; do
    for jar in "$work/a/$module/target/$module"-*.jar; do
        grep -q META-INF/LICENSE <<<"$("${JAVA_HOME:+$JAVA_HOME/bin/}jar" --list --file "$jar")" || { echo "reproducible: no LICENSE in $jar" >&2; exit 1; }
    done
done
diff "$work/a.sums" "$work/somewhere else.sums" >&2 || { echo "reproducible: they differ" >&2; exit 1; }
echo "reproducible: $(wc -l <"$work/a.sums") files, built twice, are the same"
