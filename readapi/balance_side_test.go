package readapi_test

import (
	"testing"

	"strata/rig/apitest"
)

// The balance of the token stx is that of STX, locked or not.
func TestBalanceOfTokenSTX(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for path, want := range map[string]string{
		"/extended/v2/addresses/" + apitest.Alice + "/balances/ft/stx":                `{"balance":"745"}`,
		"/extended/v2/addresses/" + apitest.Alice + "/balances/ft/stx?until_block=20": `{"balance":"695"}`,
		"/extended/v2/addresses/" + apitest.Account(9) + "/balances/ft/stx":           `{"balance":"0"}`,
		"/extended/v2/addresses/" + apitest.Alice + "/balances/ft":                    `"total":1,"results":[{"token":"` + apitest.Coin + `","balance":"70"}]`,
		"/extended/v3/principals/" + apitest.Alice + "/balances/ft":                   `"results":[{"asset_identifier":"` + apitest.Coin + `","balance":"70"}]`,
	} {
		s.ExpectTexts(path, 200, want)
	}
	s.ExpectTexts("/extended/v3/principals/"+apitest.Alice+"/balances/ft/stx", 400, "params/asset_identifier must match pattern")
}

// In an archive that begins above genesis, an account may have sent tokens that nothing says it received.
func TestTotalOfTokensIsNotNegative(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const holdings, v3 = "/extended/v1/tokens/nft/holdings?principal=", "/extended/v3/principals/"
	s.Change(1, 20, apitest.Bob, apitest.Art, "nft", -1, -1, 1, 0, 0, 0)
	s.Change(1, 20, apitest.Alice, apitest.Alice+".pen::pen", "nft", -4, -4, 4, 0, 0, 0)
	for path, want := range map[string]string{
		holdings + apitest.Bob:                        `"total":0,`,
		holdings + apitest.Alice:                      `"total":1,`,
		v3 + apitest.Bob + "/balances/nft":            `"total":0,`,
		v3 + apitest.Alice + "/balances/nft?limit=10": `"total":1,`,
	} {
		s.ExpectTexts(path, 200, want)
	}
}
