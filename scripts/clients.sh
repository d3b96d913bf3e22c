#!/usr/bin/env bash
# Installs what clients are made, tested and packed with: scripts/clients.sh [--pack] LANGUAGE…, of typescript and python. The client in
# Python is not in git: this writes it. With --pack, it builds their packages in bin/. Where there is no package manager, it says which
# client is left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/bin

pack=
[ "${1:-}" != --pack ] || { pack=1; shift; }

typescript() {
  local lock=clients/typescript/node_modules/.package-lock.json
  scripts/tools.sh node
  command -v npm > /dev/null || { echo 'there is no npm: the client in TypeScript is left out'; return; }
  if [ ! -e $lock ] || [ clients/typescript/package-lock.json -nt $lock ]; then
    (cd clients/typescript && npm ci --silent --ignore-scripts --no-audit --no-fund --prefer-offline)
    touch $lock
  fi
  [ -z "$pack" ] || (cd clients/typescript && npm pack --silent --pack-destination "$bin")
}

python() {
  local generator made=clients/python/src/strata_client/generated/client.py
  scripts/tools.sh python
  python3 -c 'import ensurepip, venv' 2> /dev/null || { echo 'there is no Python with venv: the client in Python is left out'; return; }
  generator=$(scripts/tools.sh --missing client-python)
  scripts/tools.sh client-python
  if [ -n "$generator" ] || [ docs/openapi.yaml -nt $made ] || [ clients/python/openapi-python-client.yaml -nt $made ]; then
    (cd clients/python && "$bin/client-python/bin/openapi-python-client" generate --path ../../docs/openapi.yaml --config openapi-python-client.yaml \
      --meta none --output-path src/strata_client/generated --overwrite > "$bin/client-python.log" 2>&1) || { cat "$bin/client-python.log"; exit 1; }
    touch $made
  fi
  [ -z "$pack" ] || "$bin/client-python/bin/python" -m build --wheel --no-isolation --outdir "$bin" clients/python
}

for language in "$@"; do "$language"; done
