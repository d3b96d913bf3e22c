#!/usr/bin/env bash
# Lets histories happen in scripted worlds, and judges them: scripts/simulate.sh. SEED is that of the first (a new one by default; alone,
# of the only one), HISTORIES their number or MINUTES their time (one minute by default), WORLD the scene; LAYER=1 runs the histories of
# parts of the program that need no database instead. What a history that goes wrong leaves is in bin/. See docs/simulation.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/tools.sh postgres redis

[ -n "${SEED:-}" ] && [ -z "${HISTORIES:-}${MINUTES:-}" ] && HISTORIES=1
seed=${SEED:-$((RANDOM << 15 | RANDOM))} histories=${HISTORIES:-0} minutes=${MINUTES:-0}
[ "$histories" != 0 ] || [ "$minutes" != 0 ] || minutes=1
# Each process has one processor and one history at a time, so that the same seed leads to the same choices.
many=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
if [ "$histories" != 0 ] && [ "$histories" -lt "$many" ]; then many=$histories; fi
echo "SEED=$seed${WORLD:+ WORLD=$WORLD}"

mkdir -p bin
if [ "${LAYER:-2}" = 1 ]; then
  mapfile -t packages < <(grep -rl --include='*_test.go' '^func TestSimulated' . | xargs -n1 dirname | sort -u)
  tests=$(grep -rh --include='*_test.go' '^func TestSimulated' . | wc -l) each=${HISTORIES:-10000}
  go test -vet=off -count=1 -run '^$' "${packages[@]}" > /dev/null # builds them
  SECONDS=0
  go test -vet=off -count=1 -timeout 0 -run '^TestSimulated' "${packages[@]}" -rapid.seed="$seed" -rapid.checks="$each"
  took=$((SECONDS > 0 ? SECONDS : 1))
  echo "$((tests * each)) histories in $took s, $((tests * each * 3600 / took)) an hour"
  exit
fi
go test -c -vet=off -o bin/simulation.test ./cmd/strata/internal/simulation
pids=()
trap 'kill "${pids[@]}" 2> /dev/null || true' INT TERM
for ((i = 0; i < many; i++)); do
  (
    results=$PWD/bin log=$PWD/bin/simulation.test
    cd cmd/strata/internal/simulation
    exec "$log" -test.run '^TestSimulation$' -test.v -test.timeout 0 -seed $((seed + i)) -stride "$many" -histories $(((histories + many - 1 - i) / many)) \
      -minutes "$minutes" -world "${WORLD:-}" -results "$results" ${TRACE:+-trace}
  ) > "bin/simulation.$i.log" 2>&1 &
  pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
for ((i = 0; i < many; i++)); do
  grep -vE '^ *(=== |--- PASS)|^(PASS|ok)' "bin/simulation.$i.log" || true
done
exit $failed
