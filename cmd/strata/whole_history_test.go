package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/eventstore/archive"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/serverrig"
	"strata/internal/testkit/short"
)

// says waits until the answer of a path has a status and contains texts.
func (s *server) says(path string, status int, texts ...string) {
	s.t.Helper()
	var got serverrig.Reply
	defer func() {
		if s.t.Failed() {
			s.t.Logf("%s: got %d %s", path, got.Status, got.Body)
		}
	}()
	eventually.Holds(s.t, path+" says "+strings.Join(texts, " and "), func() bool {
		got = s.get(path)
		for _, text := range texts {
			if !strings.Contains(string(got.Body), text) {
				return false
			}
		}
		return got.Status == status
	})
}

// A server that is started beside a node which has run for long says what it lacks, until that is imported from a server that
// has it.
func TestBesideANodeThatHasRun(t *testing.T) {
	short.Skip(t, "imports while a node posts")
	t.Parallel()
	dir := t.TempDir()
	lines := strings.SplitAfter(chainArchive(t, archive.Copy, 19, 120), "\n")
	whole, tail := filepath.Join(dir, "whole.tsv"), filepath.Join(dir, "tail.tsv")
	writeFile(t, whole, strings.Join(lines, ""))
	writeFile(t, tail, strings.Join(lines[80:], ""))
	url := pgtest.URL(t)
	s := startServer(t, dir, "--database-url", url)
	s.says("/readyz", http.StatusServiceUnavailable, "No block has arrived yet.")
	s.says("/extended", http.StatusOK, `"status":"not ready"`)
	mustRun(t, dir, "import", "--database-url", url, tail)
	s.says("/readyz", http.StatusServiceUnavailable, " blocks are missing, from 0 to ", "the chain has not begun", "strata export --heights 0-")
	s.says("/readyz?for=money", http.StatusServiceUnavailable)
	s.says("/extended", http.StatusOK, `"status":"not ready"`, "the chain has not begun")
	s.caughtUp(int64(len(lines) - 81))
	if got := s.get("/extended/v1/address/SP000000000000000000002Q6VF78/stx"); got.Status == http.StatusOK && strings.Contains(string(got.Body), `"balance":"-`) {
		t.Errorf("a balance of a chain that has not begun: got %s", got.Body)
	}
	if got := run(t, dir, "doctor", "--database-url", url); got.code == 0 || !strings.Contains(got.stdout, "FAILURE  missing blocks") || !strings.Contains(got.stdout, "→ strata history repair URL") {
		t.Errorf("doctor: got code %d:\n%s", got.code, got.stdout)
	}
	if got := run(t, dir, "verify", "--database-url", url); got.code != 1 || !strings.Contains(got.stdout, "INCOMPLETE") || strings.Contains(got.stdout, "no differences\n") {
		t.Errorf("verify: got code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}

	t.Run("mended", func(t *testing.T) {
		other := pgtest.URL(t) // a database of its own
		mustRun(t, dir, "import", "--wait", "--database-url", other, whole)
		missing := filepath.Join(dir, "missing.tsv.gz")
		mustRun(t, dir, "export", "--database-url", other, "--heights", "0-1000", "--out", missing)
		mustRun(t, dir, "import", "--append", "--database-url", url, missing)
		s.says("/readyz?for=money", http.StatusOK, `"history":{"ok":true,"fed":true},"gaps":{"ok":true,"blocking":0}}`)
		s.says("/extended", http.StatusOK, `"status":"ready"`)
		if got := mustRun(t, dir, "verify", "--database-url", url); !strings.Contains(got, "no differences\n") {
			t.Errorf("verify: got %s", got)
		}
		if got := run(t, dir, "export", "--database-url", other, "--heights", "5-2"); got.code == 0 || !strings.Contains(got.stderr, "are not two heights, such as 101-187") {
			t.Errorf("--heights 5-2: got code %d: %s", got.code, got.stderr)
		}
	})
}

// With --partial-history, also when it comes later, the chain begins with any block, and all say so.
func TestPartialHistory(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	dir := t.TempDir()
	tail := filepath.Join(dir, "tail.tsv")
	writeFile(t, tail, strings.Join(strings.SplitAfter(chainArchive(t, archive.Copy, 19, 120), "\n")[80:], ""))
	url := pgtest.URL(t)
	mustRun(t, dir, "import", "--wait", "--database-url", url, tail)
	s := startServer(t, dir, "--database-url", url, "--partial-history")
	s.says("/readyz", http.StatusOK, `"history":{"ok":false,"fed":true,"from":`, "The chain begins at block ")
	s.says("/readyz?for=money", http.StatusServiceUnavailable)
	s.says("/extended", http.StatusOK, `"about":"partial history"`)
	for _, path := range []string{"/extended/v2/blocks", "/extended/v1/tx/0x00", "/nowhere", "/healthz", "/readyz"} {
		eventually.Holds(t, "a server that has read the state says it with "+path, func() bool {
			return strings.HasPrefix(s.get(path).Header.Get("Strata-History"), "from=")
		})
	}
	if got := run(t, dir, "verify", "--database-url", url); got.code != 0 || !strings.Contains(got.stdout, "INCOMPLETE The chain begins at block ") {
		t.Errorf("verify: got code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := run(t, dir, "doctor", "--database-url", url); got.code == 0 || !strings.Contains(got.stdout, "FAILURE  partial history") {
		t.Errorf("doctor: got code %d:\n%s", got.code, got.stdout)
	}
}

// takes posts events of a chain as a node does: again while the server is away, as when the first block has told the network.
func (s *server) takes(chain *synthchain.Chain, n int) {
	s.t.Helper()
	for range n {
		post := chain.Next()
		eventually.Holds(s.t, "the server takes an event", func() bool {
			got, err := serverrig.Ask(s.t.Context(), slow, http.MethodPost, s.observer+post.Path, http.Header{"Content-Type": {"application/json"}}, post.Body)
			return err == nil && got.Status == http.StatusOK
		})
	}
}

// becomes waits until the server says that it is of a network. It is away for a moment before.
func (s *server) becomes(network string) {
	s.t.Helper()
	eventually.Holds(s.t, "the server is of "+network, func() bool {
		got, err := serverrig.Ask(s.t.Context(), slow, http.MethodGet, s.api+"/extended/v1/status", nil, nil)
		var now status
		return err == nil && json.Unmarshal(got.Body, &now) == nil && now.Strata.Network == network
	})
}

// Without a setting, the first block tells the network. Another network's events go to quarantine then.
func TestNetworkIsFoundOut(t *testing.T) {
	t.Parallel()
	s := startServerOf(t, "", t.TempDir(), "--database-url", pgtest.URL(t))
	config := synthchain.Config{Seed: 4, Network: synthchain.Testnet, Nakamoto: true, SigningSample: 1000}
	s.takes(synthchain.New(config), 12)
	s.becomes("testnet")
	s.caughtUp(12)
	tip := s.status().ChainTip
	config.Network, config.Seed = synthchain.Mainnet, 5
	s.takes(synthchain.New(config), 60)
	s.caughtUp(72)
	if now := s.status().ChainTip; now != tip {
		t.Errorf("events of another network: got tip %+v, want %+v", now, tip)
	}
	s.says("/readyz", http.StatusOK, "Events of another network are in quarantine", "mainnet (chain id 0x1)")
}

// After another chain has begun on a database, the fold stands still, and strata reset makes room for it.
func TestAnotherChainBegins(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	dir := t.TempDir()
	url := pgtest.URL(t)
	s := startServerOf(t, "", dir, "--database-url", url)
	config := synthchain.Config{Seed: 4, Network: synthchain.Testnet, Nakamoto: true, SigningSample: 1000}
	s.takes(synthchain.New(config), 6)
	s.becomes("testnet")
	s.caughtUp(6)
	config.Seed = 5
	s.takes(synthchain.New(config), 1)
	s.says("/extended", http.StatusOK, `"status":"not ready"`, `"about":"another chain"`)
	s.says("/readyz?for=money", http.StatusServiceUnavailable, "Another chain began on this database")
	got := run(t, dir, "doctor", "--database-url", url)
	if !strings.Contains(got.stdout, "FAILURE  another chain ") || strings.Count(got.stdout, "strata reset --keep-log-as FILE") != 1 || strings.Contains(got.stdout, "projections resume") {
		t.Errorf("doctor: got code %d:\n%s", got.code, got.stdout)
	}
	kept := filepath.Join(dir, "old.tsv")
	if got := run(t, dir, "reset", "--database-url", url, "--keep-log-as", kept); got.code == 0 || !strings.Contains(got.stderr, "stop strata serve") {
		t.Errorf("reset beside a server: got code %d: %s", got.code, got.stderr)
	}
	s.stop()
	mustRun(t, dir, "reset", "--database-url", url, "--keep-log-as", kept)
	if text, err := os.ReadFile(kept); err != nil || strings.Count(string(text), "\n") != 7 {
		t.Errorf("the old log: got %d lines, %v", strings.Count(string(text), "\n"), err)
	}
	s = startServerOf(t, "", dir, "--database-url", url)
	s.takes(synthchain.New(config), 1)
	s.says("/readyz", http.StatusOK, `"status":"ready"`)
}
