package domain_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
)

// A report leaves out what an earlier one on the same want brought, and nothing else.
func TestLeaveOut(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC)
	text := strings.Repeat("x", 300)
	read := fetch.Want{Kind: fetch.ContractRead, Contract: "SP000000000000000000002Q6VF78.x", Calls: []fetch.Call{{Function: "a"}, {Function: "b"}}}
	report := func(want fetch.Want, change func(r *fetch.Report)) *fetch.Report {
		r := &fetch.Report{Want: want, Attempt: 1, StartedAt: at, FinishedAt: at}
		answer := func(call int, body string) {
			r.Exchanges = append(r.Exchanges, fetch.Exchange{
				Call: call, Method: "GET", URL: "https://x.test/1", Gateway: "https://g.test", Status: 200, Body: fetch.Body(body), StartedAt: at, TookMicros: 5,
				Header: map[string]string{"content-type": "text/plain"},
			})
		}
		if want.Kind == fetch.ContractRead {
			r.Tip = &fetch.Tip{Height: 5}
			answer(0, "one")
			answer(1, "two")
		} else {
			answer(0, text)
		}
		if want.Kind == fetch.Image {
			r.Image = &fetch.ImageFacts{SHA256: "00", ContentType: "image/png"}
		}
		if change != nil {
			change(r)
		}
		return r
	}
	short := []fetch.Exchange{{Gateway: "https://g.test", Status: 200, Unchanged: &fetch.Unchanged{Seq: 7}}}
	document, image := fetch.Want{Kind: fetch.Document, URI: "ipfs://1"}, fetch.Want{Kind: fetch.Image, URI: "ipfs://1"}
	for _, c := range []struct {
		name   string
		want   fetch.Want
		change func(known *fetch.Report)
		left   bool
	}{
		{"the same document", document, nil, true},
		{"the same image", image, nil, true},
		{"the same answers", read, nil, true},
		{"another document", document, func(known *fetch.Report) { known.Exchanges[0].Body = fetch.Body(text + "y") }, false},
		{"an image of another kind", image, func(known *fetch.Report) { known.Image.ContentType = "image/gif" }, false},
		{"an image that was not decoded", image, func(known *fetch.Report) { known.Image = nil }, false},
		{"another first answer", read, func(known *fetch.Report) { known.Exchanges[0].Body = fetch.Body("three") }, false},
		{"another last answer", read, func(known *fetch.Report) { known.Exchanges[1].Body = fetch.Body("three") }, false},
		{"a call without an answer", read, func(known *fetch.Report) { known.Exchanges = known.Exchanges[:1] }, false},
		{"a failure", read, func(known *fetch.Report) { known.Exchanges[1].Failure = fetch.FailureTimeout }, false},
		{"an earlier report that brought nothing either", read, func(known *fetch.Report) { known.Exchanges = short }, false},
		{"a report on something else", document, func(known *fetch.Report) { known.Want.URI = "ipfs://2" }, false},
	} {
		r := report(c.want, nil)
		before := report(c.want, nil)
		if left := r.LeaveOut(report(c.want, c.change), 7); left != c.left {
			t.Errorf("%s: left out %t", c.name, left)
			continue
		}
		if !c.left {
			if !reflect.DeepEqual(r, before) {
				t.Errorf("%s: got %+v", c.name, r)
			}
			continue
		}
		if since, ok := r.UnchangedSince(); !ok || since != 7 || !reflect.DeepEqual(r.Exchanges, short) || r.Image != nil {
			t.Errorf("%s: got %+v", c.name, r)
		}
		encoded := must.Get(r.Encode())(t)
		if decoded, err := fetch.DecodeReport(encoded); err != nil || !reflect.DeepEqual(decoded, r) {
			t.Errorf("%s: %s is decoded as %+v (%v)", c.name, encoded, decoded, err)
		}
	}
	small := report(document, nil)
	small.Exchanges[0].Body = fetch.Body("{}")
	if small.LeaveOut(small, 7) {
		t.Error("left out a body that is shorter than what names it")
	}
}
