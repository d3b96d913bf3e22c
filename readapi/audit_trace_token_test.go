package readapi_test

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/token"
	"strata/internal/testkit/replay"
	"strata/readapi"
)

// told answers all that is wanted as contracts and hosts would, with reports in the log, until nothing is.
func (r *refreshed) told() {
	r.t.Helper()
	for range 4 {
		replay.Wait(r.t, r.events)
		var posts []replay.Post
		for _, kind := range kinds {
			rows, err := r.pool.Query(r.t.Context(), `SELECT want FROM `+string(kind)+`_v1.want ORDER BY key_hash`)
			if err != nil {
				r.t.Fatal(err)
			}
			wants, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				r.t.Fatal(err)
			}
			for _, text := range wants {
				var want fetch.Want
				decodeJSON(r.t, text, &want)
				posts = append(posts, r.report(want))
			}
		}
		if len(posts) == 0 {
			return
		}
		replay.Append(r.t, r.events, posts...)
	}
	replay.Wait(r.t, r.events)
}

// report answers what is wanted. Before each answer that counts there is one that does not.
func (r *refreshed) report(want fetch.Want) replay.Post {
	r.t.Helper()
	at := time.Unix(1_800_000_000, 0).UTC()
	report := &fetch.Report{Want: want, Attempt: 1, StartedAt: at, FinishedAt: at}
	exchange := func(call int, body string) {
		report.Exchanges = append(report.Exchanges,
			fetch.Exchange{Call: call, Method: "GET", URL: "http://a.example", Status: 503, Body: fetch.Body("busy"), StartedAt: at},
			fetch.Exchange{Call: call, Method: "GET", URL: "http://a.example", Status: 200, Body: fetch.Body(body), StartedAt: at})
	}
	switch want.Kind {
	case fetch.ContractRead:
		var height int64
		var index []byte
		if err := r.pool.QueryRow(r.t.Context(), `SELECT height, index_block_hash FROM ft_v1.block ORDER BY height DESC LIMIT 1`).Scan(&height, &index); err != nil {
			r.t.Fatal(err)
		}
		report.Tip = &fetch.Tip{Height: height, IndexBlockHash: hash.Hash32(index)}
		for i, call := range want.Calls {
			exchange(i, `{"okay":true,"result":"0x`+hex.EncodeToString(r.says(want, call).Encode())+`"}`)
		}
	case fetch.Document:
		exchange(0, `{"sip":16,"name":"document of `+want.URI+`","image":"`+strings.Replace(want.URI, ".json", ".png", 1)+`"}`)
	case fetch.Image:
		exchange(0, "\xff"+want.URI)
		report.Image = &fetch.ImageFacts{SHA256: hex.EncodeToString(uriHash("\xff" + want.URI)), ContentType: "image/png", Width: 4, Height: 3}
	}
	text, err := report.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	return replay.Post{Path: fetch.PathReport, Body: text}
}

// says is what a contract answers.
func (r *refreshed) says(want fetch.Want, call fetch.Call) clarity.Value {
	text := func(make func(string) (clarity.Value, error), s string) clarity.Value {
		v, err := make(s)
		if err != nil {
			r.t.Fatal(err)
		}
		return v
	}
	switch call.Function {
	case "get-name":
		return clarity.NewOk(text(clarity.NewASCII, "name of "+want.Contract))
	case "get-symbol":
		return clarity.NewOk(text(clarity.NewASCII, "SYM"))
	case "get-decimals":
		return clarity.NewOk(clarity.NewUint64(6))
	case "get-token-uri":
		return clarity.NewOk(clarity.NewSome(text(clarity.NewUTF8, "https://a.example/"+want.Contract+"/"+strings.Join(call.Arguments, "")+".json")))
	case "get-last-token-id":
		return clarity.NewOk(clarity.NewUint64(0))
	}
	return clarity.NewOk(clarity.NewUint64(1000))
}

// saidIn are the Clarity values in the responses that the trace of a row points to.
func (s *site) saidIn(r rowOf, column string) (values []string) {
	s.t.Helper()
	for _, fact := range s.facts(r, column) {
		var response struct{ Result string }
		decodeJSON(s.t, fact.(string), &response)
		raw, err := hex.DecodeString(strings.TrimPrefix(response.Result, "0x"))
		if err != nil {
			s.t.Fatal(err)
		}
		value, err := clarity.DecodeAll(raw)
		if err != nil {
			s.t.Fatal(err)
		}
		values = append(values, value.Repr())
	}
	return values
}

