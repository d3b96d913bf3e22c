package apitest

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/projections/ft"
	"strata/projections/nft"
	"strata/projections/sft"
	"strata/readapi"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// told answers all that is wanted as contracts and hosts would, with reports in the log, until nothing is.
func (r *refreshed) Told() {
	r.T.Helper()
	for range 4 {
		replay.Wait(r.T, r.events)
		var posts []replay.Post
		for _, kind := range Kinds {
			for _, text := range collect(r.Site, pgx.RowTo[string], `SELECT want FROM `+schemas.In("{"+string(kind)+"}")+`.want ORDER BY key_hash`) {
				var want fetch.Want
				DecodeJSON(r.T, text, &want)
				posts = append(posts, r.report(want))
			}
		}
		if len(posts) == 0 {
			return
		}
		replay.Append(r.T, r.events, posts...)
	}
	replay.Wait(r.T, r.events)
}

// report answers what is wanted. Before each answer that counts there is one that does not.
func (r *refreshed) report(want fetch.Want) replay.Post {
	r.T.Helper()
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
		must.Do(r.T, r.Pool.QueryRow(r.T.Context(), schemas.In(`SELECT height, index_block_hash FROM {ft}.block ORDER BY height DESC LIMIT 1`)).Scan(&height, &index))
		report.Tip = &fetch.Tip{Height: height, IndexBlockHash: hash.Hash32(index)}
		for i, call := range want.Calls {
			exchange(i, `{"okay":true,"result":"0x`+hex.EncodeToString(says(want, call).Encode())+`"}`)
		}
	case fetch.Document:
		exchange(0, `{"sip":16,"name":"document of `+want.URI+`","image":"`+strings.Replace(want.URI, ".json", ".png", 1)+`"}`)
	case fetch.Image:
		exchange(0, "\xff"+want.URI)
		report.Image = &fetch.ImageFacts{SHA256: hex.EncodeToString(URIHash("\xff" + want.URI)), ContentType: "image/png", Width: 4, Height: 3}
	}
	text := must.Get(report.Encode())(r.T)
	return replay.Post{Path: fetch.PathReport, Body: text}
}

// says is what a contract answers.
func says(want fetch.Want, call fetch.Call) clarity.Value {
	switch call.Function {
	case "get-name":
		return clarity.NewOk(value.Text("name of " + want.Contract))
	case "get-symbol":
		return clarity.NewOk(value.Text("SYM"))
	case "get-decimals":
		return clarity.NewOk(clarity.NewUint64(6))
	case "get-token-uri":
		return clarity.NewOk(clarity.NewSome(value.Must(clarity.NewUTF8("https://a.example/" + want.Contract + "/" + strings.Join(call.Arguments, "") + ".json"))))
	case "get-last-token-id":
		return clarity.NewOk(clarity.NewUint64(0))
	}
	return clarity.NewOk(clarity.NewUint64(1000))
}

// deploys checks that a row comes from the transaction that deployed the contract.
func (r *refreshed) Deploys(row RowOf, contract string) {
	r.T.Helper()
	deploy := r.Fact(row, "source_seq")
	_, name, _ := strings.Cut(contract, ".")
	abi := AsJSON(r.T, deploy["contract_interface"])
	if txid := row.Column("txid"); txid != "" && deploy["txid"] != txid {
		r.T.Errorf("%s %v: got transaction %v, want %s", row.Table, row.Key, deploy["txid"], txid)
	}
	if raw, _ := deploy["raw_tx"].(string); !strings.Contains(raw, hex.EncodeToString([]byte(name))) || abi == "null" {
		r.T.Errorf("%s %v: got %v, want the deploy of %s", row.Table, row.Key, deploy["raw_tx"], contract)
	}
}

// resources checks the document and the image of a token.
func (r *refreshed) Resources(traced TraceOf, kind string) {
	r.T.Helper()
	document, image := r.One(traced, kind+".document"), r.One(traced, kind+".image")
	var found struct{ Name, Image string }
	facts := r.Facts(document, "source_seq")
	DecodeJSON(r.T, facts[0].(string), &found)
	if len(facts) != 1 || found.Name != "document of "+document.Column("uri") || found.Image != image.Column("uri") {
		r.T.Errorf("%s: got %v, want the document of %v", traced.Path, facts, document)
	}
	var bytes []byte
	DecodeJSON(r.T, AsJSON(r.T, r.Facts(image, "source_seq")[0]), &bytes)
	if string(bytes) != "\xff"+image.Column("uri") || image.Column("sha256") != "0x"+hex.EncodeToString(URIHash(string(bytes))) {
		r.T.Errorf("%s: got image %q of %v", traced.Path, bytes, image)
	}
	for _, reference := range traced.In(kind + ".reference") {
		text := fmt.Sprint(r.Facts(reference, "said"))
		if reference.Column("role") == "document" {
			text = strings.Join(r.SaidIn(reference, "said"), " ")
		}
		uri := map[string]string{"document": document.Column("uri"), "image": image.Column("uri")}[reference.Column("role")]
		if !strings.Contains(text, uri) || reference.Column("uri_hash") != "0x"+hex.EncodeToString(URIHash(uri)) {
			r.T.Errorf("%s: got %v, said by %q", traced.Path, reference, text)
		}
	}
	if n := len(traced.In(kind + ".reference")); n != 2 {
		r.T.Errorf("%s: got %d references, want 2", traced.Path, n)
	}
}

