package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"strata/eventstore/transparency"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/rig/schemas"
)

// verified runs strata verify and returns its output. It must print one difference for each prefix in want, in any
// order, and no others.
func verified(t testing.TB, url string, args []string, want ...string) string {
	t.Helper()
	got := run(t, t.TempDir(), append([]string{"verify", "--database-url", url}, args...)...)
	code := 0
	if len(want) > 0 {
		code = exitDifferences
	}
	if got.code != code {
		t.Fatalf("verify %v: got code %d, want %d; it said\n%s%s", args, got.code, code, got.stdout, got.stderr)
	}
	var left []string
	for line := range strings.Lines(got.stdout) {
		if text, ok := strings.CutPrefix(line, "DIFFERENCE "); ok {
			left = append(left, text)
		}
	}
	for _, prefix := range want {
		i := slices.IndexFunc(left, func(text string) bool { return strings.HasPrefix(text, prefix) })
		if i < 0 {
			t.Errorf("verify %v: no difference begins with %q in\n%s", args, prefix, got.stdout)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		t.Errorf("verify %v: unexpected differences\n%s", args, strings.Join(left, ""))
	}
	if len(want) > 0 != strings.Contains(got.stderr, "found") {
		t.Errorf("verify %v: got %q on stderr", args, got.stderr)
	}
	return got.stdout
}

// A realistic log verifies while a server appends to it. Then the test tampers with the tables and the log, and verify
// names each change.
func TestVerify(t *testing.T) {
	short.Skip(t, "folds two recordings again")
	t.Parallel()
	url := served.URL(t)
	dir := t.TempDir()
	s := startServer(t, dir, "--database-url", url)
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "60", "--seed", "3", "--calm")
	s.caughtUp(60)
	eventually.Holds(t, "the log is signed", func() bool {
		return strings.Contains(string(s.get("/audit/v1/log/checkpoint").Body), "\n60\n")
	})
	kept := filepath.Join(t.TempDir(), "kept")
	writeFile(t, kept, string(s.get("/audit/v1/log/checkpoint").Body))
	key := strings.TrimSpace(string(s.get("/audit/v1/log/key").Body))

	var running sync.WaitGroup
	running.Go(func() {
		mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "150", "--seed", "3", "--calm")
	})
	text := verified(t, url, []string{"--against", kept, "--key", key, "--parallel", "3"})
	running.Wait()
	for _, want := range []string{"; root ", "; compared with 1 kept checkpoint\n", "log: key " + key + " (given)\n", schemas.In("rows: {chain}, {balances}, "), "no differences\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q", text, want)
		}
	}
	s.stop()

	var report struct {
		Log         struct{ Events, Checkpoints int64 }
		Rows        struct{ Tables []string }
		Differences int64
		Shown       []any
		Error       *string
	}
	text = verified(t, url, []string{"--json", "--rows", "ft,balances"})
	if err := json.Unmarshal([]byte(text), &report); err != nil || !slices.Equal(report.Rows.Tables, []string{schemas.In("{balances}"), schemas.In("{ft}")}) || report.Log.Events != 0 || report.Error != nil || report.Shown == nil {
		t.Errorf("got %s (%v)", text, err)
	}
	text = verified(t, url, []string{"--log-only", "--data-dir", filepath.Join(dir, ".strata")})
	if !strings.Contains(text, "; compared with 1 kept checkpoint\n") || !strings.Contains(text, "log: key "+key+" (of this machine)\n") {
		t.Errorf("beside the key: got %s, want the key and its checkpoint taken", text)
	}
	tamperedTables(t, url)
	tamperedLog(t, url, kept)
}

