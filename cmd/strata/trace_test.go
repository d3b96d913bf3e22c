package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/testkit/must"
	"strata/rig/schemas"
)

// The printed trace of a balance leads to bodies that have the printed digests.
func TestTrace(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "60", "--seed", "3", "--calm")
	s.caughtUp(60)
	_, accounts := expected(simulate.Command{Seed: 3, Calm: true}, 60)
	path := "/extended/v1/address/" + accounts[0] + "/stx"
	dir := t.TempDir()

	tree := mustRun(t, dir, "trace", "--api", s.api, path, "--limit", "200")
	if !strings.HasPrefix(tree, path+"\nget-stx-balance-v1, status 200, read at position 60 of the log, block ") {
		t.Fatalf("got %s", tree)
	}
	if same := mustRun(t, dir, "trace", "--api", s.api+"/", s.api+path, "--limit", "200"); same != tree {
		t.Errorf("by its address: got\n%s, want\n%s", same, tree)
	}
	found := regexp.MustCompile(`/new_block, received \S+, (\d+) bytes, sha256 0x([0-9a-f]{64})\n.*body (http://\S+/body)\n.*proof http://\S+/audit/v1/log/proofs/inclusion\?seq=\d+\n`).FindAllStringSubmatch(tree, -1)
	if len(found) < 2 {
		t.Fatalf("got %d events in\n%s", len(found), tree)
	}
	for _, match := range found {
		got := do(t, http.MethodGet, match[3], nil, nil)
		digest := sha256.Sum256(got.Body)
		if strconv.Itoa(len(got.Body)) != match[1] || hex.EncodeToString(digest[:]) != match[2] {
			t.Errorf("%s: got %d bytes with digest %x, want %s and %s", match[3], len(got.Body), digest, match[1], match[2])
		}
	}
	if !regexp.MustCompile(schemas.In(`{balances}\.ledger  account=`)+accounts[0]+` asset=stx height=\d+ n=\d+\n.*cause=\w+ delta=-?\d+ balance=`).MatchString(tree) ||
		!regexp.MustCompile(`source_seq: event \d+ at /(transactions|events|matured_miner_rewards)/\d+\n`).MatchString(tree) {
		t.Errorf("got no entry of the ledger with where it comes from:\n%s", tree)
	}

	first := mustRun(t, dir, "trace", "--api", s.api, path, "--limit", "2")
	more := regexp.MustCompile(`(?m)^more: --cursor '(.*)'$`).FindStringSubmatch(first)
	if more == nil {
		t.Fatalf("got no cursor in\n%s", first)
	}
	var page struct {
		Rows   []json.RawMessage
		Cursor struct{ Current string }
	}
	text := mustRun(t, dir, "trace", "--api", s.api, path, "--limit", "2", "--cursor", more[1], "--json")
	if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Rows) != 2 || page.Cursor.Current != more[1] {
		t.Errorf("got %s (%v)", text, err)
	}
	var compact bytes.Buffer
	must.Do(t, json.Compact(&compact, []byte(text)))
	asked := s.get("/audit/v1/trace?limit=2&path=" + url.QueryEscape(path) + "&cursor=" + url.QueryEscape(more[1]))
	if !bytes.Equal(compact.Bytes(), asked.Body) {
		t.Errorf("got %s, want %s", compact.Bytes(), asked.Body)
	}
	if none := mustRun(t, dir, "trace", "--api", s.api, "/extended/v2/blocks/99999"); !strings.HasSuffix(none, "\nno rows\n") || !strings.Contains(none, ", status 404, ") {
		t.Errorf("got %s", none)
	}

	for _, tc := range []struct{ api, target, want string }{
		{s.api, "http://127.0.0.2:1" + path, "name its server with --api"},
		{s.api, strings.Replace(s.api, "http:", "https:", 1) + path, "name its server with --api"},
		{s.api + "/under", s.api + path, "name its server with --api"},
		{s.api, "//127.0.0.2" + path, "neither a path"},
		{s.api, "extended", "neither a path"},
		{"localhost", path, "--api"},
		{"http://127.0.0.1:1", path, "is the server running?"},
		{s.api, "/nothing", "answers 404 Not Found: this API has no /nothing"},
		{s.api, "/healthz", "answers 400 Bad Request: /healthz has no rows to trace: "},
	} {
		got := run(t, dir, "trace", "--api", tc.api, tc.target)
		if got.code != exitFailure || got.stdout != "" || !strings.Contains(got.stderr, tc.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s of %s: got code %d, %q, %q; want %q", tc.target, tc.api, got.code, got.stdout, got.stderr, tc.want)
		}
	}
}
