#!/usr/bin/env bash
# Runs the tests: scripts/test.sh [PACKAGE…]. It installs what they need; a test says which program it lacks, and is skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/bin

scripts/tools.sh gotestsum postgres redis pgbouncer chromium node python

# What only the programs are tested with is installed beside the tests of the packages that they consist of.
mkdir -p bin
{
  scripts/tools.sh promtool || true
  scripts/clients.sh typescript python
  scripts/tools.sh rosetta-cli || echo 'the checks of rosetta-cli are skipped'
  scripts/tools.sh schemathesis-env || echo 'the checks of schemathesis are skipped'
} > bin/test-tools.log 2>&1 &
installing=$!

# The race detector makes what it watches take several times as long, and all of it is compiled and linked once more. So only packages
# are tested with it that start goroutines, or share memory between those of others: of the log, of what fetches and forwards, of what
# runs projections, the engine of the reads and the streams. Folds, rules, resources and programs are tested without, and so is Socket.IO:
# its library's watch of a request races with what a poll sets when the client leaves at that moment. It needs a C compiler; without one
# the go command turns cgo off.
concurrent='^strata/(eventstore(/importer|/observer|/transparency)?|metadata(/internal/rotation|/internal/web|/picture)?'
concurrent+='|projections/(decode|follow|internal/register)|proxy(/internal/(budget|client|flight|pool|quantile))?|readapi/(internal/.*|stream))$'
race=
[ "$(go env CGO_ENABLED)" != 1 ] || race=-race
# Tests mostly wait: for databases, for what they have stopped, for what is to be tried again.
many=$((2 * $(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)))

# Each test runs once. They are not vetted: make lint does that.
failed=0
run() {
  # shellcheck disable=SC2086 # it is a list
  "$bin/gotestsum" --format pkgname --format-hide-empty-pkg -- -vet=off -timeout "${TEST_TIMEOUT:-15m}" -p $many -parallel $many $1 $2 || failed=1
}

packages=$(go list "${@:-./...}")
watched=$(grep -E "$concurrent" <<< "$packages" || true)
[ -z "$watched" ] || run "$race" "$watched"
wait $installing || { cat bin/test-tools.log; exit 1; }
cat bin/test-tools.log
[ ! -x "$bin/rosetta-cli" ] || export STRATA_ROSETTA_CLI=$bin/rosetta-cli
[ ! -x "$bin/schemathesis-env/bin/schemathesis" ] || export STRATA_SCHEMATHESIS=$bin/schemathesis-env/bin/schemathesis
sequential=$(grep -vE "$concurrent" <<< "$packages" || true)
[ -z "$sequential" ] || run '' "$sequential"
exit $failed
