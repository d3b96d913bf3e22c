package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A shell that starts the program with a command line gets the words that may come next, one a line, and nothing else happens.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line string
		want []string // of the words
		not  []string
	}{
		{"strata ", []string{"serve", "verify", "completion"}, []string{"bash"}},
		{"strata ver", []string{"verify"}, []string{"serve"}},
		{"strata serve --datab", []string{"--database-url", "--database-connections"}, []string{"--data-dir"}},
		{"strata serve --network ", []string{"mainnet", "testnet"}, nil},
		{"strata projections ", []string{"rebuild", "activate", "status"}, []string{"serve"}},
		{"strata completion ", []string{"bash", "zsh", "fish", "powershell"}, nil},
	} {
		got := finish(t, command(t, t.TempDir(), []string{"COMP_LINE=" + tc.line}))
		words := strings.Fields(got.stdout)
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%q: got code %d and %q", tc.line, got.code, got.stderr)
		}
		for _, want := range tc.want {
			if !slices.Contains(words, want) {
				t.Errorf("%q: got %q, want %s among them", tc.line, words, want)
			}
		}
		for _, not := range tc.not {
			if slices.Contains(words, not) {
				t.Errorf("%q: got %q, with %s", tc.line, words, not)
			}
		}
	}
}

// The script for bash makes it start this program, wherever that lies.
func TestCompletionOfBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script := mustRun(t, t.TempDir(), "completion", "bash")
	shell := exec.Command(bash, "--norc", "--noprofile", "-c", script+`
		eval "set -- $(complete -p strata)"
		while [ "$1" != -C ]; do shift; done
		COMP_LINE="strata verif" eval "$2"`)
	shell.Env = append(command(t, t.TempDir(), nil).Env, "PATH=/usr/bin:/bin")
	out, err := shell.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "verify" {
		t.Errorf("got %q (%v), want verify", out, err)
	}
	for _, name := range []string{"zsh", "fish", "powershell"} {
		if script := mustRun(t, t.TempDir(), "completion", name); !strings.Contains(script, "strata") || strings.Contains(script, "{{") {
			t.Errorf("%s: got %s", name, script)
		}
	}
	run(t, t.TempDir(), "completion", "csh").fails(t, exitUsage, "bash")
}
