package nodecompare

import (
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"strata/domain/hash"
)

func TestClient(t *testing.T) {
	t.Parallel()
	answering := func(text string, status int) *client {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}))
		t.Cleanup(server.Close)
		return newClient(server.URL)
	}
	const good = `{"balance":"0x00000000000000000000000000000010","locked":"0xffffffffffffffffffffffffffffffff","unlock_height":12,"nonce":18446744073709551615}`
	got, err := answering(good, 200).account(t.Context(), "SP1", hash.Hash32{})
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))
	if err != nil || got.unlocked.Cmp(big.NewInt(16)) != 0 || got.locked.Cmp(most) != 0 || got.unlockHeight != 12 || got.nonce != 1<<64-1 {
		t.Errorf("got %+v (%v)", got, err)
	}
	for _, tc := range []struct {
		text   string
		status int
		want   string
	}{
		{`{}`, 200, "not what a Stacks node says"},
		{strings.Replace(good, "0x0", "0", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, "0x0", "0x-", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, "0x0", "0x000", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, `,"nonce":18446744073709551615`, "", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, `"unlock_height":12,`, "", 1), 200, "not what a Stacks node says"},
		{"<html>", 200, "not JSON"},
		{"bad principal \x1b", 400, "it answers 400: bad principal \uFFFD"},
		{"broken", 500, "it answers 500: broken"},
		{"Chain tip not found", 404, "it does not know block 0x00"},
	} {
		if _, err := answering(tc.text, tc.status).account(t.Context(), "SP1", hash.Hash32{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%d %s: got %v, want %q", tc.status, tc.text, err, tc.want)
		}
	}
	if _, err := answering(`{"x":1}`, 200).tipHeight(t.Context()); err == nil || !strings.Contains(err.Error(), "not a Stacks node") {
		t.Errorf("no height: got %v", err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	client := newClient(slow.URL)
	client.http.Timeout = 30 * time.Millisecond
	if _, err := client.tipHeight(t.Context()); err == nil || !strings.Contains(err.Error(), "after 3 attempts: no answer within 30ms") {
		t.Errorf("a slow node: got %v", err)
	}
}
