package readapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// What real nodes sent, folded by the projection of the chain, and read back over HTTP.
func TestRecordings(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob(filepath.Join(replay.SharedData(t), "expected", "*.json")))(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := must.Get(os.ReadFile(file))(t)
			var want struct {
				Tip struct {
					Height         int    `json:"height"`
					IndexBlockHash string `json:"index_block_hash"`
					BlockHash      string `json:"block_hash"`
				} `json:"tip"`
				ChainBlocks int               `json:"chain_blocks"`
				FirstHeight int               `json:"first_height"`
				STX         map[string]string `json:"stx"`
			}
			must.Do(t, json.Unmarshal(text, &want))
			log := replay.NewLog(t)
			replay.Append(t, log, replay.Recording(t, name+".tsv.gz")...)
			c := must.Get(chain.New(chain.Recommended, nil))(t)
			replay.Run(t, log, c, balances.New(nil))
			s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})

			status := s.Object("/extended")
			tip, _ := status["chain_tip"].(map[string]any)
			if tip["block_height"] != float64(want.Tip.Height) || tip["index_block_hash"] != want.Tip.IndexBlockHash || tip["block_hash"] != want.Tip.BlockHash {
				t.Errorf("tip: got %v, want %+v", tip, want.Tip)
			}
			archive, _ := status["strata"].(map[string]any)
			root, _ := archive["root"].(map[string]any)
			if root["height"] != float64(want.FirstHeight) {
				t.Errorf("root: got %v, want height %d", root, want.FirstHeight)
			}
			s.ExpectTexts("/readyz", http.StatusOK)

			// Walk the whole list: every height once, each block the parent of the one before.
			next, parent, seen := want.Tip.Height, want.Tip.IndexBlockHash, 0
			for target := "/extended/v2/blocks?limit=30"; ; {
				page := s.Object(target)
				if page["total"] != float64(want.ChainBlocks) {
					t.Fatalf("total: got %v, want %d", page["total"], want.ChainBlocks)
				}
				results, _ := page["results"].([]any)
				for _, item := range results {
					b, _ := item.(map[string]any)
					if b["height"] != float64(next) || b["index_block_hash"] != parent {
						t.Fatalf("got block %v %v, want %d %s", b["height"], b["index_block_hash"], next, parent)
					}
					next, seen = next-1, seen+1
					parent, _ = b["parent_index_block_hash"].(string)
				}
				previous, ok := page["prev_cursor"].(string)
				if !ok {
					break
				}
				target = "/extended/v2/blocks?limit=30&cursor=" + previous
			}
			check.Equal(t, "blocks of the walk", seen, want.ChainBlocks)

			for account, balance := range want.STX {
				if got := s.Object("/extended/v1/address/" + account + "/stx")["balance"]; got != balance {
					t.Errorf("%s has %v, want %s", account, got, balance)
				}
			}
		})
	}
}
