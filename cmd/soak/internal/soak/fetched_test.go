package soak

import (
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/internal/testkit/outside"
)

// Only what the role metadata has appended counts as the server's own: whatever anybody else appends is one of the posted events, or foreign.
func TestOwnEvents(t *testing.T) {
	for _, tc := range []struct {
		source, path string
		want         bool
	}{
		{"metadata", fetch.PathReport, true},
		{"metadata", fetch.PathRecheck, true},
		{"metadata", fetch.PathRest, true},
		{"metadata", fetch.PathRefresh, false}, // nobody asks for one
		{"metadata", "/new_block", false},
		{"observer:127.0.0.1", fetch.PathReport, false},
		{"observer:127.0.0.1", "/" + fetch.PathReport, false},
	} {
		if got := own(tc.source, tc.path); got != tc.want {
			t.Errorf("%s from %s: got %t", tc.path, tc.source, got)
		}
	}
}

// What the log says of documents has to be what the gateway sends.
func TestFetchedDocumentsAreCompared(t *testing.T) {
	uri := outside.URI("SP000000000000000000002Q6VF78.coin", "7")
	document := must.Get(documentOf(uri))(t)
	report := func(exchanges ...fetch.Exchange) []byte {
		return must.Get((&fetch.Report{Want: fetch.Want{Kind: fetch.Document, URI: uri}, Attempt: 1, StartedAt: time.Now(), FinishedAt: time.Now(), Exchanges: exchanges}).Encode())(t)
	}
	for _, tc := range []struct {
		name                         string
		body                         []byte
		documents, exchanges, failed int
		wrong                        bool
	}{
		{"the document", report(fetch.Exchange{Status: 200, Body: document}), 1, 1, 0, false},
		{"what the gateway sends instead", report(fetch.Exchange{Status: 200, Body: []byte(garbage)}, fetch.Exchange{Status: 404}), 0, 2, 2, false},
		{"the document, after the connection broke", report(fetch.Exchange{Failure: fetch.FailureConnection, Error: "cut"}, fetch.Exchange{Status: 200, Body: document}), 1, 1, 1, false},
		{"a request that was not made", report(fetch.Exchange{Status: 429, Error: "paused"}), 0, 0, 0, true},
		{"another document", report(fetch.Exchange{Status: 200, Body: outside.Document("another")}), 0, 1, 0, true},
		{"a part of it", report(fetch.Exchange{Status: 200, Body: document[:10]}), 0, 1, 0, true},
		{"no report", []byte(`{}`), 0, 0, 0, true},
	} {
		var got fetched
		err := got.note(fetch.PathReport, tc.body)
		failed := 0
		for _, n := range got.failed {
			failed += n
		}
		if (err != nil) != tc.wrong || got.documents != tc.documents || int(got.exchanges) != tc.exchanges || failed != tc.failed || got.events != 1 {
			t.Errorf("%s: got %+v, %v", tc.name, got, err)
		}
	}
}
