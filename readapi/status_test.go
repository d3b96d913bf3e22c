package readapi_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/chain"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, path := range []string{"/extended", "/extended/v1/status", "/extended/", "/extended/v1/status/"} {
		got := s.Get(path)
		if got.Status != http.StatusOK {
			t.Fatalf("%s: got %d %s, want 200", path, got.Status, got.Body)
		}
		s.Golden("status", got.Body)
	}
	got := s.Get("/")
	if got.Status != http.StatusMovedPermanently || got.Header.Get("Location") != "/extended" {
		t.Errorf("/: got %d to %q, want 301 to /extended", got.Status, got.Header.Get("Location"))
	}
}

// The newest Bitcoin block of the followed fork counts, also without a Stacks block.
func TestStatusNamesNewestBitcoinBlock(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for height, canonical := range map[int]bool{apitest.LastHeight + 90: true, apitest.LastHeight + 170: true, apitest.LastHeight + 180: false} {
		s.Exec(`INSERT INTO chain_v1.burn_block (height, source_seq, changed_seq, size, burn_amount, canonical, burn_block_hash, consensus_hash) VALUES ($1, 150, 150, 9, 0, $2, $3, '')`,
			height, canonical, apitest.ID(apitest.BurnHash, height))
	}
	if got := s.Get("/extended"); !strings.Contains(got.Body, `"burn_block_height":230}`) {
		t.Errorf("got %s, want Bitcoin block 230", got.Body)
	}
}

func TestStatusBeforeTheFirstBlock(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	got := s.Get("/extended")
	const bare = `{"server_version":"strata v1.0.0 (main:abc1234)","status":"not ready","strata":{"network":"mainnet","log_size":0,"projections":[],"problems":[` +
		`{"about":"events","message":"No block has arrived yet.","mend":"Let a node post its events to the observer's address, or import an archive with strata import FILE; see docs/history.md."}]}}`
	if got.Status != http.StatusOK || got.Body != bare {
		t.Errorf("without projections: got %d %s, want %s", got.Status, got.Body, bare)
	}
	s.Projection("chain", "log")
	got = s.Get("/extended")
	if got.Status != http.StatusOK || strings.Contains(got.Body, "chain_tip") || strings.Contains(got.Body, "root") {
		t.Errorf("without blocks: got %d %s, want 200 without chain_tip and root", got.Status, got.Body)
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
		{"block 0", 0, apitest.Alice, apitest.Bob, `"is_genesis":true`},
		{"block 1 with genesis in it", 1, apitest.Alice, "SP000000000000000000002Q6VF78", `"is_genesis":true`},
		{"block 1 with boot contracts of an epoch", 1, "SP000000000000000000002Q6VF78", apitest.Alice, `"is_genesis":false`},
		{"block 1", 1, apitest.Alice, apitest.Bob, `"is_genesis":false`},
		{"block 9", 9, apitest.Alice, "SP000000000000000000002Q6VF78", `"is_genesis":false`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewSite(t)
			s.Projection("chain", "log")
			s.Projection("balances", "chain_v1")
			s.Block(tc.height)
			s.Tip(tc.height)
			for i, sender := range []string{tc.first, tc.second} {
				s.Exec(`INSERT INTO chain_v1.transaction (source_seq, tx_index, execution_index, event_count, fee,
						execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
						txid, status, sender, raw_result, raw_tx)
					VALUES ($1, $2, 0, 0, 0, 0, 0, 0, 0, 0, '', 'success', $3, '', '')`, tc.height+100, i, sender)
			}
			if got := s.Get("/extended"); !strings.Contains(got.Body, tc.want) {
				t.Errorf("got %s, want %s in it", got.Body, tc.want)
			}
		})
	}
}

// What nodes before release 2.1, and mocknet, sent: block 1 holds the allocation of genesis, and there is no block 0.
func TestStatusOfMergedGenesis(t *testing.T) {
	t.Parallel()
	made := func(merged bool) func(t *testing.T) []replay.Post {
		return func(*testing.T) (posts []replay.Post) {
			chain := synthchain.New(synthchain.Config{Seed: 5, Generation: synthchain.V205, MergedGenesis: merged})
			posts = append(posts, replay.Take(30, chain.Next)...)
			return posts
		}
	}
	for _, tc := range []struct {
		name  string
		posts func(t *testing.T) []replay.Post
		want  string
	}{
		{"made up, block 0", made(false), `"root":{"height":0,`},
		{"made up, merged", made(true), `"root":{"height":1,`},
		{"recorded by mocknet", func(t *testing.T) []replay.Post { return replay.Recording(t, "mocknet.tsv.gz") }, `"root":{"height":1,`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			posts := tc.posts(t)
			log := replay.NewLog(t)
			replay.Append(t, log, posts...)
			rules := must.Get(chain.New(chain.Recommended, nil))(t)
			replay.Run(t, log, rules)
			got := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{}).Get("/extended/v1/status")
			if !strings.Contains(got.Body, tc.want) || !strings.Contains(got.Body, `"is_genesis":true`) {
				t.Errorf("got %s, want %s and that it is genesis", got.Body, tc.want)
			}
		})
	}
}

func TestStatusNamesStreamedMicroblock(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	s.Projection("chain", "log")
	s.Projection("balances", "chain_v1")
	s.Block(20)
	s.Tip(20)
	for sequence := range 3 {
		s.Exec(`INSERT INTO chain_v1.microblock VALUES ($1, $2, 1, $3, $4, $5)`, 121+sequence, sequence, apitest.ID(0x3b, sequence), apitest.ID(0x3b, sequence-1), apitest.ID(apitest.IndexHash, 20))
	}
	want := `"microblock_hash":"` + apitest.ID(0x3b, 2).String() + `","microblock_sequence":2`
	if got := s.Get("/extended"); !strings.Contains(got.Body, want) {
		t.Errorf("got %s, want %s in it", got.Body, want)
	}
}
