package readapi_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, path := range []string{"/extended", "/extended/v1/status", "/extended/", "/extended/v1/status/"} {
		got := s.get(path)
		if got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s, want 200", path, got.status, got.body)
		}
		s.golden("status", got.body)
	}
	got := s.get("/")
	if got.status != http.StatusMovedPermanently || got.header.Get("Location") != "/extended" {
		t.Errorf("/: got %d to %q, want 301 to /extended", got.status, got.header.Get("Location"))
	}
}

func TestStatusBeforeTheFirstBlock(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	got := s.get("/extended")
	const bare = `{"server_version":"strata v1.0.0 (main:abc1234)","status":"ready","strata":{"network":"mainnet","log_size":0,"projections":[]}}`
	if got.status != http.StatusOK || got.body != bare {
		t.Errorf("without projections: got %d %s, want %s", got.status, got.body, bare)
	}
	s.projection("chain", "log")
	got = s.get("/extended")
	if got.status != http.StatusOK || strings.Contains(got.body, "chain_tip") || strings.Contains(got.body, "root") {
		t.Errorf("without blocks: got %d %s, want 200 without chain_tip and root", got.status, got.body)
	}
}

func TestStatusOfGenesis(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		height int
		first  string // sender of the block's first transaction
		second string
		want   string
	}{
		{"block 0", 0, alice, bob, `"is_genesis":true`},
		{"block 1 with genesis in it", 1, alice, "SP000000000000000000002Q6VF78", `"is_genesis":true`},
		{"block 1 with boot contracts of an epoch", 1, "SP000000000000000000002Q6VF78", alice, `"is_genesis":false`},
		{"block 1", 1, alice, bob, `"is_genesis":false`},
		{"block 9", 9, alice, "SP000000000000000000002Q6VF78", `"is_genesis":false`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.projection("chain", "log")
			s.projection("balances", "chain_v1")
			s.block(tc.height)
			s.tip(tc.height)
			for i, sender := range []string{tc.first, tc.second} {
				s.exec(`INSERT INTO chain_v1.transaction (source_seq, tx_index, execution_index, event_count, fee,
						execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
						txid, status, sender, raw_result, raw_tx)
					VALUES ($1, $2, 0, 0, 0, 0, 0, 0, 0, 0, '', 'success', $3, '', '')`, tc.height+100, i, sender)
			}
			if got := s.get("/extended"); !strings.Contains(got.body, tc.want) {
				t.Errorf("got %s, want %s in it", got.body, tc.want)
			}
		})
	}
}

func TestStatusNamesStreamedMicroblock(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.projection("chain", "log")
	s.projection("balances", "chain_v1")
	s.block(20)
	s.tip(20)
	for sequence := range 3 {
		s.exec(`INSERT INTO chain_v1.microblock VALUES ($1, $2, 1, $3, $4, $5)`, 121+sequence, sequence, id(0x3b, sequence), id(0x3b, sequence-1), id(indexHash, 20))
	}
	want := `"microblock_hash":"` + id(0x3b, 2).String() + `","microblock_sequence":2`
	if got := s.get("/extended"); !strings.Contains(got.body, want) {
		t.Errorf("got %s, want %s in it", got.body, want)
	}
}
