package balances

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
)

// writes are the rows of a run of blocks. COPY writes the tables that only grow; one upsert per table writes the state.
type writes struct {
	blocks, entries, tokenEvents, assets, locks, signers, nonces, negative [][]any

	holdings map[holdingKey]*holding
	tokens   map[tokenKey]*token
}

func (w *writes) touch(key holdingKey, h *holding) {
	if w.holdings == nil {
		w.holdings = map[holdingKey]*holding{}
	}
	w.holdings[key] = h
}

func (w *writes) touchToken(key tokenKey, t *token) {
	if w.tokens == nil {
		w.tokens = map[tokenKey]*token{}
	}
	w.tokens[key] = t
}

func entryRow(c *change, h *holding) []any {
	return []any{
		c.height, c.seq, h.id, int32(h.n), c.tx, c.place, causes[c.cause], projections.Amount(c.delta), projections.Amount(h.balance),
		projections.Amount(h.received), projections.Amount(h.fees), projections.Amount(h.rewards),
	}
}

var entryColumns = []string{"height", "source_seq", "holding", "n", "tx_index", "pointer", "cause", "delta", "balance", "received", "fees", "rewards"}

func tokenEventRow(c *custody, n int64, position int32, mint any) []any {
	return []any{
		n, c.height, c.seq, mint, position, c.tx, c.event, c.key.value[:], c.value, c.key.asset, c.cause,
		projections.NullText(c.sender), projections.NullText(c.recipient), c.pointer,
	}
}

var tokenEventColumns = []string{
	"n", "height", "source_seq", "mint", "position", "tx_index", "event_index", "value_hash", "value", "asset", "cause", "sender", "recipient", "pointer",
}

func lockRow(l *lock) []any {
	return []any{
		l.height, l.seq, l.unlockHeight, int32(l.position), l.tx, int16(l.poxVersion), projections.Amount(l.amount),
		l.account, l.cause, l.pointer, l.txid[:],
	}
}

var lockColumns = []string{
	"height", "source_seq", "unlock_height", "position", "tx_index", "pox_version", "amount", "account", "cause", "pointer", "txid",
}

// atOnce is the most rows of a table that are sent at once. Few blocks have so many; a genesis block has hundreds of thousands, which
// would take as many hundred MB.
const atOnce = 1 << 15

// spill sends the entries if there are many, and forgets them.
func (w *writes) spill(ctx context.Context, b *batch) error {
	if len(w.entries) < atOnce {
		return nil
	}
	err := b.spec.Copy(ctx, b.tx, "entry", entryColumns, w.entries)
	clear(w.entries)
	w.entries = w.entries[:0]
	return err
}

// flush sends all rows.
func (w *writes) flush(ctx context.Context, b *batch) error {
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"block", blockColumns, w.blocks},
		{"entry", entryColumns, w.entries},
		{"nft_event", tokenEventColumns, w.tokenEvents},
		{"asset", assetColumns, w.assets},
		{"stx_lock", lockColumns, w.locks},
		{"signer", []string{"height", "source_seq", "id", "account"}, w.signers},
		{"signer_nonce", []string{"height", "source_seq", "signer", "next_nonce"}, w.nonces},
		{"negative_balance", []string{"height", "source_seq", "balance", "account", "asset", "cause", "pointer"}, w.negative},
	} {
		if err := b.spec.Copy(ctx, b.tx, table.name, table.columns, table.rows); err != nil {
			return err
		}
	}
	w.entries = nil
	// In the order of the key, so that two processes can never deadlock.
	keys := slices.SortedFunc(maps.Keys(w.holdings), holdingKey.compare)
	for ; len(keys) > atOnce; keys = keys[atOnce:] {
		some := &pgx.Batch{}
		w.upsertHoldings(some, b, keys[:atOnce])
		if err := b.tx.SendBatch(ctx, some).Close(); err != nil {
			return fmt.Errorf("write %d holdings: %w", atOnce, err)
		}
	}
	states := &pgx.Batch{}
	w.upsertHoldings(states, b, keys)
	w.upsertTokens(states, b)
	if states.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, states).Close(); err != nil {
		return fmt.Errorf("write %d holdings and the owners of %d tokens: %w", len(keys), len(w.tokens), err)
	}
	return nil
}

func (w *writes) upsertHoldings(into *pgx.Batch, b *batch, keys []holdingKey) {
	if len(keys) == 0 {
		return
	}
	var (
		n                     = len(keys)
		numbers, heights      = make([]int64, n), make([]int64, n)
		seqs, ids             = make([]int64, n), make([]int32, n)
		balances, sent        = make([]pgtype.Numeric, n), make([]pgtype.Numeric, n)
		received, fees        = make([]pgtype.Numeric, n), make([]pgtype.Numeric, n)
		rewards               = make([]pgtype.Numeric, n)
		accounts, assets, kin = make([]string, n), make([]string, n), make([]string, n)
	)
	for i, key := range keys {
		h := w.holdings[key]
		numbers[i], heights[i], seqs[i], ids[i] = h.n, h.height, h.seq, h.id
		balances[i], sent[i], received[i] = projections.Amount(h.balance), projections.Amount(h.sent), projections.Amount(h.received)
		fees[i], rewards[i] = projections.Amount(h.fees), projections.Amount(h.rewards)
		accounts[i], assets[i], kin[i] = key.account, key.asset, h.kind
	}
	into.Queue(b.spec.SQL(`
		INSERT INTO {schema}.holding (n, height, source_seq, id, balance, sent, received, fees, rewards, account, asset, kind)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::numeric[], $6::numeric[], $7::numeric[],
		                     $8::numeric[], $9::numeric[], $10::text[], $11::text[], $12::text[])
		ON CONFLICT (account, asset) DO UPDATE SET
			n = excluded.n, height = excluded.height, source_seq = excluded.source_seq, balance = excluded.balance,
			sent = excluded.sent, received = excluded.received, fees = excluded.fees, rewards = excluded.rewards`),
		numbers, heights, seqs, ids, balances, sent, received, fees, rewards, accounts, assets, kin)
}

func (w *writes) upsertTokens(into *pgx.Batch, b *batch) {
	if len(w.tokens) == 0 {
		return
	}
	keys := slices.SortedFunc(maps.Keys(w.tokens), tokenKey.compare)
	var (
		n                = len(keys)
		numbers, heights = make([]int64, n), make([]int64, n)
		seqs             = make([]int64, n)
		positions, txs   = make([]int32, n), make([]int32, n)
		hashes, values   = make([][]byte, n), make([][]byte, n)
		assets           = make([]string, n)
		owners           = make([]*string, n)
	)
	for i, key := range keys {
		t := w.tokens[key]
		numbers[i], heights[i], seqs[i], positions[i], txs[i] = t.n, t.height, t.seq, t.position, t.tx
		hashes[i], values[i], assets[i], owners[i] = key.value[:], t.value, key.asset, projections.NullText(t.owner)
	}
	into.Queue(b.spec.SQL(`
		INSERT INTO {schema}.nft_custody (n, height, source_seq, position, tx_index, value_hash, value, asset, owner)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::bytea[], $7::bytea[], $8::text[], $9::text[])
		ON CONFLICT (asset, value_hash) DO UPDATE SET
			n = excluded.n, height = excluded.height, source_seq = excluded.source_seq, position = excluded.position, tx_index = excluded.tx_index, owner = excluded.owner`),
		numbers, heights, seqs, positions, txs, hashes, values, assets, owners)
}
