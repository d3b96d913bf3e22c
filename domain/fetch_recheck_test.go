package domain_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/internal/testkit/must"
)

// A recheck says what its reports say, but for their times, and takes no report that says more.
func TestRecheck(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	tip := &fetch.Tip{Height: 5, IndexBlockHash: hash.Hash32{5}}
	report := func(n int, change func(r *fetch.Report)) *fetch.Report {
		r := &fetch.Report{
			Want: fetch.Want{Kind: fetch.ContractRead, Contract: "SP000000000000000000002Q6VF78.x", Calls: []fetch.Call{{Function: "a"}, {Function: "b"}}},
			Tip:  tip, Attempt: 1 + n, StartedAt: at.Add(-time.Duration(n) * time.Second), FinishedAt: at.Add(time.Duration(n) * time.Second),
			Exchanges: []fetch.Exchange{{Gateway: "https://g.test", Status: 200, Unchanged: &fetch.Unchanged{Seq: int64(7 + n)}}},
		}
		if change != nil {
			change(r)
		}
		return r
	}
	var recheck fetch.Recheck
	var want []*fetch.Report
	for n, r := range []*fetch.Report{report(0, nil), report(1, func(r *fetch.Report) { r.Want = fetch.Want{Kind: fetch.Document, URI: "https://x.test"} }), report(2, nil)} {
		if !recheck.Add(r) {
			t.Fatalf("report %d is not taken", n)
		}
		same := *r
		same.StartedAt, same.FinishedAt = at.Add(-2*time.Second), at.Add(2*time.Second)
		want = append(want, &same)
	}
	for name, change := range map[string]func(r *fetch.Report){
		"another block":   func(r *fetch.Report) { r.Tip = &fetch.Tip{Height: 5, IndexBlockHash: hash.Hash32{6}} },
		"no block":        func(r *fetch.Report) { r.Tip = nil },
		"another gateway": func(r *fetch.Report) { r.Exchanges[0].Gateway = "https://h.test" },
		"another status":  func(r *fetch.Report) { r.Exchanges[0].Status = 203 },
		"content":         func(r *fetch.Report) { r.Exchanges[0] = fetch.Exchange{Status: 200, Body: fetch.Body("x")} },
		"an attempt before": func(r *fetch.Report) {
			r.Exchanges = append([]fetch.Exchange{{Failure: fetch.FailureTimeout}}, r.Exchanges...)
		},
		"no request":           func(r *fetch.Report) { r.Exchanges = nil },
		"facts about an image": func(r *fetch.Report) { r.Image = &fetch.ImageFacts{} },
	} {
		if recheck.Add(report(3, change)) {
			t.Errorf("a report with %s is taken", name)
		}
	}
	body := must.Get(recheck.Encode())(t)
	decoded := must.Get(fetch.DecodeRecheck(body))(t)
	if got := decoded.Reports(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for text, problem := range map[string]string{
		`{"unchanged":[]}`: "want one or more",
		`{"unchanged":[{"want":{"kind":"document","uri":"x"},"seq":0}]}`:                                                  "/unchanged/0",
		`{"unchanged":[{"want":{"kind":"document"},"attempt":1,"seq":1}]}`:                                                "/want",
		`{"unchanged":[{"want":{"kind":"contract_read","contract":"x","calls":[{"function":"f"}]},"attempt":1,"seq":1}]}`: "/tip",
		`[]`: "recheck",
	} {
		if _, err := fetch.DecodeRecheck([]byte(text)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got %v, want %s", text, err, problem)
		}
	}
}
