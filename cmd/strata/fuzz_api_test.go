package main

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
)

// TestAPIAsDescribed lets schemathesis make requests from the description of the API, valid and invalid ones, and compare the
// answers with it: no status of a failing server, only statuses, content types and bodies that are described. `make outside TEST=fuzz-api`
// makes many requests, and `make test` one or two for each operation. Both install schemathesis where Python 3 is there; without
// it the test is skipped.
func TestAPIAsDescribed(t *testing.T) {
	checker := os.Getenv("STRATA_SCHEMATHESIS")
	if checker == "" {
		t.Skip("STRATA_SCHEMATHESIS does not name the program: run make test or make outside TEST=fuzz-api")
	}
	short.Skip(t, "starts a program in Python")
	t.Parallel()
	node := newStacksNode(t)
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t), "--nodes", node.url)
	chain := synthchain.New((&simulate.Command{Seed: 7, Forks: 0.1}).Config())
	node.height.Store(s.grow(chain, 60))
	arguments := []string{
		"--config-file", filepath.Join(repository(t), "cmd", "strata", "testdata", "schemathesis.toml"), "run", s.api + "/openapi.json",
		"--seed", cmp.Or(os.Getenv("STRATA_SCHEMATHESIS_SEED"), "1"),
	}
	examples := os.Getenv("STRATA_SCHEMATHESIS_EXAMPLES")
	if examples == "" { // the short form
		arguments = append(arguments, "--phases", "examples,fuzzing", "--max-examples", "1")
	} else {
		arguments = append(arguments, "--max-examples", examples)
	}
	cmd := exec.Command(checker, arguments...)
	cmd.Dir = t.TempDir()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if examples != "" { // make outside TEST=fuzz-api shows how far it is
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Run(); err != nil {
		t.Errorf("schemathesis found answers that are not as described: %v\n%s", err, output.Bytes())
	}
}
