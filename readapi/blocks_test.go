package readapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

type blockPage struct {
	Limit      int     `json:"limit"`
	Offset     int     `json:"offset"`
	Total      int     `json:"total"`
	NextCursor *string `json:"next_cursor"`
	PrevCursor *string `json:"prev_cursor"`
	Cursor     *string `json:"cursor"`
	Results    []struct {
		Height int `json:"height"`
	} `json:"results"`
}

func (p blockPage) String() string {
	short := func(cursor *string) string {
		if cursor == nil {
			return "none"
		}
		var n int
		if _, err := fmt.Sscanf(*cursor, "0x1b%x", &n); err != nil {
			return *cursor
		}
		return fmt.Sprint(n)
	}
	var heights []int
	for _, b := range p.Results {
		heights = append(heights, b.Height)
	}
	first, last := 0, 0
	if len(heights) > 0 {
		first, last = heights[0], heights[len(heights)-1]
	}
	return fmt.Sprintf("%d of %d from %d to %d, newer %s, this %s, older %s", len(heights), p.Total, first, last,
		short(p.NextCursor), short(p.Cursor), short(p.PrevCursor))
}

func (s *site) blocks(query string) blockPage {
	s.t.Helper()
	got := s.get("/extended/v2/blocks" + query)
	var page blockPage
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s (%v)", query, got.status, got.body, err)
	}
	for i := 1; i < len(page.Results); i++ {
		if page.Results[i].Height != page.Results[i-1].Height-1 {
			s.t.Errorf("%s: block %d follows block %d", query, page.Results[i].Height, page.Results[i-1].Height)
		}
	}
	return page
}

func TestListBlocks(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	cursor := func(h int) string { return "&cursor=" + id(indexHash, h).String() }
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
		if got := s.blocks(tc.query).String(); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.query, got, tc.want)
		}
	}
	bare := strings.ToUpper(strings.TrimPrefix(id(indexHash, 33).String(), "0x"))
	if got := s.blocks("?limit=1&cursor=" + bare).String(); got != "1 of 51 from 33 to 33, newer 34, this 33, older 32" {
		t.Errorf("bare upper-case cursor: got %s", got)
	}
}

func TestWalkBlocks(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, limit := range []int{1, 7, 17, 30} {
		next, query := 60, fmt.Sprintf("?limit=%d", limit)
		for page := s.blocks(query); ; page = s.blocks(query + "&cursor=" + *page.PrevCursor) {
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
		if next != firstHeight-1 {
			t.Errorf("limit %d: the walk ended before block %d", limit, next)
		}
	}
}

func TestListBlocksShape(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	got := s.get("/extended/v2/blocks?limit=4")
	s.golden("blocks", got.body)
	if want := "157,158,159,160"; got.header.Get("Strata-Source") != want {
		t.Errorf("Strata-Source: got %q, want %q", got.header.Get("Strata-Source"), want)
	}
	if want := "log=160; height=60; index_block_hash=" + id(indexHash, 60).String(); got.header.Get("Strata-Position") != want {
		t.Errorf("Strata-Position: got %q, want %q", got.header.Get("Strata-Position"), want)
	}
}

func TestGetBlock(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, path := range []string{
		"60", "latest", id(indexHash, 60).String(), id(blockHash, 60).String(),
		strings.TrimPrefix(id(indexHash, 60).String(), "0x"), "0x" + strings.ToUpper(strings.TrimPrefix(id(blockHash, 60).String(), "0x")), "60/", "060",
	} {
		got := s.get("/extended/v2/blocks/" + path)
		if got.status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", path, got.status, got.body)
			continue
		}
		s.golden("block", got.body)
	}
	for _, path := range []string{"61", "9", "0", "-1", "9223372036854775807", id(indexHash, 61).String(), id(txHash, 60).String()} {
		got := s.get("/extended/v2/blocks/" + path)
		const want = `{"statusCode":404,"error":"Not Found","message":"Block not found"}`
		if got.status != http.StatusNotFound || got.body != want {
			t.Errorf("%s: got %d %s, want 404 %s", path, got.status, got.body, want)
		}
	}
}

func TestOrphansAreNotFound(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.exec(`DELETE FROM chain_v1.canonical WHERE height = 60`)
	s.tip(59)
	for _, path := range []string{"/60", "/" + id(indexHash, 60).String(), "/" + id(blockHash, 60).String(), "?cursor=" + id(indexHash, 60).String()} {
		if got := s.get("/extended/v2/blocks" + path); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want 404", path, got.status, got.body)
		}
	}
	if got, want := s.blocks("").String(), "20 of 50 from 59 to 40, newer none, this 59, older 39"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBlocksBeforeTheFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, before := range []string{"the projection", "the first block"} {
		got := s.get("/extended/v2/blocks")
		const want = `{"limit":20,"offset":0,"total":0,"next_cursor":null,"prev_cursor":null,"cursor":null,"results":[]}`
		if got.status != http.StatusOK || got.body != want {
			t.Errorf("before %s: got %d %s, want %s", before, got.status, got.body, want)
		}
		for _, path := range []string{"/latest", "/1", "?cursor=" + id(indexHash, 1).String()} {
			if got := s.get("/extended/v2/blocks" + path); got.status != http.StatusNotFound {
				t.Errorf("before %s: %s: got %d %s, want 404", before, path, got.status, got.body)
			}
		}
		if before == "the projection" {
			s.projection("chain", "log")
		}
	}
}
