package brc20

import (
	"context"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
)

// tokens holds the tokens that a wave changes.
type tokens struct {
	order []string
	of    map[string]*token
	// redeployed are the tokens with a deploy that the wave adds or removes.
	redeployed []*token
}

// token holds the sums of a token's operations: at first only their changes, after read the new sums.
type token struct {
	ticker      string
	txCount     int64
	holders     int64
	minted      *big.Int
	deploys     bool // the wave adds or removes a deploy
	before, now *key // of the deploy; nil for none
}

func newTokens(removed, added []*operation) *tokens {
	t := &tokens{of: map[string]*token{}}
	for _, o := range removed {
		t.count(o, -1)
	}
	for _, o := range added {
		t.count(o, 1)
	}
	return t
}

func (t *tokens) count(o *operation, n int64) {
	of := t.of[o.ticker]
	if of == nil {
		of = &token{ticker: o.ticker, minted: new(big.Int)}
		t.of[o.ticker] = of
		t.order = append(t.order, o.ticker)
	}
	of.txCount += n
	switch o.kind {
	case deploy:
		of.deploys = true
	case mint:
		of.minted.Add(of.minted, new(big.Int).Mul(o.amount, big.NewInt(n)))
	}
}

// read adds the stored sums to the changes.
func (t *tokens) read(spec projections.Spec, b *pgx.Batch) {
	if len(t.order) == 0 {
		return
	}
	b.Queue(spec.SQL(`SELECT ticker, height, tx_index, tx_count, holders, minted FROM {schema}.token WHERE ticker = ANY ($1)`), t.order).
		Query(func(rows pgx.Rows) error {
			var ticker string
			var height, txIndex *int64
			var txCount, holders int64
			var minted pgtype.Numeric
			_, err := pgx.ForEachRow(rows, []any{&ticker, &height, &txIndex, &txCount, &holders, &minted}, func() error {
				of := t.of[ticker]
				of.before = keyOf(height, txIndex)
				of.txCount += txCount
				of.holders += holders
				of.minted.Add(of.minted, unitsOf(minted))
				return nil
			})
			return err
		})
}

func (t *tokens) write(ctx context.Context, spec projections.Spec, tx pgx.Tx) error {
	var gone, remaining, deploys []string
	var txCounts, holders []int64
	var minted []pgtype.Numeric
	for _, ticker := range t.order {
		of := t.of[ticker]
		if of.deploys {
			deploys = append(deploys, ticker)
			t.redeployed = append(t.redeployed, of)
		}
		if of.txCount == 0 {
			gone = append(gone, ticker)
			continue
		}
		remaining, txCounts, holders, minted = append(remaining, ticker), append(txCounts, of.txCount), append(holders, of.holders), append(minted, amountOf(of.minted))
	}
	b := &pgx.Batch{}
	if len(gone) > 0 {
		b.Queue(spec.SQL(`DELETE FROM {schema}.token WHERE ticker = ANY ($1)`), gone)
	}
	if len(remaining) > 0 {
		b.Queue(spec.SQL(`
			INSERT INTO {schema}.token (ticker, tx_count, holders, minted)
			SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::numeric[])
			ON CONFLICT (ticker) DO UPDATE SET tx_count = excluded.tx_count, holders = excluded.holders, minted = excluded.minted`),
			remaining, txCounts, holders, minted)
	}
	if len(deploys) > 0 {
		b.Queue(spec.SQL(deploySQL), deploys).Query(t.readDeploys)
	}
	if err := send(ctx, tx, b); err != nil {
		return fmt.Errorf("write %d tokens: %w", len(t.order), err)
	}
	return nil
}

// deploySQL copies the properties of tokens from their first deploys, in the order of inscription, and clears those of tokens without a deploy.
const deploySQL = `
	UPDATE {schema}.token t SET
		height = d.height, tx_index = d.tx_index, source_seq = d.source_seq, number = d.number, decimals = d.decimals, self_mint = d.self_mint,
		tick = d.tick, id = d.id, txid = d.txid, address = d.address, max_supply = d.max_supply, mint_limit = d.mint_limit
	FROM unnest($1::text[]) AS k (ticker)
	LEFT JOIN LATERAL (
		SELECT * FROM {schema}.operation o WHERE o.ticker = k.ticker AND o.kind = 1 ORDER BY o.height, o.tx_index LIMIT 1
	) d ON true
	WHERE t.ticker = k.ticker
	RETURNING t.ticker, t.height, t.tx_index`

func (t *tokens) readDeploys(rows pgx.Rows) error {
	var ticker string
	var height, txIndex *int64
	_, err := pgx.ForEachRow(rows, []any{&ticker, &height, &txIndex}, func() error {
		t.of[ticker].now = keyOf(height, txIndex)
		return nil
	})
	return err
}
