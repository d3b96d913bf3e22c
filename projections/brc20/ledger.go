package brc20

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
)

// account is the holding of one token by one address.
type account struct{ ticker, address string }

func (a account) compare(other account) int {
	return cmp.Or(cmp.Compare(a.ticker, other.ticker), cmp.Compare(a.address, other.address))
}

// ledger holds the changes that a wave makes to the ledger and the balances.
type ledger struct {
	entries  []*entry // new ones, in the order of keys
	order    []account
	accounts map[account]*accountChange
	negative []account // that have come below zero
}

// entry is a row of the ledger. Amounts are never changed in place.
type entry struct {
	key
	account
	seq                                int64
	availableDelta, transferrableDelta *big.Int
	availableAfter, transferrableAfter *big.Int
}

// accountChange is what a wave does to the entries of an account.
type accountChange struct {
	entries []*entry
	from    key // of the first entry that is added or deleted
	// disturbed says that the wave does more than append entries after the old ones. Then derive computes the balances
	// of the entries in the database.
	disturbed   bool
	before, now *balance // nil for none
}

// balance is the last entry of an account.
type balance struct {
	key
	seq                      int64
	available, transferrable *big.Int
}

func (b *balance) holds() bool {
	return b != nil && new(big.Int).Add(b.available, b.transferrable).Sign() > 0
}

func (b *balance) belowZero() bool {
	return b != nil && (b.available.Sign() < 0 || b.transferrable.Sign() < 0)
}

var zero = new(big.Int)

func newLedger(added []*operation) *ledger {
	l := &ledger{accounts: map[account]*accountChange{}}
	for _, o := range added {
		switch o.kind {
		case mint:
			l.enter(o, o.address, o.amount, zero)
		case transfer:
			l.enter(o, o.address, new(big.Int).Neg(o.amount), o.amount)
		case transferSend:
			l.send(o, new(big.Int).Neg(o.amount))
		}
	}
	return l
}

func (l *ledger) send(o *operation, negative *big.Int) {
	switch *o.receiver {
	case "": // the amount is burnt
		l.enter(o, o.address, zero, negative)
	case o.address:
		l.enter(o, o.address, o.amount, negative)
	default:
		l.enter(o, o.address, zero, negative)
		l.enter(o, *o.receiver, o.amount, zero)
	}
}

func (l *ledger) enter(o *operation, address string, available, transferrable *big.Int) {
	e := &entry{
		key: o.key, account: account{o.ticker, address}, seq: o.seq, availableDelta: available, transferrableDelta: transferrable,
		availableAfter: zero, transferrableAfter: zero,
	}
	l.entries = append(l.entries, e)
	a := l.change(e.account, e.key)
	a.entries = append(a.entries, e)
}

// change returns the change of an account whose entries change from a key on.
func (l *ledger) change(of account, from key) *accountChange {
	a := l.accounts[of]
	if a == nil {
		a = &accountChange{from: from}
		l.accounts[of] = a
		l.order = append(l.order, of)
	}
	if from.compare(a.from) < 0 {
		a.from = from
	}
	return a
}

// disturb records that the entries of an account are deleted from a key on.
func (l *ledger) disturb(of account, from key) { l.change(of, from).disturbed = true }

func (l *ledger) read(spec projections.Spec, b *pgx.Batch) {
	if len(l.order) == 0 {
		return
	}
	tickers, addresses := columnsOf(l.order)
	b.Queue(spec.SQL(`
		SELECT b.ticker, b.address, b.height, b.tx_index, b.source_seq, b.available, b.transferrable
		FROM unnest($1::text[], $2::text[]) AS k (ticker, address)
		JOIN {schema}.balance b ON b.ticker = k.ticker AND b.address = k.address`), tickers, addresses).
		Query(l.readBalances(func(a *accountChange, b *balance) { a.before = b }))
}

func columnsOf(list []account) (tickers, addresses []string) {
	tickers, addresses = make([]string, len(list)), make([]string, len(list))
	for i, a := range list {
		tickers[i], addresses[i] = a.ticker, a.address
	}
	return tickers, addresses
}

