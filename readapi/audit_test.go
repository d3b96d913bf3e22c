package readapi_test

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
)

func TestEvent(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	got := s.get("/audit/v1/events/2")
	s.golden("event", got.body)
	s.golden("event_repeated", s.get("/audit/v1/events/3").body)
	if got.header.Get("Strata-Source") != "2" || got.header.Get("Strata-Position") != "log=160" {
		t.Errorf("got source %q at %q, want 2 at log=160", got.header.Get("Strata-Source"), got.header.Get("Strata-Position"))
	}
}

// plain takes bodies as they are.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}}

func TestEventBody(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	server := httptest.NewServer(s.api)
	defer server.Close()
	for _, tc := range []struct {
		seq         int
		contentType string
		want        []byte
	}{
		{2, "application/json", []byte("{\"n\":2,\"text\":\"<a>\\u0000\"}")},
		{3, "application/json", []byte("{\"n\":2,\"text\":\"<a>\\u0000\"}")}, // stored with event 2
		{4, "application/octet-stream", []byte{0, 1, 2, 0xff}},               // came as text/html
		{5, "application/json", largeBody()},
	} {
		path := fmt.Sprintf("/audit/v1/events/%d", tc.seq)
		response, err := plain.Get(server.URL + path + "/body")
		if err != nil {
			t.Fatal(err)
		}
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
		if event := s.object(path); event["sha256"] != "0x"+hex.EncodeToString(digest[:]) || event["size"] != float64(len(body)) {
			t.Errorf("event %d: got %v, want the digest and size of its body", tc.seq, event)
		}
		head, err := plain.Head(server.URL + path + "/body")
		if err != nil {
			t.Fatal(err)
		}
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
	s := newWorld(t)
	// A log that says more than it has: the rest of event 161 is missing.
	s.exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) SELECT 161, received_at, 5000000, sha256, source, path, content_type, body FROM log.event WHERE seq = 2`)
	server := httptest.NewServer(s.api)
	defer server.Close()
	response, err := plain.Get(server.URL + "/audit/v1/events/161/body")
	if err == nil {
		_, err = io.ReadAll(response.Body)
		if closeErr := response.Body.Close(); closeErr != nil {
			t.Error(closeErr)
		}
	}
	if err == nil {
		t.Error("the body looks complete")
	}
	if !strings.Contains(s.log.String(), "a body was cut off") {
		t.Errorf("the log has no word of it: %s", s.log)
	}
}

func (s *site) keys(path string, limit int, key func(map[string]any) string) []string {
	s.t.Helper()
	var keys []string
	target := fmt.Sprintf("%s?limit=%d", path, limit)
	for {
		var page struct {
			Limit   int
			Cursor  struct{ Next, Current *string }
			Results []map[string]any
		}
		got := s.get(target)
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != http.StatusOK {
			s.t.Fatalf("%s: got %d %s (%v)", target, got.status, got.body, err)
		}
		if len(page.Results) > limit || page.Limit != limit {
			s.t.Errorf("%s: got %d rows and limit %d, want %d at most", target, len(page.Results), page.Limit, limit)
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
	s := newWorld(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	if got := s.get("/audit/v1/quarantine"); got.body != empty {
		t.Errorf("got %d %s, want %s", got.status, got.body, empty)
	}
	var want []string
	for _, seq := range []int{4, 17, 90} {
		for _, name := range []string{"balances", "chain"} {
			s.exec(`INSERT INTO strata.quarantine VALUES ($1, 1, $2, '/new_block', '/block_height', 'want <a number>', '2024-01-02 03:04:05.5+00')`, name, seq)
			want = append(want, fmt.Sprint(seq, name))
		}
	}
	for limit := 1; limit <= 7; limit++ {
		got := s.keys("/audit/v1/quarantine", limit, func(row map[string]any) string { return fmt.Sprint(row["seq"], row["projection"]) })
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	got := s.get("/audit/v1/quarantine?limit=2&cursor=17:balances:1")
	s.golden("quarantine", got.body)
	if want := "17"; got.header.Get("Strata-Source") != want { // not 90, of which the page says only that it is next
		t.Errorf("Strata-Source: got %q, want %q", got.header.Get("Strata-Source"), want)
	}
}

func TestNegativeBalances(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	want := []string{alice + coin + "15", bob + "stx20", bob + "stx30"}
	for limit := 1; limit <= 4; limit++ {
		got := s.keys("/audit/v1/negative-balances", limit, func(row map[string]any) string { return fmt.Sprint(row["account"], row["asset"], row["height"]) })
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	s.golden("negative_balances", s.get("/audit/v1/negative-balances?limit=1").body)
}

func TestNegativeBalancesBeforeTheProjection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	if got := s.get("/audit/v1/negative-balances"); got.status != http.StatusOK || got.body != empty {
		t.Errorf("without the projection: got %d %s, want %s", got.status, got.body, empty)
	}
}
