package serve

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/proxy"
)

func TestFaucetSettings(t *testing.T) {
	t.Parallel()
	const secret = "753b7cc01a1a2e86221266a154af739463fce51219d97e4f856cd7200c3bd2a601"
	node := []proxy.Node{{URL: "http://127.0.0.1:1"}}
	for _, tc := range []struct {
		name    string
		flags   faucetFlags
		nodes   []proxy.Node
		network string
		want    string // in the error; empty for none
	}{
		{"none on mainnet", faucetFlags{}, nil, "mainnet", ""},
		{"keys on mainnet", faucetFlags{FaucetPrivateKey: []string{secret}}, node, "mainnet", "--network is mainnet"},
		{"URL on mainnet", faucetFlags{FaucetURL: "https://faucet.example"}, nil, "mainnet", "--network is mainnet"},
		{"URL", faucetFlags{FaucetURL: "https://faucet.example"}, nil, "testnet", ""},
		{"no URL", faucetFlags{FaucetURL: "faucet.example"}, nil, "testnet", "--faucet-url"},
		{"no node", faucetFlags{FaucetPrivateKey: []string{secret}}, nil, "testnet", "--nodes"},
		{"no key", faucetFlags{FaucetPrivateKey: []string{secret[:20]}}, node, "testnet", "key 1"},
	} {
		_, err := tc.flags.faucetConfig(t.Context(), nil, tc.nodes, tc.network, 1<<31, slog.New(slog.DiscardHandler))
		if (err != nil) != (tc.want != "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), secret[:20])) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestFaucetForwarding(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = io.WriteString(w, r.Method+" "+r.URL.String()+" for "+r.Header.Get("X-Forwarded-For"))
	}))
	ask := func(target, version string) (*httptest.ResponseRecorder, string) {
		config := must.Get((&faucetFlags{FaucetURL: target}).faucetConfig(t.Context(), nil, nil, "testnet", 1<<31, slog.New(slog.DiscardHandler)))(t)
		w := httptest.NewRecorder()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		config.Forward.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/extended/"+version+"/faucets/btc?address=x", nil))
		return w, w.Body.String()
	}
	w, body := ask(other.URL, "v1")
	if w.Code != 200 || body != "POST /extended/v1/faucets/btc?address=x for 192.0.2.1" || len(w.Header().Values("Access-Control-Allow-Origin")) != 1 {
		t.Errorf("got %d %s with %v", w.Code, body, w.Header())
	}
	other.Close()
	for version, want := range map[string]string{
		"v1": `{"error":"Faucet is temporarily unavailable, please try again later","success":false}`,
		"v3": `{"error":"Faucet is temporarily unavailable, please try again later"}`,
	} {
		if w, body := ask(other.URL+"/base", version); w.Code != 503 || body != want {
			t.Errorf("%s: got %d %s, want %s", version, w.Code, body, want)
		}
	}
}
