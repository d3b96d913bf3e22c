package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/pgtest"
)

// TestAPIAsDescribed lets schemathesis make requests from the description of the API, valid and invalid ones, and compare the
// answers with it: no status of a failing server, only statuses, content types and bodies that are described. `make fuzz-api`
// installs it and runs this test; otherwise the test is skipped.
func TestAPIAsDescribed(t *testing.T) {
	checker := os.Getenv("STRATA_SCHEMATHESIS")
	if checker == "" {
		t.Skip("STRATA_SCHEMATHESIS does not name the program: run make fuzz-api")
	}
	node := newStacksNode(t)
	s := startServer(t, t.TempDir(), "--database-url", pgtest.URL(t), "--nodes", node.url)
	chain := synthchain.New((&simulate.Command{Seed: 7, Forks: 0.1}).Config())
	node.height.Store(s.grow(chain, 60))
	cmd := exec.Command(checker, "--config-file", filepath.Join(repository(t), "cmd", "strata", "testdata", "schemathesis.toml"), "run", s.api+"/openapi.json",
		"--max-examples", cmp.Or(os.Getenv("STRATA_SCHEMATHESIS_EXAMPLES"), "10"), "--seed", cmp.Or(os.Getenv("STRATA_SCHEMATHESIS_SEED"), "1"))
	cmd.Dir = t.TempDir()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("schemathesis found answers that are not as described: %v", err)
	}
}
