package search_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"strata/domain/token"
	"strata/projections/brc20"
	"strata/rig/apitest"
)

// Names, symbols and tickers are found by their beginnings, in any case; they may have spaces and signs.
func TestTokensByBeginnings(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	spec := brc20.Spec()
	s.Exec(spec.DDL())
	s.Exec(`INSERT INTO strata.projection (name, version, input, state, block_height, index_block_hash, block_hash, burn_block_height)
		VALUES ($1, $2, 'ordinals_v1', 'live', 9, $3, $3, 9)`, spec.Name, spec.Version, apitest.ID(1, 1))
	s.Exec(`INSERT INTO strata.active (name, version) VALUES ($1, $2)`, spec.Name, spec.Version)
	contract := func(n int) string { return fmt.Sprintf("%s.coin-%02d", apitest.Account(1), n) }
	add := func(n int, asset, name, symbol any) {
		s.Contract(token.FT, contract(n), apitest.Columns{"fungible_token": asset})
		s.Read(token.FT, contract(n), "1", apitest.Columns{"name": name, "symbol": symbol})
	}
	add(1, "coin", "USD Coin", "aUSDC")
	add(2, "coin", "usdc", "USDC")
	add(3, nil, "$ Money #1", nil)
	add(4, "coin", "Wrapped USDC", "U\U0010ffff")
	add(5, "coin", nil, "USDC.e")
	add(6, "coin", "u\U0010ffff\U0010ffff", "")
	s.Contract(token.FT, contract(7), nil)
	s.Unread(token.FT, contract(7), "1", apitest.Columns{"name_key": "1", "symbol_key": "1"})
	for i, tick := range []string{"ORDI", "ordx", "or d", "$#%_", "🔥", "or🔥"} {
		s.Exec(`INSERT INTO `+spec.String()+`.token (height, tx_index, source_seq, tx_count, holders, ticker, tick, id, txid, address, max_supply, minted)
			VALUES ($1, 0, 1, 1, 0, $2, $3, $4, $5, 'bc1q', 1, 0)`, 800_000+i, strings.ToLower(tick), tick, fmt.Sprint(i, "i0"), apitest.ID(2, i))
	}
	s.Exec(`INSERT INTO ` + spec.String() + `.token (tx_count, holders, ticker, minted) VALUES (1, 0, 'ordz', 0)`) // its deploy is unknown
	found := func(term, types string) string {
		rows, _ := s.RowsAt("/extended/v3/search?q="+url.QueryEscape(term)+"&type="+types, func(row any) string {
			result := row.(map[string]any)["result"].(map[string]any)
			if ticker, ok := result["ticker"]; ok {
				return fmt.Sprint(ticker)
			}
			return strings.TrimPrefix(fmt.Sprint(result["contract_id"]), apitest.Account(1)+".coin-0")
		})
		return strings.Join(rows, ",")
	}
	for term, want := range map[string]string{
		"usd": "1,2,5", "USDC": "2,5", "usdc.E": "5", "usd c": "1", "$": "3", "$ money #": "3", "money": "", "u\U0010ffff": "4,6", "wrapped": "4", "1": "", "%": "", "_": "",
	} {
		if got := found(term, "token_metadata"); got != want {
			t.Errorf("%q: got tokens %s, want %s", term, got, want)
		}
	}
	for term, want := range map[string]string{
		"or": "or d,ORDI,ordx,or🔥", "ORD": "ORDI,ordx", "or d": "or d", "$#": "$#%_", "🔥": "🔥", "rdi": "", "%": "", "ordinals": "", "ordz": "",
	} {
		if got := found(term, "brc20_token"); got != want {
			t.Errorf("%q: got tickers %s, want %s", term, got, want)
		}
	}
	if got := found("u", "token_metadata,brc20_token"); got != "1,2,5,4,6" {
		t.Errorf("got %s", got)
	}
	for _, term := range []string{"ordi", "usdc"} {
		s.ExpectTexts("/extended/v3/search?q="+term, http.StatusOK, `{"results":[]}`)
	}
	for _, target := range []string{"/extended/v3/search?q=%24", "/extended/v3/search?q=%24&type=token,name", "/extended/v3/search?q=+&type=brc20_token"} {
		s.ExpectTexts(target, http.StatusBadRequest, "The term is not a block or transaction hash")
	}
	s.ExpectTexts("/extended/v3/search?q=%24&type=token_metadata", http.StatusOK, `"asset_identifier":"`+contract(3)+`"`, `"asset_type":"ft"`, `"name":"$ Money #1"`, `"symbol":null`)
	for n := 10; n < 40; n++ { // of many, what equals the term comes first
		add(n, "coin", fmt.Sprintf("usdc %d", n), "usdc2")
	}
	if got := found("usdc", "token_metadata"); !strings.HasPrefix(got, "2,") || strings.Count(got, ",") != 19 {
		t.Errorf("got %s", got)
	}
}
