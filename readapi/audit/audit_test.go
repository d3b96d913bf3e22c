package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

func TestEvent(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	got := s.Get("/audit/v1/events/2")
	s.Golden("event", got.Body)
	s.Golden("event_repeated", s.Get("/audit/v1/events/3").Body)
	if got.Header.Get("Strata-Source") != "2" || got.Header.Get("Strata-Position") != "log=160" {
		t.Errorf("got source %q at %q, want 2 at log=160", got.Header.Get("Strata-Source"), got.Header.Get("Strata-Position"))
	}
}

func TestEventBody(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	server := httptest.NewServer(s.API)
	defer server.Close()
	for _, tc := range []struct {
		seq         int
		contentType string
		want        []byte
	}{
		{2, "application/json", []byte("{\"n\":2,\"text\":\"<a>\\u0000\"}")},
		{3, "application/json", []byte("{\"n\":2,\"text\":\"<a>\\u0000\"}")}, // stored with event 2
		{4, "application/octet-stream", []byte{0, 1, 2, 0xff}},               // came as text/html
		{5, "application/json", apitest.LargeBody()},
	} {
		path := fmt.Sprintf("/audit/v1/events/%d", tc.seq)
		response, err := apitest.Plain.Get(server.URL + path + "/body")
		must.Do(t, err)
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Errorf("event %d: %v", tc.seq, err)
		}
		must.Do(t, response.Body.Close())
		if !bytes.Equal(body, tc.want) {
			t.Errorf("event %d: got %d bytes, want these %d", tc.seq, len(body), len(tc.want))
		}
		check.Equal(t, fmt.Sprintf("event %d: Content-Length", tc.seq), response.ContentLength, int64(len(tc.want)))
		for name, want := range map[string]string{"Content-Type": tc.contentType, "X-Content-Type-Options": "nosniff", "Strata-Source": fmt.Sprint(tc.seq)} {
			check.Equal(t, fmt.Sprintf("event %d: %s", tc.seq, name), response.Header.Get(name), want)
		}
		digest := sha256.Sum256(body)
		if event := s.Object(path); event["sha256"] != "0x"+hex.EncodeToString(digest[:]) || event["size"] != float64(len(body)) {
			t.Errorf("event %d: got %v, want the digest and size of its body", tc.seq, event)
		}
		head, err := apitest.Plain.Head(server.URL + path + "/body")
		must.Do(t, err)
		must.Do(t, head.Body.Close())
		if head.StatusCode != http.StatusOK || head.ContentLength != int64(len(tc.want)) {
			t.Errorf("HEAD of event %d: got %d and %d bytes, want 200 and %d", tc.seq, head.StatusCode, head.ContentLength, len(tc.want))
		}
	}
}