func tamperedTables(t *testing.T, url string) {
	conn := pgtest.Connect(t, url)
	var account string
	var seq, otherSeq int64
	var other int
	must.Do(t, conn.QueryRow(t.Context(), schemas.In(`
		UPDATE {balances}.holding SET balance = balance + 1 WHERE account = (SELECT min(account) FROM {balances}.holding WHERE asset = 'stx') AND asset = 'stx'
		RETURNING account, source_seq`)).Scan(&account, &seq))
	must.Do(t, conn.QueryRow(t.Context(), schemas.In(`
		DELETE FROM {balances}.signer_nonce WHERE (signer, height) = (SELECT signer, height FROM {balances}.signer_nonce ORDER BY signer, height LIMIT 1)
		RETURNING signer, source_seq`)).Scan(&other, &otherSeq))
	must.Get(conn.Exec(t.Context(), schemas.In(`INSERT INTO {balances}.signer (height, source_seq, id, account) VALUES (3, 4, 1000, E'S\x1bP')`)))(t)
	want := []string{
		schemas.In("{balances}.holding account=") + account + " asset=stx: balance is ",
		schemas.In("{balances}.signer_nonce signer=") + strconv.Itoa(other) + " height=",
		schemas.In("{balances}.signer account=S\uFFFDP: extra, from event 4, although the log does not give it\n"),
	}
	// Event 7 could be read, whatever the quarantine says.
	must.Get(conn.Exec(t.Context(), schemas.In(`INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) VALUES ('chain', {chain#}, 7, '/new_block', '', 'made up')`)))(t)
	verified(t, url, []string{"--rows", "chain"}, schemas.In("{chain}.quarantine seq=7: extra, from event 7, although the log does not give it\n"))
	text := verified(t, url, []string{"--rows", "balances"}, want...)
	for _, end := range []string{fmt.Sprintf(" (event %d)\n", seq), fmt.Sprintf(": missing, although event %d of the log gives it\n", otherSeq)} {
		if !strings.Contains(text, end) {
			t.Errorf("got %s, want %q", text, end)
		}
	}
	verified(t, url, []string{"--rows", "ft"})
	must.Get(conn.Exec(t.Context(), schemas.In(`INSERT INTO {ft}.stretch (n, list, first_key, first_contract) VALUES (3, 'name', '0zz', '')`)))(t)
	verified(t, url, []string{"--rows", "ft"}, schemas.In("{ft}: it does not hold that the stretches of a list add up to its tokens"), schemas.In("{ft}: it does not hold that each stretch of a list counts the tokens"))
	got := run(t, t.TempDir(), "verify", "--database-url", url, "--rows", "balances", "--limit", "1")
	if got.code != exitDifferences || strings.Count(got.stdout, "DIFFERENCE") != 1 || !strings.Contains(got.stdout, "more differences") {
		t.Errorf("limited: got code %d, %s", got.code, got.stdout)
	}
}

// tamperedLog must be the last check, because it damages the log.
func tamperedLog(t *testing.T, url, kept string) {
	_, other, err := note.GenerateKey(rand.Reader, "strata/another")
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, t.TempDir(), "verify", "--database-url", url, "--log-only", "--against", kept, "--key", other)
	if got.code != exitDifferences || !strings.Contains(got.stdout, "DIFFERENCE kept: "+kept+": it is signed with another key, ") ||
		!strings.Contains(got.stdout, "DIFFERENCE log.checkpoint: checkpoint 1 of ") {
		t.Errorf("with another key: got code %d, %s", got.code, got.stdout)
	}
	// Delete event 30, and flip a bit of event 50. The log can't be folded any more, so the rows are not compared; the rest
	// is verified all the same.
	execute(t, pgtest.AdminURL(t), `SET session_replication_role = replica`, // without triggers
		`DELETE FROM log.event WHERE seq = 30`, `UPDATE log.event SET body = set_bit(body, 7, 1 - get_bit(body, 7)) WHERE seq = 50`)
	got = run(t, t.TempDir(), "verify", "--database-url", url, "--json")
	var report struct {
		Log   *struct{ Root *string }
		Rows  *struct{}
		Shown []struct{ Log transparency.Finding }
		Error *string
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != exitDifferences || report.Log == nil || report.Log.Root != nil || report.Rows != nil {
		t.Fatalf("got code %d, %s (%v)", got.code, got.stdout, err)
	}
	for _, want := range []transparency.Finding{{Check: transparency.CheckEvent, Seq: 30, Last: 30}, {Check: transparency.CheckBody, Seq: 50, Last: 50}} {
		if !slices.ContainsFunc(report.Shown, func(d struct{ Log transparency.Finding }) bool {
			return d.Log.Check == want.Check && d.Log.Seq == want.Seq && d.Log.Last == want.Last
		}) {
			t.Errorf("got %s, want %+v", got.stdout, want)
		}
	}
	if report.Error == nil || !strings.Contains(*report.Error, "missing") || !strings.Contains(got.stderr, "and not everything could be checked") {
		t.Errorf("got %s and %s", got.stdout, got.stderr)
	}
}

