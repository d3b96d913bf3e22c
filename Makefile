# Everything a developer does here. `make` lists it; what takes more than some lines is in scripts/, and scripts/tools.sh has the versions
# of all tools.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS   += --no-print-directory

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
BRANCH  ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
COMMIT  ?= $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
LDFLAGS = -X main.buildVersion=$(VERSION) -X main.branch=$(BRANCH) -X main.commit=$(COMMIT)

ARGS         ?=
PKG          ?= ./...
PACKAGE      ?= ./projections/chain
SAMPLE       ?= 0
TEST         ?=
FUZZTIME     ?= 10s
SOAKTIME     ?= 1h
TEST_TIMEOUT ?= 15m
TOOLS        := scripts/tools.sh
# What serving needs besides the binary: with a database of one's own, nothing.
NEEDED       := $(if $(STRATA_DATABASE_URL),,postgres)

# To compile and link takes half of the time of the tests. A compiler that collects its garbage late takes a quarter less of it, and half
# as much memory again; one that writes nothing for debuggers, a tenth of the rest. Linters, tests and the tools that they need are built
# so, and share what is compiled; make build is not. See docs/decisions/042-what-tests-cost.md.
QUICK_BUILD = $(shell go env GOFLAGS) '-toolexec=env GOGC=800' '-gcflags=all=-dwarf=false -gendwarfinl=0'
check lint test conformance outside faults simulate mutants: export GOFLAGS = $(QUICK_BUILD)
# The variables that scripts read.
export TEST_TIMEOUT

.PHONY: help build run demo generate clients deb check lint verify test conformance outside faults simulate mutants fuzz nightly bench soak

help: ## List the targets
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } /^[a-z][a-z-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Use
build: ## Build bin/strata
	go build -trimpath -ldflags '-s -w $(LDFLAGS)' -o bin/strata ./cmd/strata

run: build ## Build and serve, on a private Postgres unless STRATA_DATABASE_URL is set (ARGS="--flag …")
	@$(TOOLS) $(NEEDED)
	exec bin/strata serve $(ARGS)

demo: build ## Show what strata does, on made-up data (ARGS="--flag …")
	@$(TOOLS) $(NEEDED)
	exec bin/strata demo $(ARGS)

##@ Develop
generate: build ## Write the generated files: docs/openapi.yaml, the clients in Go and TypeScript, and the settings in docs/operating.md
	@$(TOOLS) oapi-codegen node
	bin/strata openapi --yaml > bin/openapi.yaml
	mv bin/openapi.yaml docs/openapi.yaml
	bin/strata openapi --v30 > bin/openapi-3.0.json
	cd clients/go && $(CURDIR)/bin/oapi-codegen -config oapi-codegen.yaml $(CURDIR)/bin/openapi-3.0.json
	@scripts/clients.sh typescript; if command -v npm > /dev/null; then cd clients/typescript && npm run --silent generate; fi
	bin/strata settings --write docs/operating.md

clients: ## Write the client in Python, and build the packages of the clients: bin/*.tgz for npm, and a wheel for pip
	scripts/clients.sh --pack typescript python

deb: build ## Build the package for Debian, bin/strata.deb, and check what it holds
	scripts/deb.sh

##@ Check
check: ## Before a commit, in minutes: format, sizes, rules for what differs from main (BASE=…), and the tests in their short forms
	scripts/check.sh

lint: ## Check format, vet, sizes of packages, the rules in .golangci.yml, deploy/, the description of the API, licenses, and known weaknesses
	scripts/lint.sh

verify: build ## Check that docs/openapi.yaml and the settings in docs/operating.md are what make generate would write
	bin/strata openapi --yaml > bin/openapi.yaml
	@diff -u docs/openapi.yaml bin/openapi.yaml || { echo "docs/openapi.yaml is stale: run make generate"; exit 1; }
	bin/strata settings --check docs/operating.md

test: ## Run all tests, with the race detector where there is a C compiler (PKG=./some/...)
	scripts/test.sh $(PKG)

conformance: ## Compare the answer of each operation with what was expected by hand and with golden answers, then TEST=rosetta
	@$(TOOLS) postgres
	go test -count=1 ./readapi/conformance -full
	scripts/outside.sh rosetta

outside: ## Test against what is not in this tree, such as other programs and other versions of Postgres (TEST=…, or none to list them)
	@scripts/outside.sh $(TEST)

FAULT_TESTS    := ^(TestKilledImport|TestFrozen.*|TestLeaderThatWorks|TestDistantWriter|TestRestore|TestRestoredLog|TestSlowSendersStopNobody|TestSpoolWithoutRoom|TestDatabaseOutage|TestServeWithoutConfiguration|TestFullDisk|TestDiskFolder|TestNothingIsFetchedWithoutSpace|TestWantsOfAPausedHostWait|TestUpgrade|TestPgBouncer|TestExtendDown|TestLostRoot|TestSkip|TestKeep|TestNewProjection|TestActivateRefuses|TestUnsafeDatabase|TestAppends.*|TestDatabaseRefuses|TestHotRows|TestNewVersionWaitsForSpace|TestBuildWaitsForSpace|TestLateFollower|TestSecondProcessWithoutTheKey|TestWatch)$$
FAULT_PACKAGES := ./cmd/strata ./cmd/strata/internal/database ./cmd/strata/internal/serve ./eventstore ./eventstore/importer ./eventstore/observer \
	./eventstore/transparency ./internal/nodecompare ./internal/postgres ./metadata ./migrations ./projections/chain ./projections/follow ./projections/internal/register ./projections/version

faults: ## Run the tests of single faults, and print what each did, such as kills, what was lost, and how long it took to go on
	@$(TOOLS) postgres pgbouncer
	go test -count=1 -v -timeout $(TEST_TIMEOUT) -run '$(FAULT_TESTS)' $(FAULT_PACKAGES) | grep -E '^(--- |ok |FAIL|panic)|fault: '

simulate: ## Let histories with faults happen to the whole program, from a seed, and judge them (SEED=, HISTORIES= or MINUTES=, WORLD=)
	@scripts/simulate.sh

mutants: ## List small changes of PACKAGE that neither its tests nor the simulator notices (SAMPLE=n of them, by SEED=)
	@$(TOOLS) postgres redis
	go run ./cmd/mutants -package $(PACKAGE) -sample $(SAMPLE) -seed $(or $(SEED),1)

fuzz: ## Run every fuzz target for FUZZTIME (default 10s)
	@grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file _ func; do \
		target=$${func#func }; package=$$(dirname "$$file"); \
		echo "== $$package $$target"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" < /dev/null; \
	done

# One that fails does not hide what the others find.
nightly: ## What takes hours, one after the other: faults, other versions, other programs, fuzzing for 1m each, and a soak of SOAKTIME (1h)
	@failed=; \
	run() { echo "== make $$*"; $(MAKE) "$$@" || failed="$$failed, make $$*"; }; \
	run faults; run conformance; \
	for test in upgrade postgres fanout s3 lake witness fuzz-api; do run outside TEST=$$test; done; \
	run fuzz FUZZTIME=1m; run soak ARGS="-duration $(SOAKTIME)"; \
	if [ -n "$$failed" ]; then echo "failed: $${failed#, }"; exit 1; fi

##@ Measure
bench: ## Measure against the targets and print the table (ARGS="--flag …")
	@$(TOOLS) postgres redis
	go run ./cmd/bench $(ARGS)

soak: ## Serve under load, attacks and kills, and check that nothing is lost or leaks (ARGS="-duration 1h")
	@$(TOOLS) postgres
	go run ./cmd/soak $(ARGS)
