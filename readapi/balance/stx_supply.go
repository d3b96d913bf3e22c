package balance

import (
	"context"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// supplyIn2050 is the projected supply in the year 2050, in µSTX. It is a constant that the reference returns, too.
const supplyIn2050 = "2318000000000000"

// SupplyInput holds the query parameters of the supply at a block.
type SupplyInput struct {
	Height     param.OptionalHeight `query:"height" doc:"Answer for the supply after the block at this height; default: the newest block."`
	Unanchored bool                 `query:"unanchored" default:"false" doc:"Accepted, but has no effect: microblocks no longer exist."`
}

type plainSupplyInput struct {
	Unanchored bool `query:"unanchored" default:"false" doc:"Accepted, but has no effect: microblocks no longer exist."`
}

// stxSupply is the supply of STX. Vesting STX are minted when they unlock, so the whole supply is always unlocked.
type stxSupply struct {
	UnlockedPercent string `json:"unlocked_percent" example:"100.00"`
	Total           string `json:"total_stx" doc:"STX with six decimals." example:"1321500000.000000"`
	In2050          string `json:"total_stx_year_2050"`
	Unlocked        string `json:"unlocked_stx"`
	BlockHeight     int64  `json:"block_height"`
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
}

type supplyV3 struct {
	Total  schema.Amount `json:"total" doc:"µSTX"`
	In2050 schema.Amount `json:"projected_total_2050" doc:"µSTX"`
}

// assetSupply is the supply of an asset after a block.
type assetSupply struct {
	kind    string // stx, ft or nft
	supply  string // base units
	holders int64
}

// supplySQL reads the supply of the asset $1 after the block at height $2.
const supplySQL = `
	SELECT {balances.asset a}, (a.minted - a.burned + a.rewards)::text, a.holders, a.kind
	FROM {balances}.asset a WHERE a.asset = $1 AND a.height <= $2 ORDER BY a.height DESC LIMIT 1`

func supplyColumns(r *assetSupply) []any {
	return []any{&r.supply, &r.holders, &r.kind}
}

// tracedAsset traces the supply of assets. A row sums up all blocks up to its own; the ledger has the single changes.
var tracedAsset = &engine.TraceTable{
	Projection: "balances", Name: "asset", Key: "asset height", Values: "holders mints minted:text burned:text rewards:text",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}

func (a *api) registerSupply() {
	const about = "The supply is all STX that were minted, minus those that were burned, plus the coinbases of miners. Fees do not change it. "
	operation := func(id, path, summary string) engine.Operation {
		return engine.Operation{
			ID: id, Path: "/extended/v1/stx_supply" + path, Tag: "Tokens", Summary: summary, Description: about + engine.Instead("/extended/v3/tokens/stx/supply"),
			Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
		}
	}
	engine.Get(a.Engine, operation("get-stx-supply", "", "Supply of STX"), func(ctx context.Context, s *engine.Snapshot, in *SupplyInput) (*stxSupply, error) {
		row, height, err := readSTXSupply(ctx, s, in.Height)
		if err != nil {
			return nil, err
		}
		total := formatSTX(row.supply)
		return &stxSupply{"100.00", total, formatSTX(supplyIn2050), total, height}, nil
	})
	engine.Get(a.Engine, operation("get-stx-supply-legacy", "/legacy_format", "Supply of STX, in an older format"), func(ctx context.Context, s *engine.Snapshot, in *SupplyInput) (*legacySupply, error) {
		row, height, err := readSTXSupply(ctx, s, in.Height)
		if err != nil {
			return nil, err
		}
		total, later := formatSTX(row.supply), formatSTX(supplyIn2050)
		return &legacySupply{"100.00", total, withCommas(total), later, withCommas(later), total, withCommas(total), strconv.FormatInt(height, 10)}, nil
	})
	for _, kind := range []string{"total", "circulating"} {
		r := operation("get-stx-supply-"+kind+"-plain", "/"+kind+"/plain", "Supply of STX, as plain text")
		r.ContentType = supplyText
		engine.Get(a.Engine, r, func(ctx context.Context, s *engine.Snapshot, _ *plainSupplyInput) (*engine.File, error) {
			row, _, err := readSTXSupply(ctx, s, "")
			if err != nil {
				return nil, err
			}
			text := []byte(formatSTX(row.supply))
			return &engine.File{ContentType: supplyText, Head: text, Size: int64(len(text))}, nil
		})
	}
	v3 := operation("get-stx-supply-v3", "", "Supply of STX, in µSTX")
	v3.Path, v3.Description, v3.Deprecated = "/extended/v3/tokens/stx/supply", about, false
	engine.Get(a.Engine, v3, func(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*supplyV3, error) {
		row, _, err := readSTXSupply(ctx, s, "")
		if err != nil {
			return nil, err
		}
		return &supplyV3{schema.Amount(row.supply), supplyIn2050}, nil
	})
}

const supplyText = "text/plain; charset=utf-8"

// readSTXSupply reads the supply of STX after the block at a height, by default the newest block.
func readSTXSupply(ctx context.Context, s *engine.Snapshot, at param.OptionalHeight) (row *assetSupply, height int64, err error) {
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
	row = &assetSupply{supply: "0"}
	if r, ok := found.First(); ok {
		row = &r
	}
	return row, height, nil
}

// formatSTX formats an amount of µSTX as STX with six decimals.
func formatSTX(micro string) string {
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

// withCommas groups the digits of the integer part by thousands.
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
