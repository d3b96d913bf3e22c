package readapi

import (
	"context"

	"strata/readapi/internal/answer"
)

// balances is all that an account has.
type balances struct {
	STX      *stxBalance          `json:"stx"`
	Fungible map[string]ftBalance `json:"fungible_tokens" doc:"By asset identifier; tokens that the account had once stay, with zero."`
	NFT      map[string]nftCount  `json:"non_fungible_tokens" doc:"By asset identifier."`
}

type ftBalance struct {
	Balance       amount `json:"balance"`
	TotalSent     amount `json:"total_sent"`
	TotalReceived amount `json:"total_received"`
}

type nftCount struct {
	Count         amount `json:"count"`
	TotalSent     amount `json:"total_sent"`
	TotalReceived amount `json:"total_received"`
}

func (a *API) registerBalances() {
	get(a.Engine, resource{
		id: "get-balances-v1", path: "/extended/v1/address/{principal}/balances", tag: "Accounts", deprecated: true,
		summary: "All balances of an account", statuses: []int{400, 404}, class: answer.Tip,
		about: "The reference deprecates this resource in favour of version 3. Amounts are in base units.",
	}, a.balances)
}

type assetRow struct {
	sums
	asset, kind string
}

func assetColumns(r *assetRow) []any {
	return append([]any{&r.asset, &r.kind}, sumColumns(&r.sums)...)
}

// balances costs as many rows as the account has assets, whatever happened to them: those of the tip are one range of
// an index, those of an earlier block one look-up each.
func (a *API) balances(ctx context.Context, s *snapshot, in *AccountInput) (*balances, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.batch()
	all := queueBalances(b, account, at)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	return all.shape()
}

// queuedBalances are the queries for all that an account has.
type queuedBalances struct {
	stx    *queuedSTX
	assets *result[assetRow]
}

func queueBalances(b *batch, account string, at moment) *queuedBalances {
	q := &queuedBalances{stx: queueSTX(b, account, at)}
	if at.latest {
		q.assets = query(b, assetColumns, `
			SELECT ARRAY[source_seq], asset, kind, balance::text, sent::text, received::text, fees::text, rewards::text
			FROM {balances}.holding WHERE account = $1 AND kind <> 'stx'`, account)
	} else {
		q.assets = query(b, assetColumns, `
			SELECT ARRAY[l.source_seq], h.asset, h.kind, l.balance::text, l.sent::text, l.received::text, l.fees::text, l.rewards::text
			FROM {balances}.holding h
			CROSS JOIN LATERAL (
				SELECT * FROM {balances}.ledger l
				WHERE l.account = h.account AND l.asset = h.asset AND l.height <= $2
				ORDER BY l.height DESC, l.n DESC LIMIT 1
			) l
			WHERE h.account = $1 AND h.kind <> 'stx'`, account, at.height)
	}
	return q
}

func (q *queuedBalances) shape() (*balances, error) {
	all := &balances{Fungible: map[string]ftBalance{}, NFT: map[string]nftCount{}}
	var err error
	if all.STX, err = q.stx.shape(); err != nil {
		return nil, err
	}
	for _, row := range q.assets.rows {
		balance, sent, received := amount(row.balance), amount(row.sent), amount(row.received)
		if row.kind == "nft" {
			all.NFT[row.asset] = nftCount{balance, sent, received}
		} else {
			all.Fungible[row.asset] = ftBalance{balance, sent, received}
		}
	}
	return all, nil
}
