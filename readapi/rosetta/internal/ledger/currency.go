package ledger

import (
	"encoding/hex"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/wire"
)

// Currencies are fungible tokens by their asset identifiers.
type Currencies map[string]wire.Currency

// Of returns the currency of a fungible token. If its contract has told neither symbol nor decimals, the symbol is the
// name of the asset, and there are no decimals.
func (c Currencies) Of(asset string) wire.Currency {
	if known, ok := c[asset]; ok {
		return known
	}
	return wire.Currency{Symbol: assetName(asset), Metadata: &wire.CurrencyMetadata{TokenType: wire.Fungible, AssetIdentifier: asset}}
}

// NonFungible returns the currency of one non-fungible token, of which there is one unit.
func NonFungible(asset string, value []byte) wire.Currency {
	return wire.Currency{
		Symbol:   assetName(asset),
		Metadata: &wire.CurrencyMetadata{TokenType: wire.NonFungible, AssetIdentifier: asset, Value: "0x" + hex.EncodeToString(value)},
	}
}

// assetName returns the part of an asset identifier after its contract.
func assetName(asset string) string {
	if _, name, ok := strings.Cut(asset, "::"); ok && name != "" {
		return name
	}
	return asset
}

// tokenRow is what a contract said of its fungible token.
type tokenRow struct {
	asset, symbol string
	decimals      int32
}

func tokenColumns(r *tokenRow) []any { return []any{&r.asset, &r.symbol, &r.decimals} }

// queueCurrencies adds the query for what the contracts of fungible tokens said of them to a batch. take returns it once
// the batch has run.
func queueCurrencies(s *engine.Snapshot, b *engine.Batch, assets []string) (take func() Currencies) {
	if len(assets) == 0 || s.Active("rosetta") == nil {
		return func() Currencies { return nil }
	}
	found := engine.Query(b, tokenColumns, `
		SELECT ARRAY[c.source_seq], wanted.asset, c.symbol, c.decimals
		FROM unnest($1::text[]) AS wanted (asset)
		JOIN {rosetta}.currency c ON c.contract_id = split_part(wanted.asset, '::', 1)`, assets)
	return func() Currencies {
		known := Currencies{}
		for _, r := range found.Rows {
			known[r.asset] = wire.Currency{
				Symbol: r.symbol, Decimals: r.decimals, Metadata: &wire.CurrencyMetadata{TokenType: wire.Fungible, AssetIdentifier: r.asset},
			}
		}
		return known
	}
}
