package view

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// Balances is everything that an account owns.
type Balances struct {
	STX      *StxBalance          `json:"stx"`
	Fungible map[string]ftBalance `json:"fungible_tokens" doc:"By asset identifier. Tokens that the account once had stay in the list, with a balance of zero."`
	NFT      map[string]nftCount  `json:"non_fungible_tokens" doc:"By asset identifier."`
}

type ftBalance struct {
	Balance schema.Amount `json:"balance"`
	schema.Negative
	TotalSent     schema.Amount `json:"total_sent"`
	TotalReceived schema.Amount `json:"total_received"`
}

type nftCount struct {
	Count         schema.Amount `json:"count"`
	TotalSent     schema.Amount `json:"total_sent"`
	TotalReceived schema.Amount `json:"total_received"`
}

type assetRow struct {
	sums
	asset, kind string
}

func assetColumns(r *assetRow) []any {
	return append([]any{&r.asset, &r.kind}, sumColumns(&r.sums)...)
}

// QueuedBalances are the queries for everything that an account owns, queued in a batch.
type QueuedBalances struct {
	stx    *QueuedSTX
	assets *engine.Result[assetRow]
}

// QueueBalances adds the queries for everything that the account owns at a block to a batch.
func QueueBalances(b *engine.Batch, account string, at param.Moment) *QueuedBalances {
	q := &QueuedBalances{stx: QueueEstimatedSTX(b, account, at)}
	if at.Latest {
		q.assets = engine.Query(b, assetColumns, `
			SELECT {balances.holding h}, asset, kind, balance::text, sent::text, received::text, fees::text, rewards::text
			FROM {balances}.holding h WHERE account = $1 AND kind <> 'stx'`, account)
	} else {
		q.assets = engine.Query(b, assetColumns, `
			SELECT {balances.ledger l}, h.asset, h.kind, l.balance::text, (l.received - l.fees + l.rewards - l.balance)::text, l.received::text, l.fees::text, l.rewards::text
			FROM {balances}.holding h
			CROSS JOIN LATERAL (
				SELECT h.account, h.asset, e.* FROM {balances}.entry e
				WHERE e.holding = h.id AND e.height <= $2
				ORDER BY e.height DESC, e.n DESC LIMIT 1
			) l
			WHERE h.account = $1 AND h.kind <> 'stx'`, account, at.Height)
	}
	return q
}

// Shape returns the balances once the batch has run. It fails with 404 when there is no block at the height.
func (q *QueuedBalances) Shape() (*Balances, error) {
	all := &Balances{Fungible: map[string]ftBalance{}, NFT: map[string]nftCount{}}
	var err error
	if all.STX, err = q.stx.Shape(); err != nil {
		return nil, err
	}
	for _, row := range q.assets.Rows {
		balance, sent, received := schema.Amount(row.balance), schema.Amount(row.sent), schema.Amount(row.received)
		if row.kind == "nft" {
			all.NFT[row.asset] = nftCount{balance, sent, received}
		} else {
			all.Fungible[row.asset] = ftBalance{balance, schema.NegativeOf(balance), sent, received}
		}
	}
	return all, nil
}
