package stream_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// socketState is what a client makes of what it is told over a WebSocket.
type socketState struct {
	t          testing.TB
	client     *socketClient
	principals []string

	mu       sync.Mutex
	chain    []string                     // block hashes
	updates  map[string]map[string]string // params of address_tx_update, by block, and principal and transaction
	tokens   map[string]map[string]bool   // events of tokens, by block
	balances map[string]string
	pending  map[string]bool // that were ever told
	reverts  int
	calls    int // of the pending transactions with the signature of the called function
}

// followSocket subscribes to everything, and to what is about some principals.
func followSocket(k *apitest.Keeper, server string, principals []string) *socketState {
	t := k.T
	t.Helper()
	c := dial(t, server)
	s := &socketState{
		t: t, client: c, principals: principals, updates: map[string]map[string]string{}, tokens: map[string]map[string]bool{}, balances: map[string]string{}, pending: map[string]bool{},
	}
	for _, event := range []string{"block", "nft_event", "mempool", "microblock"} {
		c.subscribe(`{"event":"` + event + `"}`)
	}
	for _, p := range principals {
		s.balances[p] = k.BalanceOf(p) // of which only changes are told
		c.subscribe(`{"event":"address_tx_update","address":"` + p + `"}`)
		c.subscribe(`{"event":"address_balance_update","address":"` + p + `"}`)
	}
	go func() {
		for {
			n, err := c.next()
			if err != nil {
				return
			}
			s.take(n)
		}
	}()
	return s
}

func (s *socketState) take(n notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body struct {
		Hash            string
		ParentBlockHash string `json:"parent_block_hash"`
		Address         string
		TxID            string `json:"tx_id"`
		TxStatus        string `json:"tx_status"`
		EventIndex      int    `json:"event_index"`
		Tx              struct {
			BlockHash string `json:"block_hash"`
		}
		Call struct {
			Signature string `json:"function_signature"`
		} `json:"contract_call"`
	}
	if err := json.Unmarshal(n.Params, &body); err != nil {
		s.t.Errorf("%v in %s", err, n.Params)
	}
	switch n.Method {
	case "block":
		if last := len(s.chain) - 1; last >= 0 && s.chain[last] != body.ParentBlockHash {
			s.t.Errorf("%s is on %s, and not on %s", body.Hash, body.ParentBlockHash, s.chain[last])
		}
		s.chain = append(s.chain, body.Hash)
		s.updates[body.Hash], s.tokens[body.Hash] = map[string]string{}, map[string]bool{}
	case "revert":
		s.reverts++
		if last := len(s.chain) - 1; last >= 0 { // else it is one from before
			check.Equal(s.t, "the block that is taken back", s.chain[last], body.Hash)
			s.chain = s.chain[:last]
		}
	case "address_tx_update":
		if of := s.updates[body.Tx.BlockHash]; of != nil {
			of[body.Address+" "+body.TxID] = string(n.Params)
		} else {
			s.t.Errorf("an update of the block %s, which was not told", body.Tx.BlockHash)
		}
	case "nft_event":
		s.tokens[s.chain[len(s.chain)-1]][fmt.Sprint(body.TxID, " ", body.EventIndex)] = true
	case "address_balance_update":
		s.balances[body.Address] = string(n.Params)
	case "mempool":
		if body.TxStatus != "pending" {
			s.t.Errorf("told of %s, which is %s", body.TxID, body.TxStatus)
		}
		s.pending[body.TxID] = true
		if body.Call.Signature != "" {
			s.calls++
		}
	default:
		s.t.Errorf("got %s %s", n.Method, n.Params)
	}
}

// check compares with what is read, and leaves.
func (s *socketState) check(k *apitest.Keeper, pool *pgxpool.Pool) {
	s.t.Helper()
	defer func() { _ = s.client.conn.CloseNow() }()
	var chain []string
	k.Column(&chain, `SELECT '0x' || encode(b.block_hash, 'hex') FROM {chain}.canonical JOIN {chain}.block b ON b.source_seq = block_seq ORDER BY b.height`)
	eventually.Holds(s.t, "the WebSocket tells of the tip", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.chain) > 0 && s.chain[len(s.chain)-1] == chain[len(chain)-1]
	})
	for _, p := range s.principals {
		want := k.BalanceOf(p)
		eventually.Holds(s.t, "the WebSocket tells what "+p+" has", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.balances[p] == want
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == 0 {
		s.t.Error("no pending call came with the interface of its contract")
	}
	told := s.chain
	if len(told) < 8 || s.reverts < 3 || !slices.Equal(told, chain[len(chain)-len(told):]) {
		s.t.Errorf("got %v after %d reverts\nwant the end of %v", told, s.reverts, chain)
	}
	updates, tokens := map[string]string{}, map[string]bool{}
	for _, block := range told {
		for key, params := range s.updates[block] {
			updates[key] = params
		}
		for key := range s.tokens[block] {
			tokens[key] = true
		}
	}
	var want []string
	must.Do(s.t, pool.QueryRow(s.t.Context(), apitest.InSchemas(`
		SELECT coalesce(array_agg(a.account || ' 0x' || encode(t.txid, 'hex')), '{}')
		FROM {accounts}.account_transaction x JOIN {accounts}.account a ON a.id = x.account
		JOIN {accounts}.transaction n ON n.n = x.tx JOIN {chain}.transaction t ON t.source_seq = n.source_seq AND t.tx_index = n.tx_index
		JOIN {chain}.block b ON b.source_seq = t.source_seq
		WHERE a.account = ANY ($1) AND '0x' || encode(b.block_hash, 'hex') = ANY ($2)`), s.principals, told).Scan(&want))
	if len(updates) != len(want) || len(want) < 10 {
		s.t.Errorf("got %d updates of principals, want %d", len(updates), len(want))
	}
	for _, key := range want {
		principal, tx, _ := strings.Cut(key, " ")
		beside := k.Get("/extended/v1/address/" + principal + "/" + tx + "/with_transfers").Body
		var got, shown map[string]any
		apitest.DecodeJSON(s.t, updates[key], &got)
		apitest.DecodeJSON(s.t, beside, &shown)
		for _, name := range []string{"tx", "stx_sent", "stx_received", "stx_transfers"} {
			check.Equal(s.t, key+", "+name, fmt.Sprint(got[name]), fmt.Sprint(shown[name]))
		}
	}
	must.Do(s.t, pool.QueryRow(s.t.Context(), apitest.InSchemas(`
		SELECT coalesce(array_agg('0x' || encode(t.txid, 'hex') || ' ' || e.event_index), '{}')
		FROM {chain}.event e JOIN {chain}.transaction t ON t.source_seq = e.source_seq AND t.tx_index = e.tx_index
		JOIN {chain}.block b ON b.source_seq = t.source_seq
		WHERE e.type LIKE 'nft%' AND '0x' || encode(b.block_hash, 'hex') = ANY ($1)`), told).Scan(&want))
	if len(tokens) != len(want) || len(want) == 0 {
		s.t.Errorf("got %d events of tokens, want %d", len(tokens), len(want))
	}
	for _, key := range want {
		if !tokens[key] {
			s.t.Errorf("was not told of %s", key)
		}
	}
	if len(s.pending) == 0 {
		s.t.Error("was told of nothing that waits")
	}
}
