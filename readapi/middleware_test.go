package readapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, path := range []string{"/extended", "/extended/v2/blocks?limit=x", "/nowhere", "/docs", "/openapi.json", "/metrics", "/healthz", "/", "/audit/v1/events/1/body"} {
		got := s.Request(http.MethodGet, path, "Origin", "https://example.com")
		for name, want := range map[string]string{
			"X-API-Version":                 "v1.0.0 (main:abc1234)",
			"Access-Control-Allow-Origin":   "*",
			"Access-Control-Expose-Headers": "X-API-Version, ETag, X-Request-Id, Strata-Position, Strata-Source, Strata-History, Strata-Ignored-Parameters",
		} {
			check.Equal(t, fmt.Sprintf("%s: %s", path, name), got.Header.Get(name), want)
		}
	}
	for _, path := range []string{"/extended", "/nowhere", "/extended/v2/blocks/1"} {
		check.Equal(t, fmt.Sprintf("%s: Warning", path), s.Get(path).Header.Get("Warning"), "")
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	got := s.Request(http.MethodOptions, "/extended/v2/blocks", "Origin", "https://example.com",
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-one,x-two")
	if got.Status != http.StatusNoContent || got.Body != "" {
		t.Errorf("got %d %q, want 204", got.Status, got.Body)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":  "*",
		"Access-Control-Allow-Methods": "GET,HEAD,POST,OPTIONS",
		"Access-Control-Allow-Headers": "x-one,x-two",
		"X-API-Version":                "v1.0.0 (main:abc1234)",
	} {
		check.Equal(t, name, got.Header.Get(name), want)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	server := httptest.NewServer(s.API)
	defer server.Close()
	for _, path := range []string{"/extended", "/extended/v2/blocks", "/extended/v2/blocks/7", "/nowhere", "/healthz", "/docs", "/openapi.yaml"} {
		want := s.Get(path)
		got := must.Get(http.Head(server.URL + path))(t)
		must.Do(t, got.Body.Close())
		if got.StatusCode != want.Status || got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
			t.Errorf("%s: got %d %s, want %d %s as of GET", path, got.StatusCode, got.Header.Get("Content-Type"), want.Status, want.Header.Get("Content-Type"))
		}
		if path != "/nowhere" && got.ContentLength > 0 && got.ContentLength != int64(len(want.Body)) { // there, the method is in the body
			t.Errorf("%s: got Content-Length %d, want %d", path, got.ContentLength, len(want.Body))
		}
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	s.Get("/healthz?a=b")
	for _, want := range []string{"level=DEBUG msg=request", "method=GET", `target="/healthz?a=b"`, "operation=get-health", "status=200", "bytes=15"} {
		if !strings.Contains(s.Log.String(), want) {
			t.Errorf("got %s, want %s in it", s.Log, want)
		}
	}
}
