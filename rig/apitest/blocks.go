package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
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

func (s *Site) Blocks(query string) blockPage {
	s.T.Helper()
	got := s.Get("/extended/v2/blocks" + query)
	var page blockPage
	if err := json.Unmarshal([]byte(got.Body), &page); err != nil || got.Status != http.StatusOK {
		s.T.Fatalf("%s: got %d %s (%v)", query, got.Status, got.Body, err)
	}
	for i := 1; i < len(page.Results); i++ {
		if page.Results[i].Height != page.Results[i-1].Height-1 {
			s.T.Errorf("%s: block %d follows block %d", query, page.Results[i].Height, page.Results[i-1].Height)
		}
	}
	return page
}
