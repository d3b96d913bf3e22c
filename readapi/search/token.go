package search

import (
	"context"
	"strings"

	"strata/domain/hash"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// takesAnyText reports whether a type is searched of which any text may be a beginning: names of tokens and tickers may have
// spaces and signs.
func (in *searchV3Input) takesAnyText() bool {
	return in.text() != "" && (in.wants(typeTokenMetadata) || in.wants(typeBRC20Token))
}

// metadataMatch is a token found by what its contract answers. The index holds fungible tokens only: contracts of others have
// no names for them, and the names in documents have no index.
type metadataMatch struct {
	AssetIdentifier string  `json:"asset_identifier"`
	AssetType       string  `json:"asset_type" enum:"ft"`
	ContractID      string  `json:"contract_id"`
	Name            *string `json:"name" doc:"As its contract answers; null if unknown."`
	Symbol          *string `json:"symbol" doc:"As its contract answers; null if unknown."`
}

type brc20Match struct {
	Ticker      string `json:"ticker" doc:"As spelled by the deploy."`
	ID          string `json:"id" doc:"Id of the inscription that deployed the token."`
	Number      *int64 `json:"number" doc:"Number of that inscription; null when the feed has not given it."`
	BlockHeight int64  `json:"block_height" doc:"Height of the deploy's Bitcoin block."`
	TxID        string `json:"tx_id" doc:"Id of the deploy's Bitcoin transaction."`
	Address     string `json:"address" doc:"The address that deployed the token."`
}

// metadataRow is a fungible token whose name or symbol begins with a text.
type metadataRow struct {
	contract                            string
	fungible, nonFungible, name, symbol *string
	whole                               bool // the name or the symbol is the text
}

func metadataColumns(r *metadataRow) []any {
	return []any{&r.contract, &r.fungible, &r.nonFungible, &r.name, &r.symbol, &r.whole}
}

// findTokens finds fungible tokens by their names and symbols, which only a search for their type does.
func findTokens(ctx context.Context, s *engine.Snapshot, in *searchV3Input, _ *term, found *matches) error {
	if in.text() == "" || !in.wants(typeTokenMetadata) || s.Active(string(token.FT)) == nil {
		return nil
	}
	keysOf := func(column string) string {
		return strings.ReplaceAll(`(
				SELECT t.contract_id, t.token_id, t.{key} AS key FROM {ft}.token t
				WHERE t.{key} >= $1 AND t.{key} < $2 ORDER BY t.{key}, t.contract_id COLLATE "C" LIMIT $3
			)`, "{key}", column)
	}
	prefix := view.TokenKey(in.text())
	b := s.Batch()
	rows := engine.Query(b, metadataColumns, `
		SELECT {ft.token t, ft.contract c}, c.contract_id, c.fungible_token, c.non_fungible_token, t.name, t.symbol, f.key = $1
		FROM (
			SELECT contract_id, token_id, min(key) AS key
			FROM (`+keysOf("name_key")+` UNION ALL `+keysOf("symbol_key")+`) keys
			GROUP BY contract_id, token_id ORDER BY key, contract_id COLLATE "C" LIMIT $3
		) f
		CROSS JOIN LATERAL (SELECT * FROM {ft}.token t WHERE t.contract_id = f.contract_id AND t.token_id = f.token_id LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {ft}.contract c WHERE c.contract_id = f.contract_id LIMIT 1) c
		ORDER BY f.key, f.contract_id COLLATE "C"`, prefix, param.AfterPrefix(prefix), most)
	if err := b.Run(ctx); err != nil {
		return err
	}
	for _, r := range rows.Rows {
		found.add(rankOfBeginning(r.whole), metadataResult{typeTokenMetadata, metadataMatch{
			view.TokenAsset(r.contract, r.fungible, r.nonFungible), string(token.FT), r.contract, r.name, r.symbol,
		}})
	}
	return nil
}

// brc20Row is a deployed BRC-20 token.
type brc20Row struct {
	brc20Match
	tx     hash.Hash32
	ticker string // in small letters
}

func brc20Columns(r *brc20Row) []any {
	return []any{&r.Ticker, &r.ID, &r.Number, &r.BlockHeight, &r.tx, &r.Address, &r.ticker}
}

// findBRC20Tokens finds deployed BRC-20 tokens by their tickers, which only a search for their type does.
func findBRC20Tokens(ctx context.Context, s *engine.Snapshot, in *searchV3Input, _ *term, found *matches) error {
	if in.text() == "" || !in.wants(typeBRC20Token) || s.Active("brc20") == nil {
		return nil
	}
	prefix := strings.ToLower(in.text())
	b := s.Batch()
	// Tokens whose deploy the feed lacks are passed over, up to namesMost.
	rows := engine.Query(b, brc20Columns, `
		SELECT {brc20.token t}, t.tick, t.id, t.number, t.height, t.txid, t.address, t.ticker
		FROM (SELECT * FROM {brc20}.token t WHERE t.ticker >= $1 AND t.ticker < $2 ORDER BY t.ticker LIMIT $3) t
		WHERE t.height IS NOT NULL ORDER BY t.ticker LIMIT $4`, prefix, param.AfterPrefix(prefix), namesMost, most)
	if err := b.Run(ctx); err != nil {
		return err
	}
	for _, r := range rows.Rows {
		r.TxID = ordinal.Bare(r.tx)
		found.add(rankOfBeginning(r.ticker == prefix), brc20Result{typeBRC20Token, r.brc20Match})
	}
	return nil
}