// What is shown of a token is in the events that its trace names: the deploy, the mint, what the contract said, and what
// was found at the addresses that it gave.
func TestTraceOfTokens(t *testing.T) {
	t.Parallel()
	r := newRefreshed(t)
	coin, art := r.contract("ft"), r.contract("nft")
	ids := r.ids("nft", art)
	r.told()
	piece := fmt.Sprint(ids[len(ids)-1])

	for _, path := range []string{"/metadata/v1/ft/" + coin, "/metadata/ft/" + coin + "/provenance", "/metadata/v1/search?contract=" + coin} {
		traced := r.trace(path, 2)
		contract := r.one(traced, "ft.contract")
		r.deploys(contract, coin)
		tokens := r.one(traced, "ft.token")
		r.deploys(tokens, coin)
		said := r.saidIn(tokens, "read_seq")
		if name := tokens.column("name"); name != "name of "+coin || !slices.ContainsFunc(said, func(v string) bool { return strings.Contains(v, name) }) {
			t.Errorf("%s: got name %q, and in the report %q", path, name, said)
		}
		if uri := tokens.column("uri"); !slices.ContainsFunc(said, func(v string) bool { return strings.Contains(v, uri) }) {
			t.Errorf("%s: got URI %q, and in the report %q", path, uri, said)
		}
		r.resources(traced, "ft")
	}

	for _, path := range []string{
		"/metadata/v1/nft/" + art + "/" + piece, "/metadata/v1/sft/" + art + "/" + piece, "/metadata/v1/nft/" + art + "/" + piece + "/provenance",
		"/metadata/v1/search?contract=" + art + ":" + piece + "&contract=" + p1,
	} {
		traced := r.trace(path, 3)
		r.deploys(r.one(traced, "nft.contract"), art)
		minted := r.one(traced, "nft.token")
		id, _ := new(big.Int).SetString(piece, 10)
		value, err := clarity.NewUint(id)
		if err != nil {
			t.Fatal(err)
		}
		event := r.fact(minted, "source_seq")
		if mint, ok := event["nft_mint_event"].(fields); !ok || mint["raw_value"] != "0x"+hex.EncodeToString(value.Encode()) || !strings.HasPrefix(mint["asset_identifier"].(string), art+"::") {
			t.Errorf("%s: got %v, want the mint of %s", path, event, piece)
		}
		r.resources(traced, "nft")
	}

	list := r.get("/metadata/v1/ft?limit=60")
	var page struct {
		Results []struct {
			Contract string `json:"contract_principal"`
			Name     string
		}
	}
	decodeJSON(t, list.body, &page)
	traced := r.trace("/metadata/v1/ft?limit=60", 9)
	names := map[string]string{}
	for _, row := range traced.in("ft.token") {
		names[row.column("contract_id")] = row.column("name")
		if said := r.saidIn(row, "read_seq"); !slices.ContainsFunc(said, func(v string) bool { return strings.Contains(v, row.column("name")) }) {
			t.Errorf("%v: got %q", row, said)
		}
	}
	for _, listed := range page.Results {
		if names[listed.Contract] != listed.Name || listed.Name == "" {
			t.Errorf("got %q in the list and %q in its trace", listed.Name, names[listed.Contract])
		}
	}
	if len(page.Results) == 0 || len(names) != len(page.Results) || len(traced.in("ft.contract")) != len(names) {
		t.Errorf("got %d tokens in the trace of a list of %d", len(names), len(page.Results))
	}
}

// deploys checks that a row comes from the transaction that deployed the contract.
func (r *refreshed) deploys(row rowOf, contract string) {
	r.t.Helper()
	deploy := r.fact(row, "source_seq")
	_, name, _ := strings.Cut(contract, ".")
	abi := asJSON(r.t, deploy["contract_interface"])
	if txid := row.column("txid"); txid != "" && deploy["txid"] != txid {
		r.t.Errorf("%s %v: got transaction %v, want %s", row.Table, row.Key, deploy["txid"], txid)
	}
	if raw, _ := deploy["raw_tx"].(string); !strings.Contains(raw, hex.EncodeToString([]byte(name))) || abi == "null" {
		r.t.Errorf("%s %v: got %v, want the deploy of %s", row.Table, row.Key, deploy["raw_tx"], contract)
	}
}

