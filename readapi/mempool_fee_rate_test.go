package readapi_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/readapi"
	"strata/rig/apitest"
)

func TestFeeRate(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	const path, constant = "/extended/v1/fee_rate", `{"fee_rate":400}`
	for _, tc := range []struct {
		path, body string
		status     int
		want       string
	}{
		{path, `{"transaction":"0x00"}`, 200, constant},
		{path + "/", `{"transaction":"","more":1}`, 200, constant},
		{path, `{"transaction":"` + strings.Repeat("ab", 2<<20) + `"}`, 200, constant}, // as long as a transaction can be
		{path, `{}`, 400, apitest.Invalid("body must have required property 'transaction'")},
		{path, `{"transaction":400}`, 400, apitest.Invalid("body/transaction must be string")},
		{path, `{"transaction":null}`, 400, apitest.Invalid("body/transaction must be string")},
		{path, `["transaction"]`, 400, apitest.Invalid("body must be object")},
		{path, `{"transaction":"0x00"`, 400, apitest.Invalid("body must be object")},
	} {
		got := s.Wish(tc.path, tc.body, "192.0.2.1:80")
		if got.Status != tc.status || got.Body != tc.want || got.Header.Get("Content-Type") != "application/json; charset=utf-8" ||
			!strings.Contains(got.Header.Get("Warning"), "Deprecated") || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%.50s: got %d %v %.300s, want %d %s", tc.body, got.Status, got.Header, got.Body, tc.status, tc.want)
		}
	}
	for _, body := range []string{"", `{"transaction":"` + strings.Repeat("ab", 3<<20) + `"}`} {
		if got := s.Wish(path, body, "192.0.2.1:80"); got.Status/100 != 4 || !strings.Contains(got.Body, `"statusCode":`) {
			t.Errorf("%d bytes: got %d %s", len(body), got.Status, got.Body)
		}
	}
	if got := s.Get(path); got.Status != http.StatusNotFound && got.Status != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d %s", got.Status, got.Body)
	}
}