// A body whose rest can't be read any more must not look complete.
func TestEventBodyCutOff(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	// A log that says more than it has: the rest of event 161 is missing.
	s.Exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) SELECT 161, received_at, 5000000, sha256, source, path, content_type, body FROM log.event WHERE seq = 2`)
	server := httptest.NewServer(s.API)
	defer server.Close()
	response, err := apitest.Plain.Get(server.URL + "/audit/v1/events/161/body")
	if err == nil {
		_, err = io.ReadAll(response.Body)
		if closeErr := response.Body.Close(); closeErr != nil {
			t.Error(closeErr)
		}
	}
	if err == nil {
		t.Error("the body looks complete")
	}
	if !strings.Contains(s.Log.String(), "a body was cut off") {
		t.Errorf("the log has no word of it: %s", s.Log)
	}
}

// keysAgree compares a list, read in pages of several sizes, with what it should have.
func keysAgree(s *apitest.Site, path string, want []string, key func(any) string) {
	s.T.Helper()
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []string
		first := path + map[bool]string{false: "?", true: "&"}[strings.Contains(path, "?")] + fmt.Sprintf("limit=%d", limit)
		for target := first; target != "" && len(got) <= len(want); {
			rows, page := s.RowsAt(target, key)
			if len(rows) > limit || page["limit"] != float64(limit) {
				s.T.Errorf("%s: got %d rows and limit %v, want %d at most", target, len(rows), page["limit"], limit)
			}
			got, target = append(got, rows...), ""
			if next, ok := page["cursor"].(map[string]any)["next"].(string); ok {
				target = first + "&cursor=" + url.QueryEscape(next)
				if len(next) > apitest.CursorMax {
					s.T.Errorf("%s: a cursor of %d bytes", first, len(next))
				}
			}
		}
		check.EqualSlices(s.T, fmt.Sprintf("limit %d", limit), got, want)
	}
}

// Without a projection to read, the lists of what is wrong are empty.
func TestListsBeforeTheProjections(t *testing.T) {
	t.Parallel()
	bare, world := apitest.NewSite(t), apitest.NewWorld(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	for path, s := range map[string]*apitest.Site{
		"negative-balances": bare, "narrow-copies": bare, "unknown-fields": bare, "feed-anomalies": world, "quarantine": world, "quarantine?order=desc": world,
	} {
		s.Expect("/audit/v1/"+path, http.StatusOK, empty)
	}
}

// The list in the log's order and the reverse, in pages of any size.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	var want []string
	for _, seq := range []int{4, 17, 90} {
		for _, name := range []string{"balances", "chain"} {
			s.Exec(`INSERT INTO strata.quarantine VALUES ($1, 1, $2::bigint, '/new_block', CASE WHEN $2::bigint = 4 THEN '' ELSE '/block_height' END, 'want <a number>', '2024-01-02 03:04:05.5+00')`, name, seq)
			want = append(want, fmt.Sprint(seq, " ", name))
		}
	}
	keysAgree(s, "/audit/v1/quarantine", want, apitest.Members("seq", "projection"))
	slices.Reverse(want)
	keysAgree(s, "/audit/v1/quarantine?order=desc", want, apitest.Members("seq", "projection"))
	if got := s.Get("/audit/v1/quarantine?order=odd"); got.Status != http.StatusBadRequest {
		t.Errorf("got %d %s for another order, want 400", got.Status, got.Body)
	}
	got := s.Get("/audit/v1/quarantine?limit=2&cursor=17:balances:1")
	s.Golden("quarantine", got.Body)
	if want := "17"; got.Header.Get("Strata-Source") != want { // not 90, of which the page says only that it is next
		t.Errorf("Strata-Source: got %q, want %q", got.Header.Get("Strata-Source"), want)
	}
}

func TestNegativeBalances(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	keysAgree(s, "/audit/v1/negative-balances", []string{apitest.Alice + " " + apitest.Coin + " 15", apitest.Bob + " stx 20", apitest.Bob + " stx 30"}, apitest.Members("account", "asset", "height"))
	s.Golden("negative_balances", s.Get("/audit/v1/negative-balances?limit=1").Body)
}

// Names of any length fit into cursors.
func TestCursorsOfLongNames(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`DELETE FROM balances_v1.negative_balance`)
	var negative, pointers, paths []string
	for i := range 3 {
		account := fmt.Sprint(apitest.Bob, ".", strings.Repeat("a", 127), i)
		for j := range 3 {
			asset := fmt.Sprint(account, "::", strings.Repeat("b", 127), j)
			s.Exec(`INSERT INTO balances_v1.negative_balance VALUES (20, 120, -5, $1, $2, 'fee', '/transactions/0')`, account, asset)
			negative = append(negative, account+" "+asset)
		}
		pointer := fmt.Sprint("/", strings.Repeat("p", 300), i)
		s.Exec(`INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) VALUES ('chain', 1, 4, '/new_block', $1, 'odd')`, pointer)
		pointers = append(pointers, pointer)
		path := fmt.Sprint("/new_block#/", strings.Repeat("é", 150), i)
		s.Exec(`INSERT INTO chain_v1.unknown_field (path, first_seq, source_seq, events) VALUES ($1, 20, 130, 7)`, path)
		paths = append(paths, path)
	}
	keysAgree(s, "/audit/v1/negative-balances", negative, apitest.Members("account", "asset"))
	keysAgree(s, "/audit/v1/quarantine", pointers, apitest.Member("pointer"))
	keysAgree(s, "/audit/v1/unknown-fields", paths, apitest.Member("path"))
}
