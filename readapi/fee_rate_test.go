package readapi_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/readapi"
)

func TestFeeRate(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, nil, readapi.Config{})
	const path, constant = "/extended/v1/fee_rate", `{"fee_rate":400}`
	refused := func(message string) string {
		return `{"statusCode":400,"code":"FST_ERR_VALIDATION","error":"Bad Request","message":"` + message + `"}`
	}
	for _, tc := range []struct {
		path, body string
		status     int
		want       string
	}{
		{path, `{"transaction":"0x00"}`, 200, constant},
		{path + "/", `{"transaction":"","more":1}`, 200, constant},
		{path, `{"transaction":"` + strings.Repeat("ab", 2<<20) + `"}`, 200, constant}, // as long as a transaction can be
		{path, `{}`, 400, refused("body must have required property 'transaction'")},
		{path, `{"transaction":400}`, 400, refused("body/transaction must be string")},
		{path, `{"transaction":null}`, 400, refused("body/transaction must be string")},
		{path, `["transaction"]`, 400, refused("body must be object")},
		{path, `{"transaction":"0x00"`, 400, refused("body must be object")},
	} {
		got := s.wish(tc.path, tc.body, "192.0.2.1:80")
		if got.status != tc.status || got.body != tc.want || got.header.Get("Content-Type") != "application/json; charset=utf-8" ||
			!strings.Contains(got.header.Get("Warning"), "Deprecated") || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%.50s: got %d %v %.300s, want %d %s", tc.body, got.status, got.header, got.body, tc.status, tc.want)
		}
	}
	for _, body := range []string{"", `{"transaction":"` + strings.Repeat("ab", 3<<20) + `"}`} {
		if got := s.wish(path, body, "192.0.2.1:80"); got.status/100 != 4 || !strings.Contains(got.body, `"statusCode":`) {
			t.Errorf("%d bytes: got %d %s", len(body), got.status, got.body)
		}
	}
	if got := s.get(path); got.status != http.StatusNotFound && got.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d %s", got.status, got.body)
	}
}
