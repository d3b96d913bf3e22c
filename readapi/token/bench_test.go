package token_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/domain/token"
	"strata/readapi"
	"strata/rig/apitest"
)

// BenchmarkTokens reads tokens among 50,000, without a cache. Pages of the list cost the same at any depth.
func BenchmarkTokens(b *testing.B) {
	const all = 50_000
	s := apitest.NewTokenSite(b)
	s.TokenTip(7)
	for _, sql := range []string{
		`INSERT INTO {schema}.contract (height, source_seq, tx_index, reason, txid, contract_id) SELECT 1, 1, 1, 0, '', $1 || n FROM generate_series(1, $2::int) n`,
		`INSERT INTO {schema}.token (height, source_seq, read_height, read_seq, reason, token_id, contract_id, uri, name, symbol, name_key, symbol_key)
			SELECT 6, 106, 7, 201, 0, 1, $1 || n, 'http://m.io/' || n, 'Token ' || n, 'T' || n % 100, '0token ' || n, '0t' || n % 100 FROM generate_series(1, $2::int) n`,
		`INSERT INTO {schema}.document (source_seq, reason, uri_hash, uri, content)
			SELECT 202, 0, sha256(convert_to('http://m.io/' || n, 'UTF8')), 'http://m.io/' || n, '{"name":"' || $1 || n || '"}' FROM generate_series(1, $2::int) n`,
		`INSERT INTO {schema}.reference (token_id, role, locale, uri_hash, contract_id)
			SELECT 1, 'document', '', sha256(convert_to('http://m.io/' || n, 'UTF8')), $1 || n FROM generate_series(1, $2::int) n`,
	} {
		s.Exec(strings.ReplaceAll(sql, "{schema}", string(token.FT)+"_v1"), apitest.Alice+".c", all)
	}
	stretches(s, 512)
	s.Exec(`ANALYZE`)
	for _, bc := range []struct{ name, target string }{
		{"One", "/metadata/v1/ft/" + apitest.Alice + ".c%d"},
		{"FirstPages", "/metadata/v1/ft?offset=%d"},
		{"DeepPages", "/metadata/v1/ft?offset=49%d"},
		{"LastPages", "/metadata/v1/ft?order_by=symbol&order=desc&offset=49%d"},
		{"Filtered", "/metadata/v1/ft?name=99&offset=%d"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			k := apitest.NewSiteOn(b, apitest.Readers(b, s.Pool), readapi.Config{})
			n := 0
			for b.Loop() {
				n++
				w := httptest.NewRecorder()
				k.API.ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprintf(bc.target, 100+n%900), nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