// refreshed is an API, the log that it notes wishes in, and the projections that fold them.
type refreshed struct {
	*Site
	events *eventstore.Log
	posts  int // so many wishes were made, each by another client
}

// newRefreshed has a chain with contracts of fungible and of non-fungible tokens.
func NewRefreshed(t *testing.T) *refreshed {
	t.Helper()
	r := &refreshed{events: replay.NewLog(t)}
	replay.Start(t, r.events, NewChain(t), ft.New(nil), sft.New(nil), nft.New(nil))
	made := synthchain.New(synthchain.Config{Seed: 2, Mix: synthchain.Mix{Deploy: 1, CollectibleMint: 3}, SigningSample: 1000})
	replay.Append(t, r.events, replay.Take(30, made.Next)...)
	replay.Wait(t, r.events)
	r.Site = NewSiteOn(t, r.events.Pool(), readapi.Config{Refresh: r.note})
	return r
}

// note puts a wish into the log.
func (r *refreshed) note(ctx context.Context, wish fetch.Refresh) error {
	text, err := wish.Encode()
	if err != nil {
		return err
	}
	_, err = r.events.Append(ctx, eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "api", Path: fetch.PathRefresh, ContentType: fetch.ContentType, Body: eventstore.NewBody(text),
	})
	return err
}

// contract is the one of a kind that has the most tokens.
func (r *refreshed) Contract(kind string) (id string) {
	r.T.Helper()
	must.Do(r.T, r.Pool.QueryRow(r.T.Context(), `
		SELECT contract_id FROM `+schemas.In("{"+kind+"}")+`.token GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`).Scan(&id))
	return id
}

// ids are those of a contract's tokens.
func (r *refreshed) IDs(kind, contract string) []int64 {
	r.T.Helper()
	return collect(r.Site, pgx.RowTo[int64], `SELECT token_id::bigint FROM `+schemas.In("{"+kind+"}")+`.token WHERE contract_id = $1 ORDER BY 1`, contract)
}

// done ends all that is wanted.
func (r *refreshed) Done() {
	r.T.Helper()
	replay.Wait(r.T, r.events)
	for _, kind := range Kinds {
		r.Exec(`DELETE FROM ` + schemas.In("{"+string(kind)+"}") + `.want`)
	}
}

func (r *refreshed) post(body string) Reply {
	r.posts++
	return r.Wish("/metadata/v1/refresh", body, fmt.Sprintf("192.0.2.%d:80", r.posts))
}

func (r *refreshed) Accepted(t *testing.T, body string) {
	t.Helper()
	if got := r.post(body); got.Status != 202 || got.Body != `{"accepted":true}` {
		t.Fatalf("%s: got %d %s", body, got.Status, got.Body)
	}
	replay.Wait(t, r.events)
}

// refused checks that a wish leaves no trace.
func (r *refreshed) Refused(t *testing.T, body, why string) {
	t.Helper()
	before := must.Get(r.events.Size(t.Context()))(t)
	if got := r.post(body); got.Status != 404 || got.Body != why {
		t.Errorf("%s: got %d %s, want 404 %s", body, got.Status, got.Body, why)
	}
	if after, err := r.events.Size(t.Context()); err != nil || after != before {
		t.Errorf("the log has %d events (%v), want %d", after, err, before)
	}
	r.Wanted(t)
}

// wanted checks what is wanted, by the keys of wants: all of it now, for a person, and as if it had never failed.
func (r *refreshed) Wanted(t *testing.T, want ...string) {
	t.Helper()
	type row struct {
		Text string
		Now  bool
	}
	var got []string
	for _, row := range collect(r.Site, pgx.RowToStructByPos[row], schemas.In(`
		SELECT want, due_at <= now() AND priority = 1 AND attempts + waits + reason + severity = 0
		FROM (SELECT * FROM {ft}.want UNION ALL SELECT * FROM {sft}.want UNION ALL SELECT * FROM {nft}.want) want`)) {
		var w fetch.Want
		DecodeJSON(t, row.Text, &w)
		got = append(got, w.Key())
		if !row.Now {
			t.Errorf("%s is not wanted now, for a person", w.Key())
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got the wants\n%q, want\n%q", got, want)
	}
}
