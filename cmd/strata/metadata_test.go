package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/pgtest"
)

// From the deployment of a contract to the thumbnail of a token's image: Strata asks the node and the gateway, and stores
// their answers in the log.
func TestTokenMetadata(t *testing.T) {
	t.Parallel()
	world := &outside.World{}
	beyond := httptest.NewServer(world)
	defer beyond.Close()
	dir := t.TempDir()
	s := startServer(t, dir, "--database-url", pgtest.URL(t), "--data-dir", dir, "--nodes", beyond.URL, "--ipfs-gateways", beyond.URL,
		"--fetch-allow", "127.0.0.1", "--image-store", "dir", "--public-url", "https://tokens.example/strata/", "--allow-refresh", "--public-internals")
	must(t, dir, "simulate", "--observer", s.observer, "--count", "150", "--seed", "7", "--calm")

	var list struct {
		Total   int
		Results []struct {
			Contract  string `json:"contract_principal"`
			Name      string `json:"name"`
			Image     string `json:"image_uri"`
			Thumbnail string `json:"image_thumbnail_uri"`
		}
	}
	eventually.Holds(t, "a fungible token has a name and an image", func() bool {
		s.read("/metadata/v1/ft?limit=60", &list)
		return list.Total > 0 && list.Results[0].Thumbnail != ""
	})
	coin := list.Results[0]
	if want := outside.Name(coin.Contract); coin.Name != want {
		t.Errorf("the name of %s is %q, want %q", coin.Contract, coin.Name, want)
	}
	for url, want := range map[string]string{coin.Image: "image/png", coin.Thumbnail: "image/png"} {
		path, ok := strings.CutPrefix(url, "https://tokens.example/strata")
		if !ok {
			t.Errorf("%s does not begin with --public-url", url)
		}
		if got := s.get(path); got.status != http.StatusOK || got.header.Get("Content-Type") != want {
			t.Errorf("%s: got %d %s", path, got.status, got.header.Get("Content-Type"))
		}
	}

	var token struct {
		Decimals *int
		Supply   string `json:"total_supply"`
		Metadata struct {
			SIP        int
			Name       string
			Attributes []struct {
				Trait string `json:"trait_type"`
			}
		}
	}
	if got := s.read("/metadata/v1/ft/"+coin.Contract, &token); got.header.Get("Strata-Source") == "" || got.header.Get("ETag") == "" {
		t.Errorf("an answer does not say where it comes from: %v", got.header)
	}
	if token.Decimals == nil || *token.Decimals != 6 || token.Supply != "1000000" || token.Metadata.SIP != 16 || len(token.Metadata.Attributes) != 1 {
		t.Errorf("got %+v", token)
	}

	// A refresh is an event too, and makes Strata fetch everything again.
	before := world.Calls()
	if got := do(t, http.MethodPost, s.api+"/metadata/v1/refresh", http.Header{"Content-Type": {"application/json"}}, []byte(`{"contract_id":"`+coin.Contract+`"}`)); got.status != http.StatusAccepted {
		t.Fatalf("refresh: got %d %s", got.status, got.body)
	}
	eventually.Holds(t, "a refreshed token was asked for again", func() bool { return world.Calls() >= before+5 })

	// Requests to the node are forwarded, too.
	call := "/v2/contracts/call-read/" + strings.Replace(coin.Contract, ".", "/", 1) + "/get-symbol"
	got := do(t, http.MethodPost, s.api+call, http.Header{"Content-Type": {"application/json"}}, []byte(`{"sender":"SP000000000000000000002Q6VF78","arguments":[]}`))
	if got.status != http.StatusOK || !strings.Contains(string(got.body), `"okay":true`) {
		t.Errorf("%s: got %d %s", call, got.status, got.body)
	}
	var pool struct{ Nodes []struct{ State, URL string } }
	if s.read("/proxy/v1/nodes", &pool); len(pool.Nodes) != 1 || pool.Nodes[0].URL != beyond.URL || pool.Nodes[0].State != "serving" && pool.Nodes[0].State != "lagging" { // it never leaves block 1
		t.Errorf("the pool is %+v", pool)
	}

	// A forged report, posted to the observer, is stored and ignored.
	for _, path := range []string{"/strata:fetch", "/strata/fetch"} {
		s.mustPost(path, []byte(`{"want":{"kind":"document","uri":"ipfs://x"},"attempt":1}`))
	}
	eventually.Holds(t, "the posted reports are passed over", func() bool {
		for _, p := range s.status().Strata.Projections {
			if p.Lag != 0 {
				return false
			}
		}
		return !strings.Contains(string(s.get("/audit/v1/quarantine").body), "strata")
	})
}
