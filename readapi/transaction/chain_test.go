package transaction_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// saidBlock is a block in the words of a node.
type saidBlock struct {
	Height       int64  `json:"block_height"`
	IndexHash    string `json:"index_block_hash"`
	Hash         string `json:"block_hash"`
	Transactions []saidTransaction
	Events       []saidEvent
}

type saidTransaction struct {
	ID       string           `json:"txid"`
	Raw      string           `json:"raw_tx"`
	Result   string           `json:"raw_result"`
	Status   string           `json:"status"`
	Index    int              `json:"tx_index"`
	Sequence *int             `json:"microblock_sequence"`
	Cost     map[string]int64 `json:"execution_cost"`
}

type saidEvent struct {
	Index     int    `json:"event_index"`
	ID        string `json:"txid"`
	Committed bool
	Type      string
	Data      map[string]any `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler: what an event says is in a member with the name of its type.
func (e *saidEvent) UnmarshalJSON(b []byte) error {
	type plain saidEvent
	if err := json.Unmarshal(b, (*plain)(e)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	return json.Unmarshal(all[e.Type], &e.Data)
}

// saidBlocks are the blocks of posts by their index block hash.
func saidBlocks(t *testing.T, posts []replay.Post) map[string]*saidBlock {
	t.Helper()
	said := map[string]*saidBlock{}
	for _, p := range posts {
		if p.Path != "/new_block" {
			continue
		}
		b := &saidBlock{}
		must.Do(t, json.Unmarshal(p.Body, b))
		if said[b.IndexHash] == nil || len(b.Transactions) > 0 {
			said[b.IndexHash] = b
		}
		slices.SortFunc(b.Events, func(a, c saidEvent) int { return cmp.Compare(a.Index, c.Index) })
		// What was in microblocks was executed before the rest, and is listed after it.
		slices.SortStableFunc(b.Transactions, func(a, c saidTransaction) int {
			return cmp.Or(cmp.Compare(a.sequence(), c.sequence()), cmp.Compare(a.Index, c.Index))
		})
	}
	return said
}

func (s saidTransaction) sequence() int {
	if s.Sequence == nil {
		return 1<<31 - 1
	}
	return *s.Sequence
}

// events are those of a transaction that count.
func (b *saidBlock) events(tx saidTransaction) (events []saidEvent) {
	for _, e := range b.Events {
		if e.ID == tx.ID && e.Committed && tx.Status == "success" {
			events = append(events, e)
		}
	}
	return events
}

// Transactions of a chain with forks are what the node said of them, in all lists and alone.
func TestTransactionsOfAChain(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V40} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			config := synthchain.Everything(11, generation)
			config.SigningSample, config.Accounts, config.BitcoinOpShare = 1000, 12, 0.4
			made := synthchain.New(config)
			posts := replay.Take(170, made.Next)
			kinds := sameAsSaid(t, posts)
			for _, kind := range []string{"token_transfer", "smart_contract", "contract_call", "coinbase"} {
				if kinds[kind] == 0 {
					t.Errorf("no %s in %v", kind, kinds)
				}
			}
			if kinds["bitcoin"] == 0 || kinds["event"] < 30 {
				t.Errorf("got %v: too little to compare", kinds)
			}
		})
	}
}

func TestTransactionsOfRecordings(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob(filepath.Join(replay.SharedData(t), "expected", "*.json")))(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameAsSaid(t, replay.Recording(t, name+".tsv.gz"))
		})
	}
}

// sameAsSaid folds posts and compares all canonical transactions with what the posts say. It counts what it has seen.
func sameAsSaid(t *testing.T, posts []replay.Post) map[string]int {
	t.Helper()
	log := replay.NewLog(t)
	replay.Append(t, log, posts...)
	replay.Run(t, log, apitest.NewChain(t))
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: apitest.NetworkOf(posts)})
	said, seen := saidBlocks(t, posts), map[string]int{}
	rows := must.Get(log.Pool().Query(t.Context(), schemas.In(`SELECT '0x' || encode(b.index_block_hash, 'hex') FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq ORDER BY c.height`)))(t)
	for _, id := range must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t) {
		sameBlock(s, said[id], seen)
	}
	return seen
}

// sameBlock compares the transactions of a block.
func sameBlock(s *apitest.Site, said *saidBlock, seen map[string]int) {
	s.T.Helper()
	forward := []any{}
	for offset := 0; ; offset += 50 {
		page := s.Object(fmt.Sprintf("/extended/v2/blocks/%s/transactions?limit=50&offset=%d", said.IndexHash, offset))
		if page["total"] != float64(len(said.Transactions)) {
			s.T.Fatalf("block %d: got total %v, want %d", said.Height, page["total"], len(said.Transactions))
		}
		results, _ := page["results"].([]any)
		if forward = append(forward, results...); len(results) < 50 {
			break
		}
	}
	if len(forward) != len(said.Transactions) {
		s.T.Fatalf("block %d: got %d transactions, want %d", said.Height, len(forward), len(said.Transactions))
	}
	for i, want := range said.Transactions {
		sameTransaction(s, forward[i].(map[string]any), want, said, seen)
	}

	// The other lists have the same, the last first.
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	for _, path := range []string{fmt.Sprintf("/extended/v1/tx/block_height/%d?limit=50", said.Height), "/extended/v1/tx/block/" + said.Hash + "?limit=50"} {
		results, _ := s.Object(path)["results"].([]any)
		check.Equal(s.T, path, apitest.AsJSON(s.T, results), apitest.AsJSON(s.T, backward[:min(len(backward), 50)]))
	}
	var want []string
	for _, one := range backward {
		want = append(want, fmt.Sprint(one.(map[string]any)["tx_id"], " ", said.Height, " ", said.IndexHash))
	}
	base := fmt.Sprintf("/extended/v3/blocks/%d/transactions?limit=3", said.Height)
	check.EqualSlices(s.T, base, s.Walk(base, len(want), apitest.Members("tx_id", "block.height", "block.index_hash")), want)
}

// sameTransaction compares a transaction of a list, and itself, with what was said of it.
func sameTransaction(s *apitest.Site, listed map[string]any, want saidTransaction, block *saidBlock, seen map[string]int) {
	s.T.Helper()
	kind, _ := listed["tx_type"].(string)
	seen[kind]++
	if want.Raw == "0x00" {
		seen["bitcoin"]++
	}
	result, _ := listed["tx_result"].(map[string]any)
	events := block.events(want)
	for name, pair := range map[string][2]any{
		"tx_id":                     {listed["tx_id"], want.ID},
		"tx_status":                 {listed["tx_status"], want.Status},
		"tx_index":                  {listed["tx_index"], float64(want.Index)},
		"tx_result":                 {result["hex"], want.Result},
		"block_height":              {listed["block_height"], float64(block.Height)},
		"block_hash":                {listed["block_hash"], block.Hash},
		"canonical":                 {listed["canonical"], true},
		"microblock_sequence":       {listed["microblock_sequence"], float64(want.sequence())},
		"event_count":               {listed["event_count"], float64(len(events))},
		"execution_cost_runtime":    {listed["execution_cost_runtime"], float64(want.Cost["runtime"])},
		"execution_cost_read_count": {listed["execution_cost_read_count"], float64(want.Cost["read_count"])},
	} {
		check.Equal(s.T, fmt.Sprintf("%s: %s", want.ID, name), pair[0], pair[1])
	}
	if known := listed[map[string]string{"coinbase": "coinbase_payload", "tenure_change": "tenure_change_payload"}[kind]]; known == nil && listed[kind] == nil && kind != "undecoded" {
		s.T.Errorf("%s: has no member for %s", want.ID, kind)
	}
	if kind == "undecoded" && (want.Raw != "0x00" || want.Status == "success") {
		s.T.Errorf("%s: %s could not be shown", want.ID, want.Raw)
	}
	check.Equal[any](s.T, want.ID+": raw", s.Object("/extended/v1/tx/" + want.ID + "/raw")["raw_tx"], want.Raw)

	alone := s.Object("/extended/v1/tx/" + want.ID + "?event_limit=100")
	if shown, _ := alone["events"].([]any); len(shown) != min(len(events), 100) {
		s.T.Errorf("%s: got %d events, want %d", want.ID, len(shown), len(events))
	}
	alone["events"] = []any{}
	check.Equal(s.T, "alone", apitest.AsJSON(s.T, alone), apitest.AsJSON(s.T, listed))
	s.ExpectTexts("/extended/v3/transactions/"+want.ID+"?include=function_args,source_code,post_conditions,result", http.StatusOK)
	sameEvents(s, want.ID, events, seen)
}

// sameEvents compares the events of a transaction, walked in short pages, with what was said of them.
func sameEvents(s *apitest.Site, id string, want []saidEvent, seen map[string]int) {
	s.T.Helper()
	if len(want) == 0 {
		return
	}
	n := 0
	s.Walk("/extended/v3/transactions/"+id+"/events?limit=7", len(want), func(row any) string {
		sameEvent(s, id, n, row.(map[string]any), want[n])
		n++
		seen["event"]++
		return ""
	})
	check.Equal(s.T, id+": events", n, len(want))
}

func sameEvent(s *apitest.Site, id string, n int, got map[string]any, want saidEvent) {
	s.T.Helper()
	shown, _ := got[got["type"].(string)].(map[string]any)
	if got["event_index"] != float64(n) || shown == nil {
		s.T.Errorf("%s: event %d: got %v", id, n, got)
		return
	}
	names := map[string]string{
		"contract_identifier": "contract_id", "topic": "topic", "raw_value": "value", "amount": "amount", "sender": "sender", "recipient": "recipient",
		"asset_identifier": "asset_identifier", "locked_amount": "amount", "locked_address": "address",
	}
	compared := 0
	for name, value := range want.Data {
		as, ok := names[name]
		if !ok || name == "contract_identifier" && want.Type == "stx_lock_event" {
			continue
		}
		was := shown[as]
		if name == "raw_value" {
			was = was.(map[string]any)["hex"]
		}
		check.Equal(s.T, fmt.Sprintf("%s: event %d: %s", id, n, as), was, value)
		compared++
	}
	if compared < 2 {
		s.T.Errorf("%s: event %d: compared %d members of %v", id, n, compared, want.Data)
	}
}
