package readapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/domain/hash"
	"strata/readapi"
	"strata/readapi/faucet"
	"strata/rig/apitest"
)

// ask posts a body, and returns the status and the body of the answer.
func ask(t *testing.T, network string, config faucet.Config, method, target, body string) (int, string) {
	t.Helper()
	s := apitest.NewSiteOn(t, nil, readapi.Config{Network: network, Faucet: config})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.7:1234"
	s.API.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const v1, to = "/extended/v1/faucets/", "ST000000000000000000002AMW42H"
	var asked faucet.Request
	var fails error
	works := faucet.Config{STX: func(_ context.Context, r faucet.Request) (*faucet.Sent, error) {
		asked = r
		return &faucet.Sent{ID: hash.Hash32{31: 9}, Raw: []byte{1, 2}, Amount: 500_000_000}, fails
	}}
	sent := `{"success":true,"txId":"` + hash.Hash32{31: 9}.String() + `","txRaw":"0x0102"}`
	for _, tc := range []struct {
		name, target, body string
		config             faucet.Config
		fails              error
		status             int
		want               string
		asked              faucet.Request
	}{
		{"none", v1 + "stx?address=" + to, "", faucet.Config{}, nil, 403, `{"error":"Faucet is not available","success":false}`, faucet.Request{}},
		{"none of BTC", v1 + "btc?address=x", "", works, nil, 403, `{"error":"BTC faucet is not available","success":false}`, faucet.Request{}},
		{"none of sBTC", v1 + "sbtc", "", works, nil, 403, `{"error":"sBTC faucet is not available","success":false}`, faucet.Request{}},
		{"version 1", v1 + "stx?address=" + to, "", works, nil, 200, sent, faucet.Request{Address: to, Client: "192.0.2.7"}},
		{"to stack", v1 + "stx?stacking=true&address=" + to, "", works, nil, 200, sent, faucet.Request{Address: to, Stacking: true, Client: "192.0.2.7"}},
		{"no address", v1 + "stx", "", works, nil, 400, `{"error":"address required","success":false}`, faucet.Request{}},
		{"parameters in a body", v1 + "stx", "address=" + to, works, nil, 400, `POST body is no longer supported, parameters must be passed as query parameters, e.g. `, faucet.Request{}},
		{"no boolean", v1 + "stx?stacking=1&address=" + to, "", works, nil, 400, `querystring/stacking must be boolean`, faucet.Request{}},
		{"wrong address", v1 + "stx?address=x", "", works, faucet.ErrAddress, 400, `"success":false`, faucet.Request{Address: "x", Client: "192.0.2.7"}},
		{"too many", v1 + "stx?address=x", "", works, faucet.ErrTooMany, 429, `{"error":"Too many requests","success":false}`, faucet.Request{Address: "x", Client: "192.0.2.7"}},
		{"out of funds", v1 + "stx?address=x", "", works, faucet.ErrFunds, 503, `out of funds`, faucet.Request{Address: "x", Client: "192.0.2.7"}},
		{"refused", v1 + "stx?address=x", "", works, faucet.ErrRefused, 503, `{"error":"Faucet is temporarily unavailable, please try again later","success":false}`, faucet.Request{Address: "x", Client: "192.0.2.7"}},
		{"no node", v1 + "stx?address=x", "", works, errors.New("secret"), 503, `{"error":"Faucet is temporarily unavailable, please try again later","success":false}`, faucet.Request{Address: "x", Client: "192.0.2.7"}},
	} {
		asked, fails = faucet.Request{}, tc.fails
		status, body := ask(t, "testnet", tc.config, http.MethodPost, tc.target, tc.body)
		if status != tc.status || !strings.Contains(body, tc.want) || strings.Contains(body, "secret") || asked != tc.asked {
			t.Errorf("%s: got %d %s and asked for %+v, want %d %s and %+v", tc.name, status, body, asked, tc.status, tc.want, tc.asked)
		}
	}
	if status, body := ask(t, "testnet", works, http.MethodGet, v1+"btc/x", ""); status != 403 || !strings.Contains(body, "BTC faucet is not available") {
		t.Errorf("balance: got %d %s", status, body)
	}
}

