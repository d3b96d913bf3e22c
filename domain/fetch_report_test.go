package domain_test

import (
	"reflect"
	"testing"
	"time"

	"strata/domain/fetch"
)

// The JSON form of a report must not change, so that old reports in the log stay readable.
func TestReportEncodesAndDecodes(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 22, 8, 0, 0, 123456000, time.UTC)
	report := &fetch.Report{
		Want:    fetch.Want{Kind: fetch.ContractRead, Contract: "SP1.a", Calls: []fetch.Call{{Function: "get-name"}, {Function: "get-symbol"}}},
		Attempt: 2, Tip: &fetch.Tip{Height: 7}, StartedAt: start, FinishedAt: start.Add(time.Second),
		Exchanges: []fetch.Exchange{
			{Method: "POST", URL: "http://a.example/<x>", Gateway: "http://a.example", Request: `{"sender":"SP1"}`, Status: 200,
				Header: map[string]string{"content-type": "application/json"}, Body: fetch.Body("{\"a\":\"\\u0000<\"}\n"), StartedAt: start, TookMicros: 50},
			{Call: 1, Method: "POST", URL: "http://a.example/", Status: 200, Body: fetch.Body{0xff, 0}, StartedAt: start},
			{Call: 1, Method: "POST", URL: "http://a.example/", Status: 204, Body: fetch.Body{}, StartedAt: start},
			{Call: 1, Method: "POST", URL: "http://a.example/", Failure: fetch.FailureTimeout, Error: "too late", StartedAt: start},
		},
		Image: &fetch.ImageFacts{SHA256: "00", ContentType: "image/png", Width: 1},
	}
	const want = `{"want":{"kind":"contract_read","contract":"SP1.a","calls":[{"function":"get-name"},{"function":"get-symbol"}]},"attempt":2,` +
		`"tip":{"height":7,"index_block_hash":"0x0000000000000000000000000000000000000000000000000000000000000000"},` +
		`"started_at":"2026-11-22T08:00:00.123456Z","finished_at":"2026-11-22T08:00:01.123456Z","exchanges":[` +
		`{"method":"POST","url":"http://a.example/\u003cx\u003e","gateway":"http://a.example","request":"{\"sender\":\"SP1\"}","status":200,` +
		`"header":{"content-type":"application/json"},"started_at":"2026-11-22T08:00:00.123456Z","took_us":50,"body":"{\"a\":\"\\u0000\u003c\"}\n"},` +
		`{"call":1,"method":"POST","url":"http://a.example/","status":200,"started_at":"2026-11-22T08:00:00.123456Z","body_base64":"/wA="},` +
		`{"call":1,"method":"POST","url":"http://a.example/","status":204,"started_at":"2026-11-22T08:00:00.123456Z","body":""},` +
		`{"call":1,"method":"POST","url":"http://a.example/","failure":"timeout","error":"too late","started_at":"2026-11-22T08:00:00.123456Z"}],` +
		`"image":{"sha256":"00","content_type":"image/png","width":1}}`
	text, err := report.Encode()
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	if got, err := fetch.DecodeReport([]byte(want)); err != nil || !reflect.DeepEqual(got, report) {
		t.Errorf("got %+v, %v, want %+v", got, err, report)
	}
	for name, broken := range map[string]string{
		"base64":  `{"want":{"kind":"document","uri":"a"},"attempt":1,"exchanges":[{"body_base64":"?"}]}`,
		"attempt": `{"want":{"kind":"document","uri":"a"},"exchanges":[]}`,
		"tip":     `{"want":{"kind":"contract_read","contract":"a.b","calls":[{"function":"f"}]},"attempt":1}`,
		"call":    `{"want":{"kind":"document","uri":"a"},"attempt":1,"exchanges":[{"call":1}]}`,
		"want":    `{"attempt":1}`,
		"no JSON": `{`,
	} {
		if got, err := fetch.DecodeReport([]byte(broken)); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
	empty := &fetch.Report{Want: fetch.Want{Kind: fetch.Document, URI: "a"}, Attempt: 1}
	if text, err := empty.Encode(); err != nil || string(text) != `{"want":{"kind":"document","uri":"a"},"attempt":1,`+
		`"started_at":"0001-01-01T00:00:00Z","finished_at":"0001-01-01T00:00:00Z","exchanges":null}` {
		t.Errorf("got %s, %v", text, err)
	}
}
