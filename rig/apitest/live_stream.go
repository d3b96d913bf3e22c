package apitest

import (
	"fmt"
	"strings"

	"strata/projections/accounts"
	"strata/projections/chain"
)

// inSchemas puts the schemas of projections in the place of their names.
func InSchemas(sql string) string {
	return strings.NewReplacer("{chain}", fmt.Sprintf("chain_v%d", chain.Version), "{accounts}", fmt.Sprintf("accounts_v%d", accounts.Version)).Replace(sql)
}
