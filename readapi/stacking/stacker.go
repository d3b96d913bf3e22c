package stacking

import (
	"context"
	"net/http"

	"strata/domain/bitcoin"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

const poxStackersLimit = 100

type poxStackersInput struct {
	PoxSignerInput
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the first row."`
	page.NumberCursor
}

// poxStacker is a stacker behind a signer.
type poxStacker struct {
	StackerAddress string        `json:"stacker_address"`
	StackedAmount  schema.Amount `json:"stacked_amount" doc:"µSTX"`
	PoxAddress     *string       `json:"pox_address" doc:"The Bitcoin address that receives the rewards; null when the contract holds no valid address, and in the cycles of pox-5."`
	StackerType    string        `json:"stacker_type" enum:"solo,pooled"`
}

func (a *api) registerPoxStackers() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-pox-cycle-signer-stackers", Path: "/extended/v2/pox/cycles/{cycle_number}/signers/{signer_key}/stackers", Tag: "Stacking",
		Summary: "Stackers behind a signer of a reward cycle, the largest first",
		Description: "The stackers as they were before the set of signers was computed. A stacker of a pool is behind the key that the pool committed to " +
			"for the reward address, next after that. `prev_cursor` leads to the following page, `next_cursor` to the preceding one.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Dependencies: engine.On("pox", shard.Cycles),
	}, a.listPoxStackers)
}

var tracedStacker = &engine.TraceTable{
	Projection: "pox", Name: "stacker", Key: "cycle_number signer place", Values: "stacker amount:text pool pox_addr:hex height",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}

func (a *api) listPoxStackers(ctx context.Context, s *engine.Snapshot, in *poxStackersInput) (*page.NumberedPage[poxStacker], error) {
	signer, err := findPoxSigner(ctx, s, &in.PoxSignerInput, "PoX cycle signer not found")
	if err != nil {
		return nil, err
	}
	p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, poxStackersLimit), Number: in.Number()}
	total := signer.PooledStackerCount + signer.SoloStackerCount
	head := headOf(p, total)
	page, passed := page.NewNumberedPage[poxStacker](p, head), total-head.Start
	type row struct {
		poxStacker
		address []byte
		pool    *string
	}
	b := s.Batch()
	stackers := engine.Query(b, func(r *row) []any { return []any{&r.StackerAddress, &r.StackedAmount, &r.address, &r.pool} }, `
		SELECT {pox.stacker t}, t.stacker, t.amount::text, t.pox_addr, t.pool FROM {pox}.stacker t
		WHERE t.cycle_number = $1 AND t.signer = $2 AND t.place > $3::bigint AND t.place <= $4::bigint ORDER BY t.place`, in.Cycle, signer.place, passed, passed+int64(p.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i := range stackers.Rows {
		r := &stackers.Rows[i]
		r.StackerType, r.PoxAddress = "solo", a.poxAddress(r.address)
		if r.pool != nil {
			r.StackerType = "pooled"
		}
		page.Results = append(page.Results, r.poxStacker)
	}
	return page, nil
}

// poxAddress returns the Bitcoin address for the version and the hash of a reward address; nil when there is none.
func (a *api) poxAddress(raw []byte) *string {
	if len(raw) == 0 {
		return nil
	}
	address := bitcoin.PoxAddress{Version: raw[0], Hash: raw[1:]}
	if text, ok := address.Text(a.bitcoinNetwork()); ok {
		return &text
	}
	return nil
}

// bitcoinNetwork returns the Bitcoin network whose addresses the answers show.
func (a *api) bitcoinNetwork() bitcoin.Network {
	if a.mainnet() {
		return bitcoin.Mainnet
	}
	return bitcoin.Testnet
}
