package balances

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec     projections.Spec
	tx       pgx.Tx
	state    *state
	negative []negative
}

// negative is a balance that has become negative, with the change that made it so.
type negative struct {
	origin
	account, asset string
	balance        *big.Int
}

// apply applies blocks. It reads all rows that they need at once, with the queries of read, and writes all changes at once.
// To touched it adds what a single one of them touches.
func (b *batch) apply(ctx context.Context, steps []projections.Step, read *pgx.Batch, touched *touchedShards) error {
	all := make([]effects, len(steps))
	for i, step := range steps {
		all[i] = effectsOf(step)
	}
	if err := b.load(ctx, all, read); err != nil {
		return err
	}
	tip, err := b.tip(ctx)
	if err != nil {
		return err
	}
	if err := projections.CheckParents(tip, steps); err != nil {
		return err
	}
	var w writes
	for i, step := range steps {
		if err := b.applyBlock(ctx, &w, step, all[i]); err != nil {
			return err
		}
		touched.addEffects(&all[i])
		all[i] = effects{}
	}
	if err := w.flush(ctx, b); err != nil {
		return err
	}
	newest := steps[len(steps)-1].Tip()
	b.state.tip = &newest
	return nil
}

func (b *batch) applyBlock(ctx context.Context, w *writes, step projections.Step, e effects) error {
	fell := map[holdingKey]*change{} // the change that took a balance below zero in this block
	var order []holdingKey
	changed := map[string]*asset{}
	for i := range e.changes {
		c := &e.changes[i]
		key := holdingKey{c.account, c.asset}
		h := b.state.holdings[key]
		if h == nil {
			b.state.last++
			h = newHolding(c, b.state.last)
			b.state.holdings[key] = h
		}
		before := h.balance.Sign()
		h.add(c)
		a := b.asset(c)
		a.add(c, before, h.balance.Sign())
		changed[a.name] = a
		c.mint = a.mints
		w.entries = append(w.entries, entryRow(c, h))
		if err := w.spill(ctx, b); err != nil {
			return err
		}
		w.touch(key, h)
		if before >= 0 && h.balance.Sign() < 0 {
			fell[key] = c
			order = append(order, key)
		}
	}
	// Only the balance at the end of the block counts: the order within a block is the node's, and rewards come last.
	for _, key := range order {
		if c, h := fell[key], b.state.holdings[key]; c != nil && h.balance.Sign() < 0 {
			n := negative{origin: c.origin, account: c.account, asset: c.asset, balance: h.balance}
			b.negative = append(b.negative, n)
			w.negative = append(w.negative, []any{n.height, n.seq, projections.Amount(n.balance), n.account, n.asset, n.cause, n.pointer})
			delete(fell, key)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		a := changed[name]
		a.height = step.Height
		w.assets = append(w.assets, assetRow(a, step.BlockSeq))
	}
	for i := range e.custody {
		c := &e.custody[i]
		t := b.state.tokens[c.key]
		if t == nil {
			t = &token{}
			b.state.tokens[c.key] = t
		}
		t.n++
		t.owner, t.height, t.seq, t.value = c.recipient, c.height, c.seq, c.value
		t.position, t.tx = int32(i), *c.tx
		var mint any
		if c.sender == "" && c.change >= 0 {
			mint = e.changes[c.change].mint
		}
		w.tokenEvents = append(w.tokenEvents, tokenEventRow(c, t.n, t.position, mint))
		w.touchToken(c.key, t)
	}
	for i := range e.locks {
		w.locks = append(w.locks, lockRow(&e.locks[i]))
	}
	b.useNonces(w, e.uses)
	w.blocks = append(w.blocks, blockRow(step, b.state.last, b.state.signer))
	return nil
}

// useNonces updates the next nonce of each account: one more than the greatest that it has used.
func (b *batch) useNonces(w *writes, uses []use) {
	var touched []string
	for i := range uses {
		u := &uses[i]
		n := b.state.nonces[u.account]
		if n == nil {
			b.state.signer++
			n = &nonce{signer: b.state.signer, height: -1, next: new(big.Int)}
			b.state.nonces[u.account] = n
			w.signers = append(w.signers, []any{u.height, u.seq, n.signer, u.account})
		}
		if u.next.Cmp(n.next) <= 0 {
			continue
		}
		n.next = u.next
		if n.height != u.height {
			n.height = u.height
			touched = append(touched, u.account)
		}
	}
	for _, account := range touched {
		n := b.state.nonces[account]
		w.nonces = append(w.nonces, []any{n.height, uses[0].seq, n.signer, projections.Amount(n.next)})
	}
}

// holdingKey identifies a balance.
type holdingKey struct{ account, asset string }

func (k holdingKey) compare(other holdingKey) int {
	return cmp.Or(cmp.Compare(k.account, other.account), cmp.Compare(k.asset, other.asset))
}

// holding is the state of a balance after its last change. Its numbers are replaced, never changed in place: entries point to them.
type holding struct {
	id                                     int32
	kind                                   string
	n, height, seq                         int64
	balance, sent, received, fees, rewards *big.Int
}

var zero = new(big.Int)

func newHolding(c *change, id int32) *holding {
	return &holding{id: id, kind: c.kind, balance: zero, sent: zero, received: zero, fees: zero, rewards: zero}
}

func (h *holding) add(c *change) {
	h.n++
	h.height, h.seq = c.height, c.seq
	h.balance = new(big.Int).Add(h.balance, c.delta)
	switch c.column {
	case columnSent:
		h.sent = new(big.Int).Sub(h.sent, c.delta)
	case columnReceived:
		h.received = new(big.Int).Add(h.received, c.delta)
	case columnFees:
		h.fees = new(big.Int).Sub(h.fees, c.delta)
	case columnRewards:
		h.rewards = new(big.Int).Add(h.rewards, c.delta)
	}
}

// tokenKey identifies a non-fungible token. value is the SHA-256 of its id.
type tokenKey struct {
	asset string
	value [32]byte
}

func (k tokenKey) compare(other tokenKey) int {
	return cmp.Or(cmp.Compare(k.asset, other.asset), bytes.Compare(k.value[:], other.value[:]))
}

// token is the state of a non-fungible token after its last event.
type token struct {
	n, height, seq int64
	position, tx   int32  // of the last event
	owner          string // empty when burned
	value          []byte
}

// nonce is the next nonce of an account, and the height at which it last changed.
type nonce struct {
	signer int32
	height int64
	next   *big.Int
}

// load reads the balances, tokens, nonces and assets that the effects change and that are not in memory.
func (b *batch) load(ctx context.Context, all []effects, read *pgx.Batch) error {
	var (
		accounts, assets []string
		tokenAssets      []string
		tokenValues      [][]byte
		nonceAccounts    []string
		holdings         = map[holdingKey]bool{}
		tokens           = map[tokenKey]bool{}
		nonces           = map[string]bool{}
	)
	for i := range all {
		for j := range all[i].changes {
			c := &all[i].changes[j]
			if key := (holdingKey{c.account, c.asset}); b.state.holdings[key] == nil && !holdings[key] {
				holdings[key] = true
				accounts, assets = append(accounts, c.account), append(assets, c.asset)
			}
		}
		for j := range all[i].custody {
			if key := all[i].custody[j].key; b.state.tokens[key] == nil && !tokens[key] {
				tokens[key] = true
				tokenAssets, tokenValues = append(tokenAssets, key.asset), append(tokenValues, key.value[:])
			}
		}
		for j := range all[i].uses {
			if account := all[i].uses[j].account; b.state.nonces[account] == nil && !nonces[account] {
				nonces[account] = true
				nonceAccounts = append(nonceAccounts, account)
			}
		}
	}
	if len(accounts) > 0 {
		read.Queue(b.spec.SQL(`
			SELECT h.account, h.asset, h.id, h.kind, h.n, h.height, h.source_seq,
			       h.balance::text, h.sent::text, h.received::text, h.fees::text, h.rewards::text
			FROM unnest($1::text[], $2::text[]) AS k (account, asset)
			JOIN {schema}.holding h USING (account, asset)`), accounts, assets).Query(b.readHoldings)
	}
	if len(tokenAssets) > 0 {
		read.Queue(b.spec.SQL(`
			SELECT c.asset, c.value_hash, c.n, c.height, c.source_seq, c.position, c.tx_index, coalesce(c.owner, ''), c.value
			FROM unnest($1::text[], $2::bytea[]) AS k (asset, value_hash)
			JOIN {schema}.nft_custody c USING (asset, value_hash)`), tokenAssets, tokenValues).Query(b.readTokens)
	}
	if len(nonceAccounts) > 0 {
		read.Queue(b.spec.SQL(`
			SELECT s.account, s.id, last.height, last.next_nonce::text
			FROM unnest($1::text[]) AS k (account) JOIN {schema}.signer s USING (account)
			CROSS JOIN LATERAL (
				SELECT n.height, n.next_nonce FROM {schema}.signer_nonce n
				WHERE n.signer = s.id ORDER BY n.height DESC LIMIT 1
			) last`), nonceAccounts).Query(b.readNonces)
	}
	b.queueAssets(read, all)
	if read.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, read).Close(); err != nil {
		return fmt.Errorf("read %d balances, %d tokens and %d nonces, and their assets: %w", len(accounts), len(tokenAssets), len(nonceAccounts), err)
	}
	return nil
}

