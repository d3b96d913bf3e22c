package domain_test

import (
	"bytes"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
)

func TestEncodeWithin(t *testing.T) {
	t.Parallel()
	report := &fetch.Report{
		Want: fetch.Want{Kind: fetch.Image, URI: "https://x.test/x"}, Attempt: 1, StartedAt: time.Now(), FinishedAt: time.Now(),
		Image: &fetch.ImageFacts{SHA256: "00"},
		Exchanges: []fetch.Exchange{
			{Method: "GET", URL: "https://x.test/x", Failure: fetch.FailureConnection, Error: "cut", Body: bytes.Repeat([]byte{0}, 100)},
			{Method: "GET", URL: "https://x.test/x", Status: 200, Body: bytes.Repeat([]byte{0}, 10_000)}, // six bytes each, in JSON
		},
	}
	whole := must.Get(report.EncodeWithin(100_000))(t)
	got := must.Get(fetch.DecodeReport(whole))(t)
	if last, _ := got.Last(); !bytes.Equal(last.Body, report.Exchanges[1].Body) || got.Image == nil {
		t.Errorf("got %+v", got)
	}
	small := must.Get(report.EncodeWithin(10_000))(t)
	if len(small) > 10_000 {
		t.Errorf("got %d bytes", len(small))
	}
	got = must.Get(fetch.DecodeReport(small))(t)
	last, _ := got.Last()
	if last.Failure != fetch.FailureTooLarge || last.Error == "" || last.Body != nil || last.Status != 200 || got.Image != nil {
		t.Errorf("got %+v", last)
	}
	if got.Exchanges[0].Failure != fetch.FailureConnection || got.Exchanges[0].Body != nil {
		t.Errorf("got %+v first", got.Exchanges[0])
	}
	if len(report.Exchanges[1].Body) == 0 || report.Image == nil {
		t.Error("EncodeWithin modified the report")
	}
}
