package readapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"strata/domain/hash"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

// tenure adds a canonical block that begins a tenure, in which transactions of some bytes took a share of the limit's runtime.
func tenure(s *apitest.Site, h int, percent int64) {
	s.T.Helper()
	tenureBlock(s, h, percent)
	feeTip(s, h)
}

// tenureBlock adds the block alone: nobody looks at it before it is the tip.
func tenureBlock(s *apitest.Site, h int, percent int64) {
	s.T.Helper()
	s.Exec(`
		INSERT INTO chain_v1.block (source_seq, height, size, burn_block_height, burn_block_time,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			tx_count, event_count, parent_microblock_sequence, attached, nakamoto,
			index_block_hash, parent_index_block_hash, block_hash, parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
		VALUES ($1, $2, 1000, $2, 1700000000, 1, 2, $3, 4, 5, 2, 3, 0, true, true, $4, $5, $6, $7, $8, $9, $10)`,
		h+1000, h, percent*50_000_000, apitest.ID(apitest.IndexHash, h), apitest.ID(apitest.IndexHash, h-1), apitest.ID(apitest.BlockHash, h), apitest.ID(apitest.BlockHash, h-1), apitest.ID(apitest.BurnHash, h), apitest.ID(apitest.TxHash, h), hash.Hash32{})
	s.Exec(`
		INSERT INTO chain_v1.transaction (source_seq, tx_index, execution_index, event_count, type_id, fee,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			txid, status, raw_result, raw_tx)
		VALUES ($1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, $2, 'success', '\x03', '\x00')`, h+1000, apitest.ID(apitest.TxHash, h))
	s.Exec(`INSERT INTO chain_v1.canonical VALUES ($1, $2, $2) ON CONFLICT (height) DO UPDATE SET block_seq = excluded.block_seq`, h, h+1000)
}

func feeTip(s *apitest.Site, h int) {
	s.T.Helper()
	s.Exec(`UPDATE strata.projection SET position = position + 1, block_height = $1, burn_block_height = $1, index_block_hash = $2, block_hash = $3 WHERE name = 'chain'`,
		h, apitest.ID(apitest.IndexHash, h), apitest.ID(apitest.BlockHash, h))
}

// Fees follow the blocks that the log sees, in the background.
func TestFeeOverride(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	s.Projection("chain", "log")
	for h := 1; h <= 6; h++ {
		tenure(s, h, 50)
	}
	var asked atomic.Int64
	var limit atomic.Int64
	limit.Store(5_000_000_000)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{BlockLimit: func(context.Context) (readapi.ExecutionCost, error) {
		if asked.Add(1) == 1 {
			return readapi.ExecutionCost{}, errors.New("no node yet")
		}
		return readapi.ExecutionCost{ReadCount: 15_000, ReadLength: 100_000_000, WriteCount: 15_000, WriteLength: 15_000_000, Runtime: limit.Load()}, nil
	}})
	body := []byte(`{"transaction_payload":"` + strings.Repeat("00", 200) + `"}`)
	answer := []byte(`{"estimations":[{"fee_rate":1.5,"fee":100},{"fee_rate":1.5,"fee":300}]}`)
	is := func(low, high int) func() bool {
		want := fmt.Sprintf(`{"estimations":[{"fee_rate":1.5,"fee":%d},{"fee_rate":1.5,"fee":%d}]}`, low, high)
		return func() bool {
			got, ok := k.API.FeeOverride(body, answer)
			return ok && string(got) == want
		}
	}
	eventually.Holds(t, "fees are the least while tenures have room", is(200, 200))
	for h := 7; h <= 12; h++ {
		tenure(s, h, 95)
	}
	eventually.Holds(t, "fees are the node's, and the least at least, when tenures are full", is(200, 300))

	// A reorganisation replaces full blocks with others.
	for h := 8; h <= 12; h++ {
		s.Exec(`UPDATE chain_v1.canonical SET block_seq = $1 WHERE height = $2`, h%6+1000+1, h-100)
		s.Exec(`UPDATE chain_v1.block SET execution_cost_runtime = 0 WHERE height = $1`, h)
		s.Exec(`UPDATE chain_v1.block SET source_seq = source_seq + 5000 WHERE height = $1`, h)
		s.Exec(`UPDATE chain_v1.transaction SET source_seq = source_seq + 5000 WHERE source_seq = $1`, h+1000)
		s.Exec(`UPDATE chain_v1.canonical SET block_seq = block_seq + 5000 WHERE height = $1`, h)
	}
	s.Exec(`UPDATE strata.projection SET position = position + 1, index_block_hash = $1 WHERE name = 'chain'`, apitest.ID(apitest.IndexHash, 999))
	eventually.Holds(t, "blocks that are not canonical any more don't count", is(200, 200))

	eventually.Holds(t, "a node was asked again after it had failed", func() bool { return asked.Load() >= 2 })
	if got, ok := k.API.FeeOverride([]byte("nonsense"), answer); ok {
		t.Errorf("a request that can't be read: got %s", got)
	}
	if string(answer) != `{"estimations":[{"fee_rate":1.5,"fee":100},{"fee_rate":1.5,"fee":300}]}` {
		t.Errorf("the answer was changed: %s", answer)
	}
}

