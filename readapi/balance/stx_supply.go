package balance

import (
	"context"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// supplyIn2050 is how many µSTX there will be in the year 2050, as APIs have always told it.
const supplyIn2050 = "2318000000000000"

// SupplyInput says at which block the supply is asked for.
type SupplyInput struct {
	Height     param.OptionalHeight `query:"height" doc:"Of the block after which there is so much; default: the newest."`
	Unanchored bool                 `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
}

type plainSupplyInput struct {
	Unanchored bool `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
}

// stxSupply is how many STX there are. What is locked by vesting is minted when it is unlocked, so all of it is unlocked.
type stxSupply struct {
	UnlockedPercent string `json:"unlocked_percent" example:"100.00"`
	Total           string `json:"total_stx" doc:"STX with six decimals." example:"1321500000.000000"`
	In2050          string `json:"total_stx_year_2050"`
	Unlocked        string `json:"unlocked_stx"`
	BlockHeight     int64  `json:"block_height"`

	row *suppliedAsset
}

type legacySupply struct {
	UnlockedPercent   string `json:"unlockedPercent"`
	Total             string `json:"totalStacks"`
	TotalFormatted    string `json:"totalStacksFormatted" doc:"With commas."`
	In2050            string `json:"totalStacksYear2050"`
	In2050Formatted   string `json:"totalStacksYear2050Formatted"`
	Unlocked          string `json:"unlockedSupply"`
	UnlockedFormatted string `json:"unlockedSupplyFormatted"`
	BlockHeight       string `json:"blockHeight"`

	row *suppliedAsset
}

type supplyV3 struct {
	Total  schema.Amount `json:"total" doc:"µSTX"`
	In2050 schema.Amount `json:"projected_total_2050" doc:"µSTX"`

	row *suppliedAsset
}

// suppliedAsset is what there is of an asset after a block.
type suppliedAsset struct {
	asset   string
	height  int64  // of the block that changed it last
	supply  string // base units
	holders int64
}

// supplySQL reads what there is of the asset $1 after the block at height $2.
const supplySQL = `
	SELECT ARRAY[source_seq], asset, height, (minted - burned + rewards)::text, holders
	FROM {balances}.asset WHERE asset = $1 AND height <= $2 ORDER BY height DESC LIMIT 1`

func supplyColumns(r *suppliedAsset) []any { return []any{&r.asset, &r.height, &r.supply, &r.holders} }

// tracedAsset is what there is of assets. It follows from all blocks up to one, which the ledger has one by one.
var tracedAsset = &engine.TraceTable{
	Projection: "balances", Name: "asset", Key: "asset height", Values: "holders mints minted:text burned:text rewards:text",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}

func (r *suppliedAsset) lookups() []engine.Lookup {
	if r == nil || r.asset == "" {
		return nil
	}
	return []engine.Lookup{{Name: "asset", Table: tracedAsset, Where: `t.asset = $1 AND t.height = $2::bigint`, Args: []any{r.asset, r.height}, Order: `t.height DESC`}}
}

func (a *api) registerSupply() {
	const about = "What was minted, less what was burned, and the coinbases that miners got. Fees are part of it: they move what is there. "
	of := func(id, path, summary string) engine.Operation {
		return engine.Operation{
			ID: id, Path: "/extended/v1/stx_supply" + path, Tag: "Tokens", Summary: summary, Description: about + engine.Instead("/extended/v3/tokens/stx/supply"),
			Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Class: answer.Tip, DependsOn: engine.OnTip("balances"), Deprecated: true,
		}
	}
	engine.Get(a.Engine, of("get-stx-supply", "", "How many STX there are"), func(ctx context.Context, s *engine.Snapshot, in *SupplyInput) (*stxSupply, error) {
		row, height, err := supplyOfSTX(ctx, s, in.Height)
		if err != nil {
			return nil, err
		}
		total := stxText(row.supply)
		return &stxSupply{"100.00", total, stxText(supplyIn2050), total, height, row}, nil
	})
	engine.Get(a.Engine, of("get-stx-supply-legacy", "/legacy_format", "How many STX there are, in an older form"), func(ctx context.Context, s *engine.Snapshot, in *SupplyInput) (*legacySupply, error) {
		row, height, err := supplyOfSTX(ctx, s, in.Height)
		if err != nil {
			return nil, err
		}
		total, later := stxText(row.supply), stxText(supplyIn2050)
		return &legacySupply{"100.00", total, withCommas(total), later, withCommas(later), total, withCommas(total), strconv.FormatInt(height, 10), row}, nil
	})
	for _, which := range []string{"total", "circulating"} {
		r := of("get-stx-supply-"+which+"-plain", "/"+which+"/plain", "How many STX there are, as text")
		r.ContentType = supplyText
		engine.Get(a.Engine, r, func(ctx context.Context, s *engine.Snapshot, _ *plainSupplyInput) (*engine.File, error) {
			row, _, err := supplyOfSTX(ctx, s, "")
			if err != nil {
				return nil, err
			}
			text := []byte(stxText(row.supply))
			return &engine.File{ContentType: supplyText, Head: text, Size: int64(len(text))}, nil
		})
		engine.Trace(a.Engine, r.ID, func(ctx context.Context, s *engine.Snapshot, _ *plainSupplyInput, _ *engine.File) ([]engine.Lookup, error) {
			row, _, err := supplyOfSTX(ctx, s, "")
			if err != nil {
				return nil, nil // it was not found
			}
			return row.lookups(), nil
		})
	}
	v3 := of("get-stx-supply-v3", "", "How many µSTX there are")
	v3.Path, v3.Description, v3.Deprecated = "/extended/v3/tokens/stx/supply", about, false
	engine.Get(a.Engine, v3, func(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*supplyV3, error) {
		row, _, err := supplyOfSTX(ctx, s, "")
		if err != nil {
			return nil, err
		}
		return &supplyV3{schema.Amount(row.supply), supplyIn2050, row}, nil
	})
	engine.Trace(a.Engine, "get-stx-supply", func(_ context.Context, _ *engine.Snapshot, _ *SupplyInput, out *stxSupply) ([]engine.Lookup, error) {
		if out == nil {
			return nil, nil
		}
		return out.row.lookups(), nil
	})
	engine.Trace(a.Engine, "get-stx-supply-legacy", func(_ context.Context, _ *engine.Snapshot, _ *SupplyInput, out *legacySupply) ([]engine.Lookup, error) {
		if out == nil {
			return nil, nil
		}
		return out.row.lookups(), nil
	})
	engine.Trace(a.Engine, v3.ID, func(_ context.Context, _ *engine.Snapshot, _ *struct{}, out *supplyV3) ([]engine.Lookup, error) {
		if out == nil {
			return nil, nil
		}
		return out.row.lookups(), nil
	})
}

const supplyText = "text/plain; charset=utf-8"

// supplyOfSTX is what there is after the block at a height; empty is the newest.
func supplyOfSTX(ctx context.Context, s *engine.Snapshot, at param.OptionalHeight) (row *suppliedAsset, height int64, err error) {
	tip, ok := s.Tip("balances")
	if !ok {
		return nil, 0, engine.ErrNoChain
	}
	if height = at.Height(*tip.Height); height > *tip.Height {
		return nil, 0, engine.NotFound("no block at height: %d", height)
	}
	b := s.Batch()
	found := engine.Query(b, supplyColumns, supplySQL, "stx", height)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	if r, ok := found.First(); ok {
		return &r, height, nil
	}
	return &suppliedAsset{supply: "0"}, height, nil
}

// stxText is an amount of µSTX in STX, with six decimals.
func stxText(micro string) string {
	n, ok := new(big.Int).SetString(micro, 10)
	if !ok {
		return micro
	}
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
		n.Neg(n)
	}
	digits := n.String()
	if len(digits) < 7 {
		digits = strings.Repeat("0", 7-len(digits)) + digits
	}
	return sign + digits[:len(digits)-6] + "." + digits[len(digits)-6:]
}

// withCommas puts commas between thousands.
func withCommas(decimal string) string {
	whole, fraction, _ := strings.Cut(decimal, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 && whole[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String() + "." + fraction
}
