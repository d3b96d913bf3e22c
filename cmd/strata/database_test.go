package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/eventstore/archive"
	"strata/internal/testkit/pgtest"
)

// Commands that read create no database where there is none: they say what they looked at.
func TestReadingCreatesNothing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"verify", "export", "log-key", "projections status", "projections rebuild balances", "projections resume balances"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir, url := t.TempDir(), pgtest.Fresh(t)
			got := run(t, dir, append(strings.Fields(command), "--data-dir", "typo")...)
			if want := "there is no database in " + filepath.Join(dir, "typo"); got.code != exitFailure || !strings.Contains(got.stderr, want) {
				t.Errorf("got code %d and %q, want %q", got.code, got.stderr, want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("it left %v (%v)", left, err)
			}
			run(t, dir, append(strings.Fields(command), "--database-url", url)...).fails(t, exitFailure, "there is no log of Strata in database ", "strata import")
		})
	}
}

// The network is part of the database: neither a server nor an archive of another one gets in.
func TestNetworkOfTheLog(t *testing.T) {
	t.Parallel()
	dir, url := t.TempDir(), pgtest.Fresh(t)
	writeFile(t, filepath.Join(dir, "mainnet.tsv"), chainArchive(t, archive.Copy, 11, 40))
	writeFile(t, filepath.Join(dir, "testnet.tsv"), strings.ReplaceAll(chainArchive(t, archive.Copy, 12, 40), `"raw_tx":"0x0000000001`, `"raw_tx":"0x8080000000`))
	got := run(t, dir, "import", "--database-url", url, "mainnet.tsv")
	if got.code != 0 || !strings.Contains(got.stderr, "created a new, empty log") {
		t.Fatalf("got code %d and %q, want a word about the new log", got.code, got.stderr)
	}
	got = run(t, dir, "import", "--database-url", url, "--append", "testnet.tsv")
	if got.code != exitFailure || !strings.Contains(got.stderr, "testnet.tsv: the event at /new_block ") ||
		!strings.Contains(got.stderr, "is of testnet (chain id 0x80000000), and the log of mainnet (chain id 0x1)") {
		t.Errorf("an archive of testnet: got code %d and %q", got.code, got.stderr)
	}
	if n := len(bodies(t, url)); n != 40 {
		t.Errorf("got %d events, want the 40 of mainnet", n)
	}
	for _, other := range [][]string{{"--network", "testnet"}, {"--chain-id", "5"}} {
		got = run(t, dir, append([]string{"serve", "--database-url", url, "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0"}, other...)...)
		if got.code != exitFailure || !strings.Contains(got.stderr, "the log is of mainnet (chain id 0x1), and this server is configured for ") ||
			!strings.Contains(lastLine(got.stderr), "--network mainnet") {
			t.Errorf("serve %v: got code %d and %q", other, got.code, got.stderr)
		}
	}
	startServer(t, dir, "--database-url", url).stop()
}
