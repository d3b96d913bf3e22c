package engine

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Paths that a mux refuses beside each other lead to the same operations in any order of mounting.
func TestConflictingPaths(t *testing.T) {
	paths := []string{
		"/names/{name}", "/names/{name}/owner", "/names/{name}/{label}/can-register", "/names/address/{address}", "/names/address/{address}/valid",
		"/names/all", "/names/all/{page}", "/blocks/{block}/transactions", "/blocks/by-time/{time}", "/blocks/{block}",
	}
	requests := map[string]string{
		"/names/a": "/names/{name}", "/names/a/owner": "/names/{name}/owner", "/names/address/b": "/names/address/{address}",
		"/names/address/owner": "/names/address/{address}", "/names/address/b/valid": "/names/address/{address}/valid", "/names/address": "/names/{name}",
		"/names/a/b/can-register": "/names/{name}/{label}/can-register", "/names/all": "/names/all", "/names/all/2": "/names/all/{page}",
		"/names/all/owner": "/names/all/{page}", "/blocks/by-time/7": "/blocks/by-time/{time}", "/blocks/by-time/transactions": "/blocks/by-time/{time}",
		"/blocks/7/transactions": "/blocks/{block}/transactions", "/blocks/by-time": "/blocks/{block}", "/blocks/by-time/": "/blocks/{block}",
		"/names/address/b/owner": "", "/-/names/address/b": "", "/-/names/a": "", "/blocks/by-time/7/": "/blocks/by-time/{time}",
	}
	for range 20 {
		rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		e := New(Config{Description: described()})
		e.Plain("/", "unknown", e.RouteUnknown)
		for _, path := range paths {
			GetPlain(e, Operation{ID: path, Path: path, Tag: "Test", Summary: "Test"}, func(ctx context.Context, _ *struct{}) (*fruit, error) {
				return &fruit{Name: path}, nil
			})
		}
		for target, want := range requests {
			w := httptest.NewRecorder()
			e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			switch {
			case want == "" && w.Code != http.StatusNotFound:
				t.Errorf("mounted as %q: %s: got %d %s, want 404", paths, target, w.Code, w.Body)
			case want != "" && w.Body.String() != `{"name":"`+want+`"}`:
				t.Errorf("mounted as %q: %s: got %d %s, want %s", paths, target, w.Code, w.Body, want)
			}
		}
	}
}
