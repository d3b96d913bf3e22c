package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
)

// firstBlock returns a block above genesis as a node posts it.
func firstBlock(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	chain := synthchain.New((&simulate.Command{Seed: 21, Calm: true}).Config())
	for {
		post := chain.Next()
		var block map[string]json.RawMessage
		if post.Path != "/new_block" || json.Unmarshal(post.Body, &block) != nil || string(block["block_height"]) != "2" {
			continue
		}
		return block
	}
}

// with returns a block with one field changed.
func with(t testing.TB, block map[string]json.RawMessage, field, value string) []byte {
	t.Helper()
	changed := map[string]json.RawMessage{}
	for name, raw := range block {
		changed[name] = raw
	}
	changed[field] = json.RawMessage(value)
	return must.Get(json.Marshal(changed))(t)
}

// Any body is stored byte for byte. One that can't be decoded is shown in quarantine, and does not stop the projections.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	block := firstBlock(t)
	// The events of a block, 20 MB long, of which the last is wrong.
	large := bytes.NewBufferString(`[`)
	for i := 0; large.Len() < 20<<20; i++ {
		fmt.Fprintf(large, `{"txid":"0x%064x","type":"contract_event","committed":true,"event_index":%d,"contract_event":{"contract_identifier":"SP000000000000000000002Q6VF78.pox","topic":"print","value":"%s","raw_value":"0x03"}},`,
			i, i, strings.Repeat("y", 900))
	}
	large.WriteString(`{"type":7}]`)

	const anywhere, nowhere = "?", "-"
	cases := []struct {
		name, path string
		body       []byte
		pointer    string // in quarantine; nowhere: not there
	}{
		{"not JSON", "/new_block", []byte("<html>503</html>"), ""},
		{"nothing", "/new_block", nil, ""},
		{"half", "/new_block", []byte(`{"block_height":1,`), ""},
		{"a list", "/new_block", []byte(`[]`), ""},
		{"an empty object", "/new_block", []byte(`{}`), anywhere},
		{"a height of text", "/new_block", with(t, block, "block_height", `"seven"`), "/block_height"},
		{"a height below zero", "/new_block", with(t, block, "block_height", `-1`), "/block_height"},
		{"a height beyond everything", "/new_block", with(t, block, "block_height", `1e400`), "/block_height"},
		{"NUL in a hash", "/new_block", with(t, block, "block_hash", `"0x\u0000"`), "/block_hash"},
		{"NUL in an unknown field", "/new_block", with(t, block, "new\x00", `"\u0000"`), nowhere},
		{"bare NUL", "/new_block", []byte("{\"block_hash\":\"\x00\"}"), "/block_hash"},
		{"not UTF-8", "/new_block", []byte("{\"block_hash\":\"\xff\xfe\"}"), anywhere},
		{"a transaction that is none", "/new_block", with(t, block, "transactions", `[{"raw_tx":"0xzz","txid":"0x00","tx_index":0,"status":"success","raw_result":"0x03"}]`), anywhere},
		{"deep", "/new_block", bytes.Repeat([]byte("["), 200_000), anywhere},
		{"20 MB", "/new_block", with(t, block, "events", large.String()), anywhere},
		{"a burn block that is none", "/new_burn_block", []byte(`{"burn_block_hash":true}`), "/burn_block_hash"},
		{"an unknown path", "/such/a/path/%2e%2e", []byte("\x00\x01"), nowhere},
	}
	for _, tc := range cases {
		s.mustPost(tc.path, tc.body)
	}
	s.caughtUp(int64(len(cases)))

	var quarantine struct {
		Results []struct {
			Seq                               int
			Projection, Pointer, Reason, Path string
			Event                             string
		}
	}
	s.read("/audit/v1/quarantine?limit=200", &quarantine)
	for i, tc := range cases {
		seq := i + 1
		if got := s.get(fmt.Sprintf("/audit/v1/events/%d/body", seq)).Body; !bytes.Equal(got, tc.body) {
			t.Errorf("%s: got %d bytes back, want these %d", tc.name, len(got), len(tc.body))
		}
		found := false
		for _, q := range quarantine.Results {
			if q.Seq != seq {
				continue
			}
			found = true
			if tc.pointer != anywhere && q.Pointer != tc.pointer {
				t.Errorf("%s: got the pointer %q (%s), want %q", tc.name, q.Pointer, q.Reason, tc.pointer)
			}
			if q.Projection != "chain" || q.Reason == "" || len(q.Pointer)+len(q.Reason) > 8<<10 || q.Path != tc.path || q.Event != fmt.Sprintf("/audit/v1/events/%d", seq) {
				t.Errorf("%s: got %+v", tc.name, q)
			}
		}
		if want := tc.pointer != nowhere; found != want {
			t.Errorf("%s: in quarantine: %t, want %t", tc.name, found, want)
		}
	}
	if got, want := strings.Count(s.log.String(), "goes into quarantine"), len(quarantine.Results); got != want {
		t.Errorf("got %d warnings, want one for each of the %d events in quarantine", got, want)
	}

	// The hostile events do not affect the chain that follows. (One of its blocks was among them, before its parent.)
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "120", "--seed", "21", "--calm")
	s.caughtUp(int64(len(cases)) + 120)
	s.checkState(expected(simulate.Command{Seed: 21, Calm: true}, 120))
}
