package ordinals_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"strata/rig/apitest"
)

// Whatever stands in a path or a query of the family, the answer is one of its own, and never a failure of the server.
func FuzzOrdinals(f *testing.F) {
	for _, seed := range [][2]string{
		{"/inscriptions", "id=" + idA + "&number=-1&number=9223372036854775807&limit=60&offset=9223372036854775807"},
		{"/inscriptions", "genesis_block=" + apitest.Bh1 + "&from_genesis_block_height=999999999999999999&to_genesis_timestamp=-9223372036854775808"},
		{"/inscriptions", "from_sat_ordinal=1e15&to_sat_ordinal=2099999997689999&from_sat_coinbase_height=999999999999999999&to_sat_coinbase_height=999999999999999999"},
		{"/inscriptions", "output=" + apitest.TxB + ":00000000000000000000000000000000001&address=&address=x%27&mime_type=image/svg%2Bxml&rarity=mythic"},
		{"/inscriptions", "recursive=true&cursed=false&order_by=rarity&order=asc&from_number=-9223372036854775808&to_number=9223372036854775807"},
		{"/inscriptions", "from_genesis_timestamp=9223372036854775807&to_genesis_timestamp=100000000000&order_by=ordinal&order=asc&offset=1025"},
		{"/inscriptions/-9223372036854775808", ""}, {"/inscriptions/" + idA + "/content", ""}, {"/inscriptions/" + apitest.TxA + "i99999999999999999999/transfers", "offset=1e9"},
		{"/inscriptions/transfers", "block=" + apitest.Bh1 + "&offset=9223372036854775807"}, {"/inscriptions/transfers", "block=000000000000000000"},
		{"/sats/0/inscriptions", "offset=9223372036854775807"}, {"/sats/1e15", ""}, {"/sats/%00", "limit=;"},
		{"/stats/inscriptions", "from_block_height=000&to_block_height=999999999999999999"}, {"/", "a=%zz"},
	} {
		f.Add(seed[0], seed[1])
	}
	s := apitest.NewOrdinalsSite(f, apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, 0)))
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: "/ordinals/v1" + path, RawQuery: query}
		r.RequestURI = r.URL.RequestURI()
		w := httptest.NewRecorder()
		s.API.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusMovedPermanently, http.StatusTemporaryRedirect:
		default:
			t.Errorf("%q ? %q: got %d %s", path, query, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") == "application/json; charset=utf-8" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q ? %q: got %s, which is no JSON", path, query, w.Body)
		}
	})
}
