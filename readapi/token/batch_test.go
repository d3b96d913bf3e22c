package token_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/domain/token"
	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

// postBatch posts a body to the operation for many tokens.
func postBatch(s *apitest.Site, path, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	s.API.ServeHTTP(recorder, r)
	return recorder
}

func TestTokenBatch(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	severalTokens(s)
	s.Unread(token.NFT, apitest.N1, "5", nil)

	type result struct {
		ContractID  string      `json:"contract_id"`
		TokenNumber json.Number `json:"token_number"`
		Token       *struct {
			TokenType   string         `json:"token_type"`
			Description string         `json:"description"`
			Metadata    map[string]any `json:"metadata"`
		}
		Error, Message string
	}
	items := []string{apitest.P1, apitest.N1 + ":3", apitest.N1 + ":4", apitest.N1 + ":005", apitest.N1 + ":9", apitest.P2, apitest.N1 + ":1", apitest.N1 + ":340282366920938463463374607431768211456"}
	list, _ := json.Marshal(items)
	read := func(body string) (results []result) {
		t.Helper()
		var decoded struct{ Results []result }
		if err := json.Unmarshal([]byte(body), &decoded); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return decoded.Results
	}
	var bodies []string
	for _, path := range []string{"/metadata/v1/batch", "/metadata/batch"} {
		posted := postBatch(s, path, `{"contracts":`+string(list)+`}`)
		if posted.Code != 200 {
			t.Fatalf("POST %s: got %d %s", path, posted.Code, posted.Body)
		}
		if posted.Header().Get("Strata-Position") == "" || posted.Header().Get("Strata-Source") == "" {
			t.Errorf("POST %s: does not say where it comes from: %v", path, posted.Header())
		}
		got := s.Get(path + "?contract=" + strings.Join(items, "&contract="))
		check.Equal(t, path+": sources", got.Header.Get("Strata-Source"), posted.Header().Get("Strata-Source"))
		bodies = append(bodies, posted.Body.String(), got.Body)
	}
	for _, body := range bodies {
		check.Equal(t, "again", body, bodies[0])
	}
	results := read(bodies[0])
	var got []string
	for _, r := range results {
		kind := ""
		if r.Token != nil {
			kind = r.Token.TokenType
		}
		got = append(got, strings.TrimSpace(fmt.Sprint(r.TokenNumber, " ", kind, r.Error)))
	}
	want := []string{"1 ft", "3 nft", "4 Token error", "5 Token metadata fetch in progress", "9 Token not found", "1 Contract not found", "1 nft", "340282366920938463463374607431768211456 Token not found"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("got %q, want %q", got, want)
	}
	if ft := results[0].Token; ft.Description != "test" || ft.Metadata["sip"] != 16.0 {
		t.Errorf("got %+v", ft)
	}
	localised := read(postBatch(s, "/metadata/v1/batch", `{"contracts":["`+apitest.P1+`"],"locale":"es"}`).Body.String())
	if localised[0].Token == nil || localised[0].Token.Description != "prueba" {
		t.Errorf("got %+v", localised)
	}
	if lacking := read(postBatch(s, "/metadata/v1/batch", `{"contracts":["`+apitest.P1+`"],"locale":"fr"}`).Body.String()); lacking[0].Error != "Locale not found" {
		t.Errorf("got %+v", lacking)
	}
}

func TestTokenBatchRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	const pattern = `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}(:\\d{1,40})?$`
	many := func(n int) string {
		return `{"contracts":["` + apitest.P1 + strings.Repeat(`","`+apitest.P1, n-1) + `"]}`
	}
	for _, tc := range []struct{ body, want string }{
		{`[]`, "body must be object"},
		{`{`, "body must be object"},
		{`{}`, "body must have required property 'contracts'"},
		{`{"contracts":"x"}`, "body/contracts must be array"},
		{`{"contracts":null}`, "body/contracts must be array"},
		{`{"contracts":[]}`, "body/contracts must NOT have fewer than 1 items"},
		{`{"contracts":[1]}`, "body/contracts/0 must be string"},
		{`{"contracts":["` + apitest.P1 + `","x"]}`, `body/contracts/1 must match pattern \"` + pattern + `\"`},
		{`{"contracts":["` + apitest.P1 + `"],"locale":1}`, "body/locale must be string"},
		{`{"contracts":["` + apitest.P1 + `"],"locale":"\u0000"}`, "body/locale must be string"},
		{many(201), "body/contracts must NOT have more than 200 items"},
	} {
		if got := postBatch(s, "/metadata/v1/batch", tc.body); got.Code != 400 || got.Body.String() != apitest.Invalid(tc.want) {
			t.Errorf("%.80s: got %d %s, want %s", tc.body, got.Code, got.Body, tc.want)
		}
	}
	if got := postBatch(s, "/metadata/v1/batch", many(200)); got.Code != 200 || strings.Count(got.Body.String(), "Contract not found") != 200 {
		t.Errorf("200 items: got %d %s", got.Code, got.Body)
	}
	s.Expect("/metadata/v1/batch?contract="+apitest.P1+strings.Repeat("&contract="+apitest.P1, 50), 400, apitest.Invalid("querystring/contract must NOT have more than 50 items"))
}

// The list shows the tokens of the contracts that a request names, in its own order and with their total.
func TestListOfContracts(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	memes(s)
	const mia, stsw = "SP1H1733V5MZ3SZ9XRW9FKYGEZT0JDGEB8Y634C7R.miamicoin-token-v2", "SPVA5J91J3A1JYMR5ZSZ7M6SN7RXYWM5WZX2HBM9.stsw-token-v4a"
	for _, tc := range []struct {
		query, want string
		total       int
	}{
		{"?contract=" + stsw, stsw, 1},
		{"?contract=" + stsw + "&contract=" + mia, mia + "," + stsw, 2},
		{"?contract=" + stsw + "&contract=" + mia + "&order=desc&limit=1", stsw, 2},
		{"?contract=" + stsw + "&contract=" + mia + "&symbol=mia", mia, 1},
		{"?contract=" + apitest.P1, "", 0},
	} {
		page := list(s, tc.query)
		var got []string
		for _, r := range page.Results {
			got = append(got, r.Contract)
		}
		if strings.Join(got, ",") != tc.want || page.Total != tc.total {
			t.Errorf("%s: got %v of %d, want %s of %d", tc.query, got, page.Total, tc.want, tc.total)
		}
	}
}
