package readapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/readapi"
)

// Whatever is asked, the answer is one of those that are documented; 503 because there is no database here.
func FuzzRequest(f *testing.F) {
	pool := must.Get(pgxpool.New(f.Context(), "postgres://localhost:1/none"))(f)
	pool.Close()
	api := readapi.New(readapi.Config{Pool: pool})
	for _, target := range []string{
		"/extended", "/extended/v2/blocks?limit=0&offset=-1&cursor=0x", "/extended/v2/blocks/latest", "/extended/v2/blocks/12345",
		"/extended/v1/address/SP000000000000000000002Q6VF78.pox-4/stx?until_block=1&unanchored=false", "/extended/v1/address/%00/balances",
		"/audit/v1/events/1/body", "/audit/v1/quarantine?cursor=1:chain:1", "/audit/v1/negative-balances?cursor=1:a:b", "/audit/v1/narrow-copies?cursor=1", "/audit/v1/feed-anomalies?cursor=1:/apply/0:", "/audit/v1/unknown-fields?cursor=a",
		"/metadata/v1/nft/SP000000000000000000002Q6VF78.pox-4/340282366920938463463374607431768211456?locale=x", "/metadata/ft?name=%25&order=desc&limit=60",
		"/extended/v1/block/by_burn_block_height/1", "/extended/v2/burn-blocks/latest/blocks?cursor=0x00", "/extended/v2/blocks/by-block-time/1", "/extended/v2/block-tenures/1/blocks?offset=-300",
		"/extended/v1/contract/SP000000000000000000002Q6VF78.pox-4/events?cursor=1:2:3:4&sender=x&topic=y", "/extended/v1/contract/by_trait?trait_abi=%7B%22functions%22:[]%7D",
		"/extended/v1/tokens/nft/history?asset_identifier=SP000000000000000000002Q6VF78.bns::names&value=0x0", "/extended/v1/tokens/ft/stx/holders?cursor=1:a", "/extended/v1/search/%20x", "/extended/v1/stx_supply?height=1",
		"/metadata/v1/search?contract=SP000000000000000000002Q6VF78.pox-4:1&contract=SP000000000000000000002Q6VF78.pox-4", "//x/../y/", "/?%zz;",
	} {
		f.Add(target)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Host != "" || u.Path == "" || u.Path[0] != '/' {
			return
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, &http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1})
		if !slices.Contains([]int{200, 301, 400, 404, 503}, w.Code) {
			t.Errorf("%s: got %d %s", target, w.Code, w.Body)
		}
	})
}
