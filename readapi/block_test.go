package readapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

func TestListBlocks(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	cursor := func(h int) string { return "&cursor=" + apitest.ID(apitest.IndexHash, h).String() }
	for _, tc := range []struct{ query, want string }{
		{"", "20 of 51 from 60 to 41, newer none, this 60, older 40"},
		{"?limit=0", "20 of 51 from 60 to 41, newer none, this 60, older 40"},
		{"?limit=7", "7 of 51 from 60 to 54, newer none, this 60, older 53"},
		{"?limit=30&offset=10", "30 of 51 from 50 to 21, newer 60, this 50, older 20"},
		{"?limit=10" + cursor(40), "10 of 51 from 40 to 31, newer 50, this 40, older 30"},
		{"?limit=10" + cursor(55), "10 of 51 from 55 to 46, newer 60, this 55, older 45"},
		{"?limit=10" + cursor(19), "10 of 51 from 19 to 10, newer 29, this 19, older none"},
		{"?limit=10" + cursor(15), "6 of 51 from 15 to 10, newer 25, this 15, older none"},
		{"?limit=10&offset=-10" + cursor(40), "10 of 51 from 50 to 41, newer 60, this 50, older 40"},
		{"?limit=10&offset=-10" + cursor(55), "5 of 51 from 60 to 56, newer none, this 60, older 55"},
		{"?limit=10&offset=5" + cursor(40), "10 of 51 from 35 to 26, newer 45, this 35, older 25"},
		{"?offset=300", "0 of 51 from 0 to 0, newer none, this none, older none"},
		{"?offset=60", "0 of 51 from 0 to 0, newer 20, this none, older none"},
	} {
		check.Equal(t, tc.query, s.Blocks(tc.query).String(), tc.want)
	}
	bare := strings.ToUpper(strings.TrimPrefix(apitest.ID(apitest.IndexHash, 33).String(), "0x"))
	check.Equal(t, "bare upper-case cursor", s.Blocks("?limit=1&cursor="+bare).String(), "1 of 51 from 33 to 33, newer 34, this 33, older 32")
}

func TestWalkBlocks(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, limit := range []int{1, 7, 17, 30} {
		next, query := 60, fmt.Sprintf("?limit=%d", limit)
		for page := s.Blocks(query); ; page = s.Blocks(query + "&cursor=" + *page.PrevCursor) {
			for _, b := range page.Results {
				if b.Height != next {
					t.Fatalf("limit %d: got block %d, want %d", limit, b.Height, next)
				}
				next--
			}
			if page.PrevCursor == nil {
				break
			}
		}
		if next != apitest.FirstHeight-1 {
			t.Errorf("limit %d: the walk ended before block %d", limit, next)
		}
	}
}

func TestListBlocksShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	got := s.Get("/extended/v2/blocks?limit=4")
	s.Golden("blocks", got.Body)
	check.Equal(t, "Strata-Source", got.Header.Get("Strata-Source"), "157,158,159,160")
	check.Equal(t, "Strata-Position", got.Header.Get("Strata-Position"), "log=160; height=60; index_block_hash="+apitest.ID(apitest.IndexHash, 60).String())
}

func TestGetBlock(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, path := range []string{
		"60", "latest", apitest.ID(apitest.IndexHash, 60).String(), apitest.ID(apitest.BlockHash, 60).String(),
		strings.TrimPrefix(apitest.ID(apitest.IndexHash, 60).String(), "0x"), "0x" + strings.ToUpper(strings.TrimPrefix(apitest.ID(apitest.BlockHash, 60).String(), "0x")), "60/", "060",
	} {
		got := s.Get("/extended/v2/blocks/" + path)
		if got.Status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", path, got.Status, got.Body)
			continue
		}
		s.Golden("block", got.Body)
	}
	for _, path := range []string{"61", "9", "0", "-1", "9223372036854775807", apitest.ID(apitest.IndexHash, 61).String(), apitest.ID(apitest.TxHash, 60).String()} {
		got := s.Get("/extended/v2/blocks/" + path)
		const want = `{"statusCode":404,"error":"Not Found","message":"Block not found"}`
		if got.Status != http.StatusNotFound || got.Body != want {
			t.Errorf("%s: got %d %s, want 404 %s", path, got.Status, got.Body, want)
		}
	}
}

func TestOrphansAreNotFound(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`DELETE FROM chain_v1.canonical WHERE height = 60`)
	s.Tip(59)
	for _, path := range []string{"/60", "/" + apitest.ID(apitest.IndexHash, 60).String(), "/" + apitest.ID(apitest.BlockHash, 60).String(), "?cursor=" + apitest.ID(apitest.IndexHash, 60).String()} {
		s.ExpectTexts("/extended/v2/blocks"+path, http.StatusNotFound)
	}
	check.Equal(t, "the newest", s.Blocks("").String(), "20 of 50 from 59 to 40, newer none, this 59, older 39")
}

func TestBlocksBeforeTheFirst(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	for _, before := range []string{"the projection", "the first block"} {
		got := s.Get("/extended/v2/blocks")
		const want = `{"limit":20,"offset":0,"total":0,"next_cursor":null,"prev_cursor":null,"cursor":null,"results":[]}`
		if got.Status != http.StatusOK || got.Body != want {
			t.Errorf("before %s: got %d %s, want %s", before, got.Status, got.Body, want)
		}
		for _, path := range []string{"/latest", "/1", "?cursor=" + apitest.ID(apitest.IndexHash, 1).String()} {
			if got := s.Get("/extended/v2/blocks" + path); got.Status != http.StatusNotFound {
				t.Errorf("before %s: %s: got %d %s, want 404", before, path, got.Status, got.Body)
			}
		}
		if before == "the projection" {
			s.Projection("chain", "log")
		}
	}
}