// silentNode is a node at a height beyond the tables. It knows every block, and no account has anything there.
func silentNode(account func(w http.ResponseWriter, r *http.Request)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/info", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"stacks_tip_height":1000000,"network_id":1}`)
	})
	mux.HandleFunc("GET /v2/accounts/{principal}", account)
	return mux
}

// Package nodecompare tests the comparison itself; this is how the command reports it.
func TestVerifyAgainstNode(t *testing.T) {
	t.Parallel()
	url := served.URL(t)
	s := startServer(t, t.TempDir(), "--database-url", url)
	run(t, t.TempDir(), "verify", "--database-url", url, "--node-only", "--against-node", "http://127.0.0.1:1").fails(t, exitFailure, "the balances are at no block yet")
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "60", "--seed", "3", "--calm")
	s.caughtUp(60)
	s.stop()

	empty := httptest.NewServer(silentNode(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"balance":"0x00","locked":"0x00","unlock_height":0,"nonce":0}`)
	}))
	t.Cleanup(empty.Close)
	got := run(t, t.TempDir(), "verify", "--database-url", url, "--node-only", "--against-node", empty.URL, "--sample", "10", "--seed", "7")
	for _, want := range []string{"DIFFERENCE account S", ": the balance is ", " of 10 of ", "(--seed 7)\n"} {
		if got.code != exitDifferences || !strings.Contains(got.stdout, want) {
			t.Errorf("got code %d, %s, want %q", got.code, got.stdout, want)
		}
	}

	requests := make(chan struct{}, 100)
	hanging := httptest.NewServer(silentNode(func(_ http.ResponseWriter, r *http.Request) {
		requests <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	cmd := command(t, t.TempDir(), nil, "verify", "--database-url", url, "--node-only", "--against-node", hanging.URL)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must.Do(t, cmd.Start())
	<-requests
	must.Do(t, cmd.Process.Signal(syscall.SIGINT))
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailure || stderr.String() != "strata: interrupted\n" {
		t.Errorf("interrupted: got %v, %q", err, stderr.String())
	}
}

// Contradictory flags are refused before anything starts.
func TestVerifyUsage(t *testing.T) {
	t.Parallel()
	_, parse := model(t)
	for _, tc := range []struct{ args, want string }{
		{"--node-only", "--against-node"},
		{"--log-only --rows ft", "can't be used together"},
		{"--log-only --node-only", "can't be used together"},
		{"--rows ft --against x", "--against and --key are about the log"},
		{"--node-only --against-node http://127.0.0.1:1 --key k", "--against and --key are about the log"},
		{"--sample 0", "--sample"},
		{"--limit 0", "--limit"},
		{"--parallel -1", "--parallel"},
		{"--seed -1", "--seed"},
		{"--against-node localhost:20443", "--against-node"},
		{"--fork-choice mine", "--fork-choice must be one of"},
	} {
		if err := parse(append([]string{"verify"}, strings.Fields(tc.args)...)...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("verify %s: got %v, want %q", tc.args, err, tc.want)
		}
	}
	run(t, t.TempDir(), "verify", "--against", "none").fails(t, exitFailure, "--against: ", "none: no such file")
}
