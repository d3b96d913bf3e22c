package token_test

import (
	"encoding/json"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// What is answered is what is documented, and the operations have the names that clients of token-metadata-api know.
func TestDocumentedMetadata(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.TokenTip(7)
	memes(s)
	d := apitest.FullDocument()
	d.Localization = &document.Localization{URI: "http://m.io/{locale}", Default: "en", Locales: []string{"es"}}
	s.Full(token.NFT, apitest.N1, d, nil)
	s.Full(token.SFT, apitest.P2, d, apitest.Columns{"decimals": 2, "total_supply": "5"})
	s.Full(token.FT, apitest.P1, d, hello)
	s.Want(token.FT, apitest.TokenWant(token.FT, apitest.P1, 1), fetch.Wrong, 1)
	s.Exec(`UPDATE ft_v1.token SET failed_seq = 300, reason = 109`)
	var description struct {
		Paths map[string]map[string]struct {
			OperationID string
			Tags        []string
			Responses   map[string]struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
		Components struct{ Schemas map[string]any }
	}
	must.Do(t, json.Unmarshal([]byte(s.Get("/openapi.json").Body), &description))
	for _, tc := range []struct{ path, target, id string }{
		{"", "", "getApiStatus"},
		{"/ft", "/ft", "getFungibleTokens"},
		{"/ft/{principal}", "/ft/" + apitest.P1, "getFtMetadata"},
		{"/nft/{principal}/{token_id}", "/nft/" + apitest.N1 + "/1", "getNftMetadata"},
		{"/sft/{principal}/{token_id}", "/sft/" + apitest.P2 + "/1", "getSftMetadata"},
		{"/search", "/search?contract=" + apitest.P1, "searchTokens"},
		{"/ft/{principal}/provenance", "/ft/" + apitest.P1 + "/provenance", "getFtProvenance"},
	} {
		op := description.Paths["/metadata/v1"+tc.path]["get"]
		if wantTag := map[bool]string{true: "Status", false: "Tokens"}[tc.path == ""]; op.OperationID != tc.id || len(op.Tags) != 1 || op.Tags[0] != wantTag {
			t.Errorf("%s: got operation %s with tags %v, want %s with %s", tc.path, op.OperationID, op.Tags, tc.id, wantTag)
		}
		var body any
		must.Do(t, json.Unmarshal([]byte(s.Get("/metadata/v1"+tc.target).Body), &body))
		apitest.Matches(t, description.Components.Schemas, op.Responses["200"].Content["application/json"].Schema, body, tc.target)
	}
	for path := range description.Paths {
		if strings.HasPrefix(path, "/metadata/") && !strings.HasPrefix(path, "/metadata/v1") {
			t.Errorf("%s is documented; the paths without a version are the same resources", path)
		}
	}
}
