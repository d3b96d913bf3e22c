package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
		response := must.Get(apitest.Plain.Get(server.URL + path + "/body"))(t)
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Errorf("event %d: %v", tc.seq, err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(body, tc.want) {
			t.Errorf("event %d: got %d bytes, want these %d", tc.seq, len(body), len(tc.want))
		}
		if response.ContentLength != int64(len(tc.want)) {
			t.Errorf("event %d: got Content-Length %d, want %d", tc.seq, response.ContentLength, len(tc.want))
		}
		for name, want := range map[string]string{"Content-Type": tc.contentType, "X-Content-Type-Options": "nosniff", "Strata-Source": fmt.Sprint(tc.seq)} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("event %d: got %s %q, want %q", tc.seq, name, got, want)
			}
		}
		digest := sha256.Sum256(body)
		if event := s.Object(path); event["sha256"] != "0x"+hex.EncodeToString(digest[:]) || event["size"] != float64(len(body)) {
			t.Errorf("event %d: got %v, want the digest and size of its body", tc.seq, event)
		}
		head := must.Get(apitest.Plain.Head(server.URL + path + "/body"))(t)
		if err := head.Body.Close(); err != nil {
			t.Error(err)
		}
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

func keys(s *apitest.Site, path string, limit int, key func(map[string]any) string) []string {
	s.T.Helper()
	var keys []string
	target := fmt.Sprintf("%s?limit=%d", path, limit)
	for {
		var page struct {
			Limit   int
			Cursor  struct{ Next, Current *string }
			Results []map[string]any
		}
		got := s.Get(target)
		if err := json.Unmarshal([]byte(got.Body), &page); err != nil || got.Status != http.StatusOK {
			s.T.Fatalf("%s: got %d %s (%v)", target, got.Status, got.Body, err)
		}
		if len(page.Results) > limit || page.Limit != limit {
			s.T.Errorf("%s: got %d rows and limit %d, want %d at most", target, len(page.Results), page.Limit, limit)
		}
		for _, row := range page.Results {
			keys = append(keys, key(row))
		}
		if page.Cursor.Next == nil {
			return keys
		}
		target = fmt.Sprintf("%s?limit=%d&cursor=%s", path, limit, *page.Cursor.Next)
	}
}

func TestQuarantine(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	if got := s.Get("/audit/v1/quarantine"); got.Body != empty {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, empty)
	}
	var want []string
	for _, seq := range []int{4, 17, 90} {
		for _, name := range []string{"balances", "chain"} {
			s.Exec(`INSERT INTO strata.quarantine VALUES ($1, 1, $2, '/new_block', '/block_height', 'want <a number>', '2024-01-02 03:04:05.5+00')`, name, seq)
			want = append(want, fmt.Sprint(seq, name))
		}
	}
	for limit := 1; limit <= 7; limit++ {
		got := keys(s, "/audit/v1/quarantine", limit, func(row map[string]any) string { return fmt.Sprint(row["seq"], row["projection"]) })
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
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
	want := []string{apitest.Alice + apitest.Coin + "15", apitest.Bob + "stx20", apitest.Bob + "stx30"}
	for limit := 1; limit <= 4; limit++ {
		got := keys(s, "/audit/v1/negative-balances", limit, func(row map[string]any) string { return fmt.Sprint(row["account"], row["asset"], row["height"]) })
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	s.Golden("negative_balances", s.Get("/audit/v1/negative-balances?limit=1").Body)
}

func TestNegativeBalancesBeforeTheProjection(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	if got := s.Get("/audit/v1/negative-balances"); got.Status != http.StatusOK || got.Body != empty {
		t.Errorf("without the projection: got %d %s, want %s", got.Status, got.Body, empty)
	}
}