func (l *ledger) readBalances(set func(a *accountChange, b *balance)) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var of account
		var b balance
		var available, transferrable pgtype.Numeric
		_, err := pgx.ForEachRow(rows, []any{&of.ticker, &of.address, &b.height, &b.txIndex, &b.seq, &available, &transferrable}, func() error {
			read := b
			read.available, read.transferrable = unitsOf(available), unitsOf(transferrable)
			set(l.accounts[of], &read)
			return nil
		})
		return err
	}
}

// add computes the balances of the accounts that are not disturbed.
func (l *ledger) add() {
	for _, a := range l.accounts {
		a.disturbed = a.disturbed || a.before != nil && a.before.compare(a.from) > 0
		if a.disturbed {
			continue
		}
		now := balance{available: zero, transferrable: zero}
		if a.before != nil {
			now = *a.before
		}
		for _, e := range a.entries {
			now.key, now.seq = e.key, e.seq
			now.available = new(big.Int).Add(now.available, e.availableDelta)
			now.transferrable = new(big.Int).Add(now.transferrable, e.transferrableDelta)
			e.availableAfter, e.transferrableAfter = now.available, now.transferrable
		}
		a.now = &now
	}
}

var entryColumns = []string{
	"height", "tx_index", "source_seq", "ticker", "address", "available_delta", "transferrable_delta", "available", "transferrable",
}

func entryRow(e *entry) []any {
	return []any{
		e.height, e.txIndex, e.seq, e.ticker, e.address,
		amountOf(e.availableDelta), amountOf(e.transferrableDelta), amountOf(e.availableAfter), amountOf(e.transferrableAfter),
	}
}

// write computes the balances of disturbed accounts, and writes all balances.
func (l *ledger) write(ctx context.Context, spec projections.Spec, tx pgx.Tx) error {
	if err := l.derive(ctx, spec, tx); err != nil {
		return err
	}
	var gone, remaining []account
	for _, of := range l.order {
		if l.accounts[of].now == nil {
			gone = append(gone, of)
		} else {
			remaining = append(remaining, of)
		}
	}
	if err := l.writeBalances(ctx, spec, tx, remaining); err != nil {
		return err
	}
	if err := l.writeBelowZero(ctx, spec, tx); err != nil || len(gone) == 0 {
		return err
	}
	tickers, addresses := columnsOf(gone)
	_, err := tx.Exec(ctx, spec.SQL(`
		DELETE FROM {schema}.balance b USING unnest($1::text[], $2::text[]) AS k (ticker, address)
		WHERE b.ticker = k.ticker AND b.address = k.address`), tickers, addresses)
	if err != nil {
		return fmt.Errorf("delete %d balances: %w", len(gone), err)
	}
	return nil
}

// deriveSQL computes the balances in the entries of accounts again, for each account from a key on.
const deriveSQL = `
	WITH sums AS (
		SELECT e.ticker, e.address, e.height, e.tx_index,
		       coalesce(before.available, 0) + sum(e.available_delta) OVER w AS available,
		       coalesce(before.transferrable, 0) + sum(e.transferrable_delta) OVER w AS transferrable
		FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS k (ticker, address, height, tx_index)
		LEFT JOIN LATERAL (
			SELECT available, transferrable FROM {schema}.entry
			WHERE ticker = k.ticker AND address = k.address AND (height, tx_index) < (k.height, k.tx_index)
			ORDER BY height DESC, tx_index DESC LIMIT 1
		) before ON true
		JOIN {schema}.entry e ON e.ticker = k.ticker AND e.address = k.address AND (e.height, e.tx_index) >= (k.height, k.tx_index)
		WINDOW w AS (PARTITION BY e.ticker, e.address ORDER BY e.height, e.tx_index)
	)
	UPDATE {schema}.entry e SET available = s.available, transferrable = s.transferrable
	FROM sums s
	WHERE e.ticker = s.ticker AND e.address = s.address AND e.height = s.height AND e.tx_index = s.tx_index
	  AND (e.available <> s.available OR e.transferrable <> s.transferrable)`

