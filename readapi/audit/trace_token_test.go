package audit_test

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// What is shown of a token is in the events that its trace names: the deploy, the mint, what the contract said, and what
// was found at the addresses that it gave.
func TestTraceOfTokens(t *testing.T) {
	t.Parallel()
	r := apitest.NewRefreshed(t)
	coin, art := r.Contract("ft"), r.Contract("nft")
	ids := r.IDs("nft", art)
	r.Told()
	piece := fmt.Sprint(ids[len(ids)-1])

	for _, path := range []string{"/metadata/v1/ft/" + coin, "/metadata/ft/" + coin + "/provenance", "/metadata/v1/search?contract=" + coin, "/metadata/v1/batch?contract=" + coin} {
		traced := r.Trace(path, 2)
		contract := r.One(traced, "ft.contract")
		r.Deploys(contract, coin)
		tokens := r.One(traced, "ft.token")
		r.Deploys(tokens, coin)
		said := r.SaidIn(tokens, "read_seq")
		if name := tokens.Column("name"); name != "name of "+coin || !slices.ContainsFunc(said, func(v string) bool { return strings.Contains(v, name) }) {
			t.Errorf("%s: got name %q, and in the report %q", path, name, said)
		}
		if uri := tokens.Column("uri"); !slices.ContainsFunc(said, func(v string) bool { return strings.Contains(v, uri) }) {
			t.Errorf("%s: got URI %q, and in the report %q", path, uri, said)
		}
		r.Resources(traced, "ft")
	}

	for _, path := range []string{
		"/metadata/v1/nft/" + art + "/" + piece, "/metadata/v1/sft/" + art + "/" + piece, "/metadata/v1/nft/" + art + "/" + piece + "/provenance",
		"/metadata/v1/search?contract=" + art + ":" + piece + "&contract=" + apitest.P1,
		"/metadata/v1/batch?contract=" + art + ":" + piece + "&contract=" + apitest.P1,
	} {
		traced := r.Trace(path, 3)
		r.Deploys(r.One(traced, "nft.contract"), art)
		minted := r.One(traced, "nft.token")
		id, _ := new(big.Int).SetString(piece, 10)
		value := must.Get(clarity.NewUint(id))(t)
		event := r.Fact(minted, "source_seq")
		if mint, ok := event["nft_mint_event"].(apitest.Fields); !ok || mint["raw_value"] != "0x"+hex.EncodeToString(value.Encode()) || !strings.HasPrefix(mint["asset_identifier"].(string), art+"::") {
			t.Errorf("%s: got %v, want the mint of %s", path, event, piece)
		}
		r.Resources(traced, "nft")
	}

	list := r.Get("/metadata/v1/ft?limit=60")
	var page struct {
		Results []struct {
			Contract string `json:"contract_principal"`
			Name     string
		}
	}
	apitest.DecodeJSON(t, list.Body, &page)
	traced := r.Trace("/metadata/v1/ft?limit=60", 9)
	names := map[string]string{}
	for _, row := range traced.In("ft.token") {
		names[row.Column("contract_id")] = row.Column("name")
		if said := r.SaidIn(row, "read_seq"); !slices.ContainsFunc(said, func(v string) bool { return strings.Contains(v, row.Column("name")) }) {
			t.Errorf("%v: got %q", row, said)
		}
	}
	for _, listed := range page.Results {
		if names[listed.Contract] != listed.Name || listed.Name == "" {
			t.Errorf("got %q in the list and %q in its trace", listed.Name, names[listed.Contract])
		}
	}
	if len(page.Results) == 0 || len(names) != len(page.Results) || len(traced.In("ft.contract")) != len(names) {
		t.Errorf("got %d tokens in the trace of a list of %d", len(names), len(page.Results))
	}
}

// The notification that counts is where its pointer says.
func TestTraceOfNotification(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Full(token.SFT, apitest.P2, apitest.FullDocument(), nil)
	for n, mode := range []string{"frozen", "standard"} {
		s.Insert("sft_v1.notification", nil, apitest.Columns{
			"height": 20 + n, "source_seq": n + 1, "ttl": "3600", "tx_index": 0, "event_index": 0, "token_id": nil, "contract_id": apitest.P2, "mode": mode,
			"pointer": fmt.Sprintf("/events/%d", n),
		})
	}
	var traced apitest.TraceOf
	apitest.DecodeJSON(t, s.Get(apitest.TracePath("/metadata/v1/sft/"+apitest.P2+"/1/provenance")).Body, &traced)
	if got := s.One(traced, "sft.notification"); got.Column("mode") != "frozen" || got.Sources[0].Seq != 1 || !slices.Equal(got.Sources[0].Pointers, []string{"/events/0"}) {
		t.Errorf("got %v", got)
	}
}

// Reports that are long are not read to say where in them the answer is, and those that are no reports say nothing.
func TestTraceOfOddReports(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSiteOn(t, replay.Databases.New(t), readapi.Config{})
	reports := []struct{ body, want string }{
		{`{"exchanges":[{"body":"` + strings.Repeat("x", 1<<20) + `"}]}`, `["/exchanges"]`},
		{`no JSON`, `[]`},
		{`{"want":{"uri":"data:,x"}}`, `["/want/uri"]`},
		{`{"exchanges":[{"body":"a"},{"failure":"timeout","body":"half"}]}`, `["/exchanges/1/failure"]`},
		{`{"exchanges":[{"body":""},{"call":1,"body_base64":"AA=="},{"call":2,"status":404}]}`, `["/exchanges/0/body","/exchanges/1/body_base64","/exchanges/2/status"]`},
	}
	s.Contract(token.FT, apitest.P1, nil)
	s.Unread(token.FT, apitest.P1, "1", nil)
	for i, report := range reports {
		s.Exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) VALUES ($1, now(), $2, $3, 'test', 'strata:fetch', 'application/json', $4)`,
			i+1, len(report.body), apitest.URIHash(report.body), []byte(report.body))
		s.Exec(`UPDATE ft_v1.token SET read_seq = $1`, i+1)
		var traced apitest.TraceOf
		apitest.DecodeJSON(t, s.Get(apitest.TracePath("/metadata/v1/ft/"+apitest.P1)).Body, &traced)
		sources := s.One(traced, "ft.token").Sources
		if got := apitest.AsJSON(t, sources[1].Pointers); sources[1].Column != "read_seq" || got != report.want {
			t.Errorf("report %d: got %s, want %s", i, got, report.want)
		}
	}
}
