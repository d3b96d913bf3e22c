#!/usr/bin/env bash
# Checks all that can be checked without running it: scripts/lint.sh, or scripts/lint.sh PART… Each part runs, whatever another one finds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/bin

# install installs a tool, or says what is not checked without it.
install() { scripts/tools.sh "$1" || { echo "no $1: $2 is not checked"; return 1; }; }

format() {
  local unformatted
  unformatted=$(gofmt -l .) || return 1
  [ -z "$unformatted" ] || { printf 'not formatted (run gofmt -w):\n%s\n' "$unformatted"; return 1; }
}

# Counts the lines of each package, without generated files. awk first reads the exceptions, which the decision has.
sizes() {
  find . -name '*.go' -not -path './bin/*' -not -path '*/node_modules/*' -print | sort |
    awk -v decision=docs/decisions/016-size-of-packages.md -v max=5000 '
      BEGIN { while ((getline row < decision) > 0) if (split(row, cell, /[`|]/) > 4 && row ~ /^[|] `/) { gsub(/[ ,]/, "", cell[5]); allowed[cell[3]] = cell[5] } }
      { n = generated = 0; while ((getline line < $0) > 0) { n++; if (line ~ /^\/\/ Code generated .* DO NOT EDIT\.$/) generated = 1 }
        close($0); dir = $0; sub(/^\.\//, "", dir); sub(/\/[^\/]*$/, "", dir); if (!generated) lines[dir] += n }
      END { for (dir in lines) { most = (dir in allowed) ? allowed[dir] + 0 : max; if (lines[dir] > most) { failed = 1
          printf "package %s has %d lines, more than %d: a package is a room: split it, or say in %s why not\n", dir, lines[dir], most, decision } }
        exit failed }'
}

# Lets Prometheus and systemd check what they would run, where they can be had, and linters what containers would be made of.
deployment() {
  local version file unit failed=0 objects=()
  if install deploy-lint 'Dockerfile and deploy/kubernetes'; then
    "$bin/deploy-lint/bin/hadolint" Dockerfile || failed=1
    for file in deploy/kubernetes/*.yaml; do [[ $file == */kustomization.yaml ]] || objects+=("$file"); done
    for version in 1.30 1.36; do # of Kubernetes
      "$bin/deploy-lint/bin/kubernetes-validate" --quiet --strict -k $version "${objects[@]}" || failed=1
    done
  fi
  sh -n deploy/systemd/postinstall.sh && sh -n deploy/systemd/preremove.sh || failed=1
  scripts/tools.sh promtool || true
  if command -v promtool > /dev/null; then promtool test rules deploy/monitoring/alerts_test.yaml || failed=1
  else echo 'no promtool: the alert rules are not checked'; fi
  if command -v systemd-analyze > /dev/null; then
    unit=$(mktemp -d)
    sed 's|/usr/bin/strata|/bin/true|' deploy/systemd/strata.service > "$unit/strata.service"
    systemd-analyze verify "$unit/strata.service" || failed=1
    rm -r "$unit"
  fi
  return $failed
}

# Checks that the description of the API is valid, and that nothing in it breaks the clients of the one that clients were made of last:
# that of the last release or, while there is none, of a commit: see docs/decisions/032-description-for-generators.md.
description() {
  local base status=0 baseline=${API_BASELINE:-$(git describe --tags --abbrev=0 2> /dev/null || cat docs/openapi-baseline)}
  scripts/tools.sh oasdiff && "$bin/oasdiff" validate --fail-on ERR docs/openapi.yaml || return 1
  if ! git cat-file -e "$baseline:docs/openapi.yaml" 2> /dev/null; then
    echo "the description of $baseline is not in this clone: what breaks clients is not checked"
    return
  fi
  base=$(mktemp)
  git show "$baseline:docs/openapi.yaml" > "$base"
  "$bin/oasdiff" breaking --fail-on ERR "$base" docs/openapi.yaml || { status=1; echo 'this breaks clients of the API: see docs/decisions/032-description-for-generators.md'; }
  rm "$base"
  return $status
}

# Checks the licenses of all modules that are compiled into the program.
licenses() { go run ./internal/license ./cmd/strata; }

# Asks the database of known weaknesses about what the program calls. Offline, it says so.
weaknesses() {
  local said status=0
  scripts/tools.sh govulncheck || return 1
  said=$("$bin/govulncheck" ./cmd/strata 2>&1) || status=$?
  [ $status != 0 ] || return 0
  if [ $status = 1 ] && grep -q 'fetching vulnerabilities' <<< "$said"; then echo "the database of weaknesses can't be reached: govulncheck is skipped"; return; fi
  echo "$said"
  return 1
}

# golangci-lint vets: its govet has all analyzers of go vet.
rules() { scripts/tools.sh golangci-lint && "$bin/golangci-lint" run ./...; }

[ $# -gt 0 ] || set -- format sizes deployment description licenses weaknesses rules
failed=0
for part in "$@"; do "$part" || { echo "lint: $part failed"; failed=1; }; done
exit $failed
