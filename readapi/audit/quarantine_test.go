package audit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"strata/rig/apitest"
)

// The newest first, in pages of any size, is the list of the log's order turned around.
func TestQuarantineNewestFirst(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	if got := s.Get("/audit/v1/quarantine?order=desc"); !strings.Contains(got.Body, `"results":[]`) {
		t.Errorf("got %d %s, want an empty list", got.Status, got.Body)
	}
	for _, seq := range []int{4, 17, 90} {
		for _, name := range []string{"balances", "chain"} {
			s.Exec(`INSERT INTO strata.quarantine VALUES ($1, 1, $2, '/new_block', '', 'odd', now())`, name, seq)
		}
	}
	key := func(row map[string]any) string { return fmt.Sprint(row["seq"], row["projection"]) }
	want := keys(s, "/audit/v1/quarantine", 10, key)
	slices.Reverse(want)
	for limit := 1; limit <= 7; limit++ {
		var got []string
		for target := fmt.Sprintf("/audit/v1/quarantine?order=desc&limit=%d", limit); target != ""; {
			var page struct {
				Cursor  struct{ Next *string }
				Results []map[string]any
			}
			reply := s.Get(target)
			if err := json.Unmarshal([]byte(reply.Body), &page); err != nil || reply.Status != http.StatusOK || len(got) > len(want) {
				t.Fatalf("%s: got %d %s (%v)", target, reply.Status, reply.Body, err)
			}
			for _, row := range page.Results {
				got = append(got, key(row))
			}
			if target = ""; page.Cursor.Next != nil {
				target = fmt.Sprintf("/audit/v1/quarantine?order=desc&limit=%d&cursor=%s", limit, *page.Cursor.Next)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	if got := s.Get("/audit/v1/quarantine?order=odd"); got.Status != http.StatusBadRequest {
		t.Errorf("got %d %s for another order, want 400", got.Status, got.Body)
	}
}

// Without an ordinals feed there are no faults of it.
func TestFeedAnomaliesWithoutFeed(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	if got := s.Get("/audit/v1/feed-anomalies"); got.Status != http.StatusOK || !strings.Contains(got.Body, `"results":[]`) {
		t.Errorf("got %d %s, want an empty list", got.Status, got.Body)
	}
}
