package bns

import (
	"context"
	"encoding/hex"

	"strata/domain/bns"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// preordersMost is the greatest number of preorders that an answer shows.
const preordersMost = 200

// bnsOpenPreorder is a preorder that was neither used nor refunded.
type bnsOpenPreorder struct {
	Kind       string        `json:"kind" enum:"name,namespace,managed-name"`
	Hash       string        `json:"hash" doc:"hash160 of what is preordered, and a salt, in hex."`
	Amount     schema.Amount `json:"amount" doc:"µSTX: burned for a namespace, held by the contract for a name."`
	BurnHeight int64         `json:"burn_block_height"`
	Height     int64         `json:"block_height"`
	Expired    bool          `json:"expired" doc:"Whether the preorder is too old to be used. One of a name can be refunded then."`
}

// bnsPreorderList are the open preorders of a principal.
type bnsPreorderList struct {
	Marked
	CurrentBurnBlock int64             `json:"current_burn_block"`
	Preorders        []bnsOpenPreorder `json:"preorders" nullable:"false"`
}

func (a *api) registerPreorders() {
	get(a, engine.Operation{
		ID: "list-bns-preorders", Path: "/preorders/{address}", Summary: "Open preorders of a principal, newest first",
		Description: "The newest 200 of those that were neither used nor refunded. Preorders that a contract makes can't be seen: they print nothing.",
	}, a.listPreorders)
}

func (a *api) listPreorders(ctx context.Context, s *engine.Snapshot, in *AddressInput) (*bnsPreorderList, error) {
	type row struct {
		bnsOpenPreorder
		kind int16
		hash []byte
	}
	of := clean(in.Address)
	b := s.Batch()
	tip := queryTip(b)
	rows := engine.Query(b, func(r *row) []any { return []any{&r.kind, &r.hash, &r.Amount, &r.BurnHeight, &r.Height} }, `
		SELECT {bns.preorder p}, p.kind, p.hash, p.amount::text, p.burn_height, p.height FROM {bns}.preorder p
		WHERE p.principal = $1 AND p.used_height IS NULL ORDER BY p.height DESC, p.tx_index DESC LIMIT $2`, of, preordersMost)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	out := &bnsPreorderList{in.marked(), tip(), []bnsOpenPreorder{}}
	for i := range rows.Rows {
		p := rows.Rows[i].bnsOpenPreorder
		p.Kind, p.Hash = bns.PreorderKind(rows.Rows[i].kind).String(), hex.EncodeToString(rows.Rows[i].hash)
		p.Expired = out.CurrentBurnBlock > p.BurnHeight+bns.PreorderLife
		out.Preorders = append(out.Preorders, p)
	}
	return out, nil
}