func (l *ledger) derive(ctx context.Context, spec projections.Spec, tx pgx.Tx) error {
	var disturbed []account
	var heights, indices []int64
	for _, of := range l.order {
		if a := l.accounts[of]; a.disturbed {
			disturbed, heights, indices = append(disturbed, of), append(heights, a.from.height), append(indices, a.from.txIndex)
		}
	}
	if len(disturbed) == 0 {
		return nil
	}
	tickers, addresses := columnsOf(disturbed)
	b := &pgx.Batch{}
	b.Queue(spec.SQL(deriveSQL), tickers, addresses, heights, indices)
	b.Queue(spec.SQL(`
		SELECT k.ticker, k.address, last.*
		FROM unnest($1::text[], $2::text[]) AS k (ticker, address)
		CROSS JOIN LATERAL (
			SELECT height, tx_index, source_seq, available, transferrable FROM {schema}.entry
			WHERE ticker = k.ticker AND address = k.address ORDER BY height DESC, tx_index DESC LIMIT 1
		) last`), tickers, addresses).Query(l.readBalances(func(a *accountChange, b *balance) { a.now = b }))
	if err := send(ctx, tx, b); err != nil {
		return fmt.Errorf("recompute the balances of %d accounts: %w", len(disturbed), err)
	}
	return nil
}

func (l *ledger) writeBalances(ctx context.Context, spec projections.Spec, tx pgx.Tx, remaining []account) error {
	n := len(remaining)
	if n == 0 {
		return nil
	}
	// The order of keys keeps two processes from a deadlock, and neighbours are close to each other in the index.
	slices.SortFunc(remaining, account.compare)
	tickers, addresses := columnsOf(remaining)
	heights, indices, seqs := make([]int64, n), make([]int64, n), make([]int64, n)
	available, transferrable := make([]pgtype.Numeric, n), make([]pgtype.Numeric, n)
	for i, of := range remaining {
		b := l.accounts[of].now
		heights[i], indices[i], seqs[i] = b.height, b.txIndex, b.seq
		available[i], transferrable[i] = amountOf(b.available), amountOf(b.transferrable)
	}
	_, err := tx.Exec(ctx, spec.SQL(`
		INSERT INTO {schema}.balance (height, tx_index, source_seq, ticker, address, available, transferrable, total)
		SELECT *, available + transferrable
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::numeric[], $7::numeric[])
			AS k (height, tx_index, source_seq, ticker, address, available, transferrable)
		ON CONFLICT (ticker, address) DO UPDATE SET
			height = excluded.height, tx_index = excluded.tx_index, source_seq = excluded.source_seq,
			available = excluded.available, transferrable = excluded.transferrable, total = excluded.total`),
		heights, indices, seqs, tickers, addresses, available, transferrable)
	if err != nil {
		return fmt.Errorf("write %d balances: %w", n, err)
	}
	return nil
}

// writeBelowZero notes which balances have come below zero, and which no longer are.
func (l *ledger) writeBelowZero(ctx context.Context, spec projections.Spec, tx pgx.Tx) error {
	var more, fewer []account
	for _, of := range l.order {
		switch before, now := l.accounts[of].before.belowZero(), l.accounts[of].now.belowZero(); {
		case now && !before:
			more = append(more, of)
		case before && !now:
			fewer = append(fewer, of)
		}
	}
	l.negative = more
	b := &pgx.Batch{}
	if len(more) > 0 {
		tickers, addresses := columnsOf(more)
		b.Queue(spec.SQL(`INSERT INTO {schema}.below_zero (ticker, address) SELECT * FROM unnest($1::text[], $2::text[])`), tickers, addresses)
	}
	if len(fewer) > 0 {
		tickers, addresses := columnsOf(fewer)
		b.Queue(spec.SQL(`
			DELETE FROM {schema}.below_zero z USING unnest($1::text[], $2::text[]) AS k (ticker, address)
			WHERE z.ticker = k.ticker AND z.address = k.address`), tickers, addresses)
	}
	if err := send(ctx, tx, b); err != nil {
		return fmt.Errorf("note %d balances below zero, and %d that no longer are: %w", len(more), len(fewer), err)
	}
	return nil
}

// holders returns by how many the holders of each token change. The balances must have been computed before.
func (l *ledger) holders() map[string]int64 {
	more := map[string]int64{}
	for of, a := range l.accounts {
		switch before, now := a.before.holds(), a.now.holds(); {
		case now && !before:
			more[of.ticker]++
		case before && !now:
			more[of.ticker]--
		}
	}
	return more
}