func (b *batch) readHoldings(rows pgx.Rows) error {
	var (
		key                                    holdingKey
		h                                      holding
		balance, sent, received, fees, rewards string
	)
	_, err := pgx.ForEachRow(rows, []any{&key.account, &key.asset, &h.id, &h.kind, &h.n, &h.height, &h.seq, &balance, &sent, &received, &fees, &rewards}, func() error {
		copied := h
		for _, number := range []struct {
			text string
			dst  **big.Int
		}{{balance, &copied.balance}, {sent, &copied.sent}, {received, &copied.received}, {fees, &copied.fees}, {rewards, &copied.rewards}} {
			var err error
			if *number.dst, err = decimal(number.text); err != nil {
				return err
			}
		}
		b.state.holdings[key] = &copied
		return nil
	})
	return err
}

func (b *batch) readTokens(rows pgx.Rows) error {
	var (
		asset       string
		hash, value []byte
		t           token
	)
	_, err := pgx.ForEachRow(rows, []any{&asset, &hash, &t.n, &t.height, &t.seq, &t.position, &t.tx, &t.owner, &value}, func() error {
		copied := t
		copied.value = slices.Clone(value)
		b.state.tokens[tokenKey{asset, [32]byte(hash)}] = &copied
		return nil
	})
	return err
}

func (b *batch) readNonces(rows pgx.Rows) error {
	var (
		account, next string
		signer        int32
		height        int64
	)
	_, err := pgx.ForEachRow(rows, []any{&account, &signer, &height, &next}, func() error {
		number, err := decimal(next)
		b.state.nonces[account] = &nonce{signer: signer, height: height, next: number}
		return err
	})
	return err
}

func decimal(text string) (*big.Int, error) {
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, fmt.Errorf("numeric %q is no whole number", text)
	}
	return i, nil
}
