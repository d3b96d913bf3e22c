package token_test

import (
	"encoding/hex"
	"fmt"
	"strings"

	"strata/domain/document"
	"strata/domain/token"
	"strata/rig/apitest"
)

func imageLink(uri string) string {
	return apitest.Images + "/images/" + hex.EncodeToString(apitest.URIHash(uri))
}

func counter(s *apitest.Site, kind token.Kind, name string, n int) {
	s.T.Helper()
	s.Exec(`INSERT INTO `+string(kind)+`_v1.counter (name, n) VALUES ($1, $2)`, name, n)
}

// stretches fills the table from the tokens that there are, with so many to a stretch.
func stretches(s *apitest.Site, size int) {
	s.T.Helper()
	s.Exec(`DELETE FROM ft_v1.stretch`)
	for _, list := range []string{"name", "symbol"} {
		s.Exec(strings.ReplaceAll(`
			INSERT INTO ft_v1.stretch (list, n, first_key, first_contract)
			SELECT '{list}', count(*), CASE WHEN stretch = 0 THEN '' ELSE (array_agg({list}_key ORDER BY place))[1] END,
			       CASE WHEN stretch = 0 THEN '' ELSE (array_agg(contract_id ORDER BY place))[1] END
			FROM (
				SELECT {list}_key, contract_id, row_number() OVER w AS place, (row_number() OVER w - 1) / $1 AS stretch
				FROM ft_v1.token WINDOW w AS (ORDER BY {list}_key, contract_id COLLATE "C")
			) t GROUP BY stretch`, "{list}", list), size)
	}
}

// hello is what the contract of the reference's fungible token says.
var hello = apitest.Columns{"name": "hello-world", "symbol": "HELLO", "decimals": 6, "total_supply": "1"}

// severalTokens adds a fungible token with a document in two languages, and four tokens of a collection, of which the last one failed.
func severalTokens(s *apitest.Site) {
	s.T.Helper()
	d := apitest.FullDocument()
	d.Localization = &document.Localization{URI: "http://test.com/{locale}.json", Default: "en", Locales: []string{"es"}}
	s.Full(token.FT, apitest.P1, d, hello)
	const es = "http://test.com/es.json"
	s.Document(token.FT, es, &document.Document{Description: apitest.Text("prueba")}, nil)
	s.Refer(token.FT, apitest.P1, "1", "document", "es", es)
	s.Contract(token.NFT, apitest.N1, nil)
	for i := range 3 {
		s.Read(token.NFT, apitest.N1, fmt.Sprint(i+1), nil)
	}
	s.Unread(token.NFT, apitest.N1, "4", apitest.Columns{"reason": 109})
}
