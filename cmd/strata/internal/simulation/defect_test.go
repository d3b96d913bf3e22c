package simulation_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/must"
)

var defects = flag.String("defects", "", "regular expression of the defects to put back; empty for none, for a build takes a while")

// defectTime is how long histories may take to find a defect.
const defectTime = time.Minute

// Each defect that the program once had is found again by histories from a fixed seed, when it is put back. The patches in
// testdata/defects say what was wrong; of those that are found, the line "Seed: " says from which seed, and "World: " or "Test: " in
// which scene, or by which test of histories without a database.
func TestDefects(t *testing.T) {
	if *defects == "" {
		t.Skip("it builds the program once for each of them: -defects .")
	}
	root := must.Get(filepath.Abs("../../../.."))(t)
	patches := must.Get(filepath.Glob(filepath.Join(root, "rig/simulation/testdata/defects/*.patch")))(t)
	if len(patches) == 0 {
		t.Fatal("there are no patches")
	}
	for _, path := range patches {
		name := strings.TrimSuffix(filepath.Base(path), ".patch")
		if must.Get(regexp.MatchString(*defects, name))(t) {
			t.Run(name, func(t *testing.T) { findDefect(t, root, path) })
		}
	}
}

func findDefect(t *testing.T, root, path string) {
	t.Helper()
	patch := string(must.Get(os.ReadFile(path))(t))
	head, _, _ := strings.Cut(patch, "\ndiff --git ")
	said := func(what string) string {
		_, rest, _ := strings.Cut(head, "\n"+what+": ")
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(line)
	}
	if said("Seed") == "" {
		t.Skip("no scene finds it yet: the patch names no seed")
	}
	// The changed files stand apart, and the build sees them in place of those in the tree.
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for _, match := range regexp.MustCompile(`(?m)^--- a/(.+)$`).FindAllStringSubmatch(patch, -1) {
		to := filepath.Join(dir, match[1])
		must.Do(t, os.MkdirAll(filepath.Dir(to), 0o750))
		must.Do(t, os.WriteFile(to, must.Get(os.ReadFile(filepath.Join(root, match[1])))(t), 0o600))
		overlay["Replace"][filepath.Join(root, match[1])] = to
	}
	run := func(dir string, name string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, name, args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		return string(out), err
	}
	if out, err := run(dir, "git", "apply", path); err != nil {
		t.Fatalf("the patch does not apply any more: %s", out)
	}
	list, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "histories.test")
	must.Do(t, os.WriteFile(list, must.Get(json.Marshal(overlay))(t), 0o600))
	where, name, _ := strings.Cut(said("Test"), " ")
	args := []string{"-rapid.seed", said("Seed"), "-rapid.checks", "1000000000", "-rapid.nofailfile", "-rapid.shrinktime", "1s"}
	if where == "" {
		where, name = "cmd/strata/internal/simulation", "TestSimulation"
		args = []string{"-seed", said("Seed"), "-world", said("World"), "-histories", "0", "-minutes", fmt.Sprint(defectTime.Minutes())}
	}
	if out, err := run(root, "go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, "./"+where); err != nil {
		t.Fatalf("the program does not build with it: %s", out)
	}
	began := time.Now()
	out, err := run(filepath.Join(root, where), binary, append([]string{"-test.run", "^" + name + "$", "-test.v", "-test.timeout", (2 * defectTime).String()}, args...)...)
	took := time.Since(began).Round(100 * time.Millisecond)
	wrong := regexp.MustCompile(`(?:SEED=\d+ WORLD=\w+ goes wrong:\n|\[rapid\] failed after .*: |panic: the history )(.*)`).FindStringSubmatch(out)
	if err == nil || wrong == nil {
		t.Fatalf("no history finds it in %v: %s", took, out)
	}
	t.Logf("found in %v: %.300s", took, strings.TrimSpace(wrong[1]))
}