func TestAnswersOfVersion3(t *testing.T) {
	t.Parallel()
	const v3, to = "/extended/v3/faucets/", "ST000000000000000000002AMW42H"
	const body = `{"address":"` + to + `","stacking":true}` // other members are ignored
	asks := faucet.Request{Address: to, Unlimited: true, Client: "192.0.2.7"}
	for _, tc := range []struct {
		name, network, coin, body string
		off                       bool
		fails                     error
		status                    int
		want                      string
		asked                     faucet.Request
	}{
		{"sent", "testnet", "stx", body, false, nil, 200, `{"transaction":{"tx_id":"` + hash.Hash32{31: 9}.String() + `","chain":"stacks"},"amount":{"stx":"500000000"}}`, asks},
		{"no body", "mainnet", "stx", "", false, nil, 400, `{"error":"body must be object"}`, faucet.Request{}},
		{"no object", "testnet", "btc", `["` + to + `"]`, true, nil, 400, `{"error":"body must be object"}`, faucet.Request{}},
		{"no address", "testnet", "sbtc", `{}`, true, nil, 400, `{"error":"body must have required property 'address'"}`, faucet.Request{}},
		{"a number", "testnet", "stx", `{"address":1}`, false, nil, 400, `{"error":"body/address must be string"}`, faucet.Request{}},
		{"empty", "mainnet", "stx", `{"address":""}`, true, nil, 400, `{"error":"body/address must NOT have fewer than 1 characters"}`, faucet.Request{}},
		{"too long", "testnet", "stx", `{"address":"` + strings.Repeat("S", 4096) + `"}`, false, nil, 400, `{"error":"the body can't be read: it must have at most 4096 bytes"}`, faucet.Request{}},
		{"mainnet", "mainnet", "btc", body, true, nil, 403, `{"error":"Faucet is not available"}`, faucet.Request{}},
		{"off", "testnet", "stx", body, true, nil, 403, `{"error":"STX faucet is not available"}`, faucet.Request{}},
		{"BTC", "testnet", "btc", body, false, nil, 403, `{"error":"BTC faucet is not available"}`, faucet.Request{}},
		{"sBTC", "testnet", "sbtc", body, false, nil, 403, `{"error":"sBTC faucet is not available"}`, faucet.Request{}},
		{"wrong address", "testnet", "stx", body, false, faucet.ErrAddress, 400, `{"error":"Invalid testnet Stacks address"}`, asks},
		{"out of funds", "testnet", "stx", body, false, faucet.ErrFunds, 503, `{"error":"The faucet is temporarily out of funds, please try again later"}`, asks},
		{"refused", "testnet", "stx", body, false, faucet.ErrRefused, 500, `{"error":"Faucet request failed, please try again later"}`, asks},
		{"no node", "testnet", "stx", body, false, errors.New("secret"), 503, `{"error":"Faucet is temporarily unavailable, please try again later"}`, asks},
	} {
		var asked faucet.Request
		var config faucet.Config
		if !tc.off {
			config.STX = func(_ context.Context, r faucet.Request) (*faucet.Sent, error) {
				asked = r
				return &faucet.Sent{ID: hash.Hash32{31: 9}, Raw: []byte{1, 2}, Amount: 500_000_000}, tc.fails
			}
		}
		if status, got := ask(t, tc.network, config, http.MethodPost, v3+tc.coin, tc.body); status != tc.status || got != tc.want || asked != tc.asked {
			t.Errorf("%s: got %d %s and asked for %+v, want %d %s and %+v", tc.name, status, got, asked, tc.status, tc.want, tc.asked)
		}
	}
}

// Requests go to another faucet as they came, and its answers back.
func TestForwarding(t *testing.T) {
	t.Parallel()
	forward := faucet.Config{Forward: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.String()+" "+string(body))
	})}
	for _, tc := range [][3]string{
		{http.MethodPost, "/extended/v1/faucets/stx?address=a", ""}, {http.MethodPost, "/extended/v1/faucets/btc?address=b&large=true", ""},
		{http.MethodPost, "/extended/v3/faucets/sbtc", `{"address":"c"}`}, {http.MethodGet, "/extended/v1/faucets/btc/d", ""},
	} {
		if status, body := ask(t, "testnet", forward, tc[0], tc[1], tc[2]); status != http.StatusTeapot || body != strings.Join(tc[:], " ") {
			t.Errorf("%v: got %d %q", tc, status, body)
		}
	}
}
