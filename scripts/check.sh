#!/usr/bin/env bash
# What to run before a commit, in minutes: scripts/check.sh. It installs nothing, and says what it leaves out without it. Packages are
# vetted and linted if they differ from the branch main (BASE=…), and tests have their short forms; the go command remembers the results
# of tests of which nothing has changed. make lint and make test are the whole.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=0
scripts/lint.sh format sizes || failed=1

base=$(git merge-base HEAD "${BASE:-main}" 2> /dev/null || git rev-parse HEAD)
changed=()
while read -r dir; do
  if compgen -G "$dir/*.go" > /dev/null && [[ $dir != clients/* ]]; then changed+=("./$dir"); fi
done < <({ git diff --name-only --diff-filter=d "$base" -- '*.go'; git ls-files --others --exclude-standard -- '*.go'; } | sed 's|/[^/]*$||' | grep -v /testdata/ | sort -u)
if [ ${#changed[@]} = 0 ]; then echo 'no package differs: nothing is linted'
elif [ -z "$(scripts/tools.sh --missing golangci-lint)" ]; then bin/golangci-lint run --allow-parallel-runners "${changed[@]}" || failed=1
else
  echo 'no golangci-lint (make lint installs it): packages are only vetted'
  go vet "${changed[@]}" || failed=1
fi

missing=$(scripts/tools.sh --missing postgres redis pgbouncer promtool chromium node python)
[ -z "$missing" ] || echo "missing, and left out of the tests: $missing (scripts/tools.sh $missing installs it)"
if [[ " $missing " == *' postgres '* ]]; then
  echo 'without PostgreSQL, there are no tests to run'
  exit 1
fi
mkdir -p bin
# Tests mostly wait, so more of them run at a time than there are processors.
many=$((2 * $(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)))
go test -short -vet=off -p $many -parallel $many ./... > bin/check.log 2>&1 || failed=1
grep -vE '^(ok|\?) |no test files' bin/check.log || true
[ $failed != 0 ] || echo "all is well: $(grep -c '^ok' bin/check.log) packages, $(grep -c '(cached)' bin/check.log || true) of them unchanged"
exit $failed