// What a node says of its limit counts.
func TestFeeLimit(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	s.Projection("chain", "log")
	for h := 1; h <= 6; h++ {
		tenure(s, h, 50)
	}
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{BlockLimit: func(context.Context) (readapi.ExecutionCost, error) {
		return readapi.ExecutionCost{ReadCount: 15_000, ReadLength: 100_000_000, WriteCount: 15_000, WriteLength: 15_000_000, Runtime: 2_500_000_000}, nil
	}})
	eventually.Holds(t, "half of the usual is all", func() bool {
		got, ok := k.API.FeeOverride([]byte(`{"transaction_payload":"00"}`), []byte(`{"estimations":[{"fee":100}]}`))
		return ok && string(got) == `{"estimations":[{"fee":100}]}`
	})
}

// Nothing is replaced by who can't know: without BlockLimit, without blocks, without Run.
func TestFeesAsTheyAre(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	limit := func(context.Context) (readapi.ExecutionCost, error) {
		return readapi.ExecutionCost{}, errors.New("no node")
	}
	off, empty := apitest.NewKeeper(t, s.Pool, readapi.Config{}), apitest.NewKeeper(t, s.Pool, readapi.Config{BlockLimit: limit})
	for name, api := range map[string]*readapi.API{"off": off.API, "no blocks": empty.API, "not run": readapi.New(readapi.Config{BlockLimit: limit})} {
		if got, ok := api.FeeOverride([]byte(`{"transaction_payload":"00"}`), []byte(`{"estimations":[{"fee":100}]}`)); ok {
			t.Errorf("%s: got %s", name, got)
		}
	}
	// Nor before the first tenure that is known from its beginning.
	s.Projection("chain", "log")
	tenureBlock(s, 1, 0)
	s.Exec(`UPDATE chain_v1.transaction SET type_id = 0`)
	feeTip(s, 1)
	eventually.Holds(t, "the block was seen", func() bool {
		height, _, ok := empty.API.Tip()
		return ok && height == 1
	})
	for range 20 {
		if got, ok := empty.API.FeeOverride([]byte(`{"transaction_payload":"00"}`), []byte(`{"estimations":[{"fee":100}]}`)); ok {
			t.Fatalf("without a tenure: got %s", got)
		}
		empty.Get("/extended")
	}
}

func TestTip(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{})
	if height, _, ok := k.API.Tip(); ok {
		t.Errorf("without a block: got %d", height)
	}
	s.Projection("chain", "log")
	for h := 5; h <= 6; h++ {
		tenure(s, h, 1)
		eventually.Holds(t, "the tip is seen", func() bool {
			height, id32, ok := k.API.Tip()
			return ok && height == int64(h) && id32 == apitest.ID(apitest.IndexHash, h)
		})
	}
	if height, _, ok := readapi.New(readapi.Config{}).Tip(); ok {
		t.Errorf("an API that does not run: got %d", height)
	}
}

// Requests for nodes, where there are none.
func TestNoNodes(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	for _, path := range []string{"/v2/pox", "/v3/blocks/x", "/proxy/v1/nodes"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := s.Request(method, path)
			if got.Status != http.StatusServiceUnavailable || method == http.MethodGet && !strings.Contains(got.Body, "--nodes") || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s %s: got %d %v %s", method, path, got.Status, got.Header, got.Body)
			}
		}
	}
	for _, path := range []string{"/v2", "/v2/", "/v3", "/v4/pox"} {
		check.Equal(t, fmt.Sprintf("%s, a path of nobody's", path), s.Get(path).Status, http.StatusNotFound)
	}
}

func TestNodeStatus(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{Nodes: func() []readapi.NodeStatus {
		return []readapi.NodeStatus{{Name: "one", URL: "http://inside:20443", State: "down", Height: -1, BurnHeight: -1, Lag: 5, InFlight: 6, Queued: 7, ServerVersion: "8", Error: "no route"}}
	}})
	const known = `"state":"down","since":"0001-01-01T00:00:00Z","stacks_tip_height":-1,"burn_block_height":-1,"lag":5`
	check.Equal(t, "a stranger", s.Get("/proxy/v1/nodes").Body, `{"nodes":[{"name":"1",`+known+`}]}`)
	w := httptest.NewRecorder()
	s.API.ForOperators().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/proxy/v1/nodes", nil))
	check.Equal(t, "an operator", w.Body.String(), `{"nodes":[{"name":"one","url":"http://inside:20443",`+known+`,"in_flight":6,"queued":7,"server_version":"8","error":"no route"}]}`)
	none := apitest.NewSiteOn(t, nil, readapi.Config{Nodes: func() []readapi.NodeStatus { return nil }})
	check.Equal(t, "without nodes", none.Get("/proxy/v1/nodes").Body, `{"nodes":[]}`)
}