// resources checks the document and the image of a token.
func (r *refreshed) resources(traced traceOf, kind string) {
	r.t.Helper()
	document, image := r.one(traced, kind+".document"), r.one(traced, kind+".image")
	var found struct{ Name, Image string }
	facts := r.facts(document, "source_seq")
	decodeJSON(r.t, facts[0].(string), &found)
	if len(facts) != 1 || found.Name != "document of "+document.column("uri") || found.Image != image.column("uri") {
		r.t.Errorf("%s: got %v, want the document of %v", traced.Path, facts, document)
	}
	var bytes []byte
	decodeJSON(r.t, asJSON(r.t, r.facts(image, "source_seq")[0]), &bytes)
	if string(bytes) != "\xff"+image.column("uri") || image.column("sha256") != "0x"+hex.EncodeToString(uriHash(string(bytes))) {
		r.t.Errorf("%s: got image %q of %v", traced.Path, bytes, image)
	}
	for _, reference := range traced.in(kind + ".reference") {
		text := fmt.Sprint(r.facts(reference, "said"))
		if reference.column("role") == "document" {
			text = strings.Join(r.saidIn(reference, "said"), " ")
		}
		uri := map[string]string{"document": document.column("uri"), "image": image.column("uri")}[reference.column("role")]
		if !strings.Contains(text, uri) || reference.column("uri_hash") != "0x"+hex.EncodeToString(uriHash(uri)) {
			r.t.Errorf("%s: got %v, said by %q", traced.Path, reference, text)
		}
	}
	if n := len(traced.in(kind + ".reference")); n != 2 {
		r.t.Errorf("%s: got %d references, want 2", traced.Path, n)
	}
}

// The notification that counts is where its pointer says.
func TestTraceOfNotification(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	s.full(token.SFT, p2, fullDocument(), nil)
	for n, mode := range []string{"frozen", "standard"} {
		s.insert("sft_v1.notification", nil, columns{
			"height": 20 + n, "source_seq": n + 1, "ttl": "3600", "tx_index": 0, "event_index": 0, "token_id": nil, "contract_id": p2, "mode": mode,
			"pointer": fmt.Sprintf("/events/%d", n),
		})
	}
	var traced traceOf
	decodeJSON(t, s.get(tracePath("/metadata/v1/sft/"+p2+"/1/provenance")).body, &traced)
	if got := s.one(traced, "sft.notification"); got.column("mode") != "frozen" || got.Sources[0].Seq != 1 || !slices.Equal(got.Sources[0].Pointers, []string{"/events/0"}) {
		t.Errorf("got %v", got)
	}
}

// Reports that are long are not read to say where in them the answer is, and those that are no reports say nothing.
func TestTraceOfOddReports(t *testing.T) {
	t.Parallel()
	s := newTokenSiteOn(t, replay.Databases.New(t), readapi.Config{})
	reports := []struct{ body, want string }{
		{`{"exchanges":[{"body":"` + strings.Repeat("x", 1<<20) + `"}]}`, `["/exchanges"]`},
		{`no JSON`, `[]`},
		{`{"want":{"uri":"data:,x"}}`, `["/want/uri"]`},
		{`{"exchanges":[{"body":"a"},{"failure":"timeout","body":"half"}]}`, `["/exchanges/1/failure"]`},
		{`{"exchanges":[{"body":""},{"call":1,"body_base64":"AA=="},{"call":2,"status":404}]}`, `["/exchanges/0/body","/exchanges/1/body_base64","/exchanges/2/status"]`},
	}
	s.contract(token.FT, p1, nil)
	s.unread(token.FT, p1, "1", nil)
	for i, report := range reports {
		s.exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) VALUES ($1, now(), $2, $3, 'test', 'strata:fetch', 'application/json', $4)`,
			i+1, len(report.body), uriHash(report.body), []byte(report.body))
		s.exec(`UPDATE ft_v1.token SET read_seq = $1`, i+1)
		var traced traceOf
		decodeJSON(t, s.get(tracePath("/metadata/v1/ft/"+p1)).body, &traced)
		sources := s.one(traced, "ft.token").Sources
		if got := asJSON(t, sources[1].Pointers); sources[1].Column != "read_seq" || got != report.want {
			t.Errorf("report %d: got %s, want %s", i, got, report.want)
		}
	}
}
