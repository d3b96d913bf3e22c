package stacking

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/c32"
	"strata/domain/shard"
	"strata/domain/transaction/key"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

const poxSignersLimit = 100

type poxSignersInput struct {
	PoxCycleInput
	Limit  int   `query:"limit" minimum:"0" maximum:"250" default:"100" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the first row."`
	page.NumberCursor
}

// signingKey is a compressed public key in a request, with or without 0x.
type signingKey string

// Schema implements huma.SchemaProvider.
func (signingKey) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(0x)?[a-fA-F0-9]{66}$`), Description: "A compressed public key, 33 bytes in hex."}
}

// bytes returns the decoded key; nil when it is not valid hex, which the pattern rules out.
func (k signingKey) bytes() []byte {
	raw, err := hex.DecodeString(strings.TrimPrefix(string(k), "0x"))
	if err != nil {
		return nil
	}
	return raw
}

// PoxSignerInput names a signer of a reward cycle.
type PoxSignerInput struct {
	PoxCycleInput
	Key signingKey `path:"signer_key"`
}

// poxSigner is a signer of a reward cycle.
type poxSigner struct {
	SigningKey           view.HexText  `json:"signing_key"`
	SignerAddress        string        `json:"signer_address" doc:"The Stacks address of the key."`
	Weight               int64         `json:"weight"`
	StackedAmount        schema.Amount `json:"stacked_amount" doc:"µSTX"`
	WeightPercent        float64       `json:"weight_percent"`
	StackedAmountPercent float64       `json:"stacked_amount_percent"`
	PooledStackerCount   int64         `json:"pooled_stacker_count"`
	SoloStackerCount     int64         `json:"solo_stacker_count"`
}

// poxSignerRow is a signer as the tables store it.
type poxSignerRow struct {
	poxSigner
	place int64 // position in the cycle, by weight
	key   []byte
}

func poxSignerColumns(r *poxSignerRow) []any {
	return []any{&r.place, &r.key, &r.Weight, &r.StackedAmount, &r.WeightPercent, &r.StackedAmountPercent, &r.PooledStackerCount, &r.SoloStackerCount}
}

// poxSignerSQL selects the columns of the signer s of the cycle c. It divides weights as float8 before it multiplies,
// as the reference does, so that the last digits agree. The shares of amounts are numerics, which round once.
const poxSignerSQL = `{pox.signer s, pox.cycle c}, s.place::bigint, s.signing_key, s.weight, s.stacked::text,
	coalesce(s.weight::float8 / nullif(c.total_weight, 0)::float8 * 100, 0), coalesce(s.stacked * 100 / nullif(c.total_stacked, 0), 0)::float8,
	s.pooled::bigint, s.solo::bigint`

// shape returns the signer with its key and the address of the key on mainnet or testnet.
func (r *poxSignerRow) shape(mainnet bool) poxSigner {
	signer := r.poxSigner
	version := c32.TestnetSingle
	if mainnet {
		version = c32.MainnetSingle
	}
	signer.SigningKey = view.HexOf(r.key)
	signer.SignerAddress = c32.Address{Version: version, Hash160: key.Hash160(r.key)}.String()
	return signer
}

func (a *api) registerPoxSigners() {
	dependencies := engine.On("pox", shard.Cycles)
	const counted = "Stackers are those who locked STX for the cycle before its set was computed, alone with this key or in a pool that committed to it. "
	engine.Get(a.Engine, engine.Operation{
		ID: "list-pox-cycle-signers", Path: "/extended/v2/pox/cycles/{cycle_number}/signers", Tag: "Stacking", Summary: "The signers of a reward cycle, the heaviest first",
		Description: counted + "`prev_cursor` leads to the following page, `next_cursor` to the preceding one.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Dependencies: dependencies,
	}, a.listPoxSigners)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-pox-cycle-signer", Path: "/extended/v2/pox/cycles/{cycle_number}/signers/{signer_key}", Tag: "Stacking", Summary: "A signer of a reward cycle",
		Description: counted,
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Dependencies: dependencies,
	}, func(ctx context.Context, s *engine.Snapshot, in *PoxSignerInput) (*poxSigner, error) {
		row, err := findPoxSigner(ctx, s, in, "Not found")
		if err != nil {
			return nil, err
		}
		signer := row.shape(a.mainnet())
		return &signer, nil
	})
}

// mainnet reports whether the archive is of mainnet. All other networks have the same address versions.
func (a *api) mainnet() bool { return a.Config.Network == engine.NetworkDefault }

func (a *api) listPoxSigners(ctx context.Context, s *engine.Snapshot, in *poxSignersInput) (*page.NumberedPage[poxSigner], error) {
	missing := engine.NotFound("PoX cycle not found")
	if s.Active("pox") == nil {
		return nil, missing
	}
	p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, poxSignersLimit), Number: in.Number()}
	var signers int64
	b := s.Batch()
	total := engine.Query(b, func(*struct{}) []any { return []any{&signers} }, `SELECT {pox.cycle c}, total_signers::bigint FROM {pox}.cycle c WHERE cycle_number = $1`, in.Cycle)
	found := engine.Query(b, poxSignerColumns, `
		SELECT `+poxSignerSQL+` FROM {pox}.cycle c JOIN {pox}.signer s ON s.cycle_number = c.cycle_number
		CROSS JOIN LATERAL (SELECT c.total_signers - least(c.total_signers, $2::bigint) + $3::bigint AS passed) page
		WHERE c.cycle_number = $1 AND s.place > page.passed AND s.place <= page.passed + $4::bigint ORDER BY s.place`,
		in.Cycle, p.Number, min(p.Offset, page.OffsetMax), int64(p.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(total.Rows) == 0 {
		return nil, missing
	}
	page := page.NewNumberedPage[poxSigner](p, headOf(p, signers))
	for i := range found.Rows {
		page.Results = append(page.Results, found.Rows[i].shape(a.mainnet()))
	}
	return page, nil
}

// findPoxSigner finds a signer of a cycle.
func findPoxSigner(ctx context.Context, s *engine.Snapshot, in *PoxSignerInput, missing string) (*poxSignerRow, error) {
	noCycle := engine.NotFound("PoX cycle not found")
	if s.Active("pox") == nil {
		return nil, noCycle
	}
	b := s.Batch()
	cycle := engine.Query(b, page.NumberColumn, `SELECT {}, cycle_number FROM {pox}.cycle WHERE cycle_number = $1`, in.Cycle)
	found := engine.Query(b, poxSignerColumns, `
		SELECT `+poxSignerSQL+` FROM {pox}.cycle c JOIN {pox}.signer s ON s.cycle_number = c.cycle_number
		WHERE c.cycle_number = $1 AND s.signing_key = $2`, in.Cycle, in.Key.bytes())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(cycle.Rows) == 0 {
		return nil, noCycle
	}
	row, ok := found.First()
	if !ok {
		return nil, engine.NotFound("%s", missing)
	}
	return &row, nil
}

var tracedSigner = &engine.TraceTable{
	Projection: "pox", Name: "signer", Key: "cycle_number place", Values: "signing_key:hex weight stacked:text solo pooled height",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_set/signers']`}},
}
