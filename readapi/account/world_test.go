package account_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	signed "strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// in is the site in a test of its own.
func withT(s *apitest.Site, t testing.TB) *apitest.Site {
	inner := *s
	inner.T = t
	return &inner
}

// plainTx is a canonical transaction as the tables of chain have it, for lists that are made of it in the plainest way.
type plainTx struct {
	height             int64
	id                 string
	sequence, index    int32
	kind               string
	sender, sponsor    string
	contract, receiver string // called or deployed; of a token transfer
	fee, nonce         string
	function           string
	burnTime           int64
	block              string // index block hash
	events             []plainEvent
}

type plainEvent struct {
	index                    int32
	kind, sender, recipient  string
	asset, amount, printedBy string
	memo                     []byte
}

// plain are all canonical transactions, the oldest first.
func plain(s *apitest.Site) (all []plainTx) {
	s.T.Helper()
	rows := must.Get(s.Pool.Query(s.T.Context(), schemas.In(`
		SELECT b.height, t.txid, coalesce(t.microblock_sequence, 2147483647), t.tx_index, t.raw_tx, coalesce(t.sender, ''), coalesce(t.sponsor, ''),
		       coalesce(t.contract_id, ''), t.fee::text, coalesce(l.type, -1), t.source_seq, coalesce(t.nonce, -1)::text, coalesce(t.function_name, ''), b.burn_block_time, b.index_block_hash
		FROM {chain}.canonical c
		JOIN {chain}.block b ON b.source_seq = c.block_seq
		JOIN {chain}.transaction t ON t.source_seq = b.source_seq
		LEFT JOIN {accounts}.transaction l ON l.source_seq = t.source_seq AND l.tx_index = t.tx_index
		ORDER BY b.height, t.execution_index`)))(s.T)
	defer rows.Close()
	type key struct {
		seq   int64
		index int32
	}
	at := map[key]int{}
	for rows.Next() {
		var tx plainTx
		var id, block hash.Hash32
		var raw []byte
		var kind int16
		var seq int64
		must.Do(s.T, rows.Scan(&tx.height, &id, &tx.sequence, &tx.index, &raw, &tx.sender, &tx.sponsor, &tx.contract, &tx.fee, &kind, &seq, &tx.nonce, &tx.function, &tx.burnTime, &block))
		tx.id, tx.block = id.String(), block.String()
		tx.kind = map[int16]string{0: "token_transfer", 1: "smart_contract", 2: "contract_call", 3: "poison_microblock", 4: "coinbase", 7: "tenure_change"}[kind]
		if decoded, err := signed.Decode(raw); err == nil {
			if transfer, ok := decoded.Payload.(*signed.TokenTransfer); ok {
				tx.receiver = transfer.Recipient.String()
			}
		}
		if len(raw) == 1 { // what came from Bitcoin says whom it names in events, or beside the transaction
			shown := s.Object("/extended/v1/tx/" + tx.id)
			transfer, _ := shown["token_transfer"].(map[string]any)
			call, _ := shown["contract_call"].(map[string]any)
			tx.receiver, _ = transfer["recipient_address"].(string)
			tx.contract, _ = call["contract_id"].(string)
		}
		at[key{seq, tx.index}] = len(all)
		all = append(all, tx)
	}
	must.Do(s.T, rows.Err())
	rows = must.Get(s.Pool.Query(s.T.Context(), schemas.In(`
		SELECT e.source_seq, e.tx_index, e.event_index, e.type, coalesce(e.sender, ''), coalesce(e.recipient, ''), coalesce(e.asset_identifier, 'stx'),
		       coalesce(e.amount, 1)::text, coalesce(e.contract_identifier, ''), e.memo
		FROM {chain}.canonical c JOIN {chain}.event e ON e.source_seq = c.block_seq
		ORDER BY e.source_seq, e.tx_index, e.event_index`)))(s.T)
	var e plainEvent
	var k key
	must.Get(pgx.ForEachRow(rows, []any{&k.seq, &k.index, &e.index, &e.kind, &e.sender, &e.recipient, &e.asset, &e.amount, &e.printedBy, &e.memo}, func() error {
		tx := &all[at[k]]
		tx.events = append(tx.events, e)
		return nil
	}))(s.T)
	return all
}

// moves says that the event moves something of an account.
func (e *plainEvent) moves(account string) bool {
	return e.kind != "contract_event" && e.kind != "stx_lock_event" && (e.sender == account || e.recipient == account)
}

// concerns says that the transaction is in the list of an account.
func (tx *plainTx) concerns(account string) bool {
	for i := range tx.events {
		if tx.events[i].moves(account) {
			return true
		}
	}
	return slices.Contains([]string{tx.sender, tx.sponsor, tx.contract, tx.receiver}, account)
}

// busiest are the accounts and contracts with the longest lists.
func busiest(all []plainTx, n int) (names []string) {
	counts := map[string]int{}
	for i := range all {
		parties := map[string]bool{all[i].sender: true, all[i].sponsor: true, all[i].contract: true}
		for _, e := range all[i].events {
			parties[e.sender], parties[e.recipient] = true, true
		}
		for name := range parties {
			counts[name]++
		}
	}
	delete(counts, "")
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	return names[:min(n, len(names))]
}
