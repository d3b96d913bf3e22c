package token_test

import (
	"encoding/hex"
	"strings"

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
