#!/usr/bin/env bash
# Tests against what is not in this tree, which it fetches: scripts/outside.sh TEST. Without a name, it lists them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/bin

run() { go test -count=1 -v -timeout "${TEST_TIMEOUT:-15m}" "$@"; }

# On each of the two versions of Postgres, the tests of packages run in their short forms.
on_each_postgres() {
  local dir
  for dir in "$bin/postgres-oldest/bin" "$bin/postgres-newest/bin"; do
    "$dir/postgres" --version
    STRATA_POSTGRES_BIN=$dir go test -vet=off -count=1 -short -timeout "${TEST_TIMEOUT:-15m}" "$@"
  done
}

[ "${1:-}" = deb ] || [ -z "${1:-}" ] || scripts/tools.sh postgres
case ${1:-} in
  s3) # keep images in a bucket of versitygw, a server that speaks S3, keeps objects as files, and checks signatures
    scripts/tools.sh versitygw
    STRATA_VERSITYGW=$bin/versitygw run -run '^TestS3Server$' ./metadata/picture ;;
  lake) # let DuckDB ask the questions of docs/lake.md
    scripts/tools.sh duckdb-env
    STRATA_DUCKDB=$bin/duckdb-env/bin/python run -run '^TestLake$' ./cmd/strata/internal ;;
  witness) # let litewitness cosign checkpoints of a log; needs Python 3
    scripts/tools.sh litewitness python
    STRATA_LITEWITNESS=$bin/litewitness run -run '^TestLitewitness$' ./eventstore/transparency/witness ;;
  fanout) # send 10,000 events over three servers of NATS, which are killed one after the other
    run -run '^TestCluster$' ./eventstore/fanout -long ;;
  fuzz-api) # let schemathesis compare the API with its description (EXAMPLES=100 requests of each kind for each operation, SEED=2)
    scripts/tools.sh schemathesis-env
    STRATA_SCHEMATHESIS=$bin/schemathesis-env/bin/schemathesis STRATA_SCHEMATHESIS_EXAMPLES=${EXAMPLES:-10} STRATA_SCHEMATHESIS_SEED=${SEED:-1} \
      TEST_TIMEOUT=120m run -run '^TestAPIAsDescribed$' ./cmd/strata ;;
  rosetta) # let rosetta-cli check /mesh and /rosetta/v1 (ROSETTA_POSTS=26000 for 5,000 blocks of the made-up chain)
    scripts/tools.sh rosetta-cli
    STRATA_ROSETTA_CLI=$bin/rosetta-cli STRATA_ROSETTA_POSTS=${ROSETTA_POSTS:-300} go test -count=1 -timeout 150m -run '^TestConformance' ./readapi/rosetta ;;
  postgres-core) # run the tests of the log and of versions of read tables on the oldest and the newest Postgres, if they can be had
    if scripts/tools.sh postgres-oldest postgres-newest; then on_each_postgres ./migrations ./eventstore ./projections/version
    else echo "the oldest and the newest Postgres can't be had here: their tests are skipped"; fi ;;
  postgres) # run the tests of log, folds, versions and reads on the oldest and the newest Postgres, and move a log to the newest
    scripts/tools.sh postgres-oldest postgres-newest
    on_each_postgres ./migrations ./eventstore ./projections/version ./projections/follow ./readapi/conformance
    STRATA_POSTGRES_NEWER_BIN=$bin/postgres-newest/bin run -run '^TestAnotherPostgres$' ./cmd/strata ;;
  upgrade) # start this program on what that of the commit PREVIOUS has built, under reads
    tree=$(mktemp -d)
    trap 'git worktree remove --force "$tree/source"; rm -rf "$tree"' EXIT
    git worktree add --quiet --detach "$tree/source" "${PREVIOUS:-5840796}"
    (cd "$tree/source" && go build -o "$tree/strata" ./cmd/strata)
    STRATA_PREVIOUS=$tree/strata run -run '^TestUpgradeFromRelease$' ./cmd/strata ;;
  deb) # install, update, remove and purge the package of make deb in a fresh Debian (needs root and debootstrap)
    debian=$bin/deb/debian # kept for the next time
    if [ ! -e "$debian" ]; then
      rm -rf "$debian.part"
      debootstrap --variant=minbase bookworm "$debian.part"
      mv "$debian.part" "$debian"
    fi
    cp "$bin/strata.deb" "$debian/tmp/"
    chroot "$debian" sh -eu -c '
      dpkg -i /tmp/strata.deb
      [ "$(stat -c "%a %U %G" /etc/strata/strata.env)" = "640 root strata" ]
      su -s /bin/sh strata -c "cd /var/lib && strata check-config"
      echo "# kept" >> /etc/strata/strata.env
      dpkg -i /tmp/strata.deb; grep -qx "# kept" /etc/strata/strata.env
      dpkg -r strata; [ -f /etc/strata/strata.env ] && [ ! -e /usr/bin/strata ]
      dpkg --purge strata; [ ! -e /etc/strata ]' ;;
  *)
    echo 'make outside TEST=…'
    sed -nE 's/^  ([a-z0-9-]+)\) # (.*)$/  \1\t\2/p' scripts/outside.sh | expand -t 18
    [ -z "${1:-}" ] || exit 2 ;;
esac
