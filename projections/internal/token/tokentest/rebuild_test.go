package tokentest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/eventstore/observer"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/value"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
	"strata/metadata"
	"strata/metadata/picture"
	"strata/projections/ft"
	"strata/projections/nft"
	"strata/projections/sft"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// A rebuild sends no request, and results in the same rows, byte for byte: from the existing steps, and from a copy of
// the log in another database. The servers would answer differently by then, but the test has closed their network.
//
// The lists here are shorter than a stretch, because where longer ones are cut depends on the sizes of batches.
func TestRebuild(t *testing.T) {
	short.Skip(t, "rebuilds a table several times")
	t.Parallel()
	out := newBeyond(t)
	log := replay.NewLog(t)
	fetchEverything(t, log, out)
	checkVariety(t, log, out)
	want := rowsOf(t, log.Pool())
	checkFilled(t, want)
	size, leases := sizes(t, log.Pool())
	out.close()

	t.Run("from the steps", func(t *testing.T) {
		for _, kind := range kinds {
			drop(t, log.Pool(), string(kind))
		}
		start(t, log)()
		compareRows(t, rowsOf(t, log.Pool()), want)
		if nowSize, nowLeases := sizes(t, log.Pool()); nowSize != size || nowLeases != leases {
			t.Errorf("got %d events and %d leases, want still %d and %d", nowSize, nowLeases, size, leases)
		}
	})
	t.Run("from a copy of the log", func(t *testing.T) {
		archive := filepath.Join(t.TempDir(), "log.tsv")
		export(t, log, archive)
		other := replay.NewLog(t)
		if _, err := importer.Import(t.Context(), other, importer.Options{Files: []string{archive}, AnyPayload: true}); err != nil {
			t.Fatal(err)
		}
		start(t, other)()
		compareRows(t, rowsOf(t, other.Pool()), want)
		if got, _ := sizes(t, other.Pool()); got != size {
			t.Errorf("got %d events, want %d", got, size)
		}
	})

	if got := out.intruders.Load(); got != 0 {
		t.Errorf("got %d connections while the network was closed, want none", got)
	}
	if response, err := http.Get(out.url("web") + "/plain/1.json"); err == nil {
		_ = response.Body.Close()
	}
	if out.intruders.Load() == 0 {
		t.Error("a new connection was not recorded")
	}
}

// documentLimit is the largest size of a document, in bytes.
const documentLimit = 20_000

// fetchEverything fills a log with a synthetic chain with forks, with blocks on top of it that deploy contracts of all
// kinds, are reverted and come back, and with what the role metadata fetches for them until nothing is due.
func fetchEverything(t *testing.T, log *eventstore.Log, out *beyond) {
	t.Helper()
	post := poster(t, log)
	config := synthchain.Everything(5, synthchain.V40)
	config.Network = synthchain.Testnet // as that of body
	config.Mix = synthchain.DefaultMix()
	config.Mix.Deploy, config.Mix.CollectibleMint, config.SigningSample = 12, 12, 100
	made := synthchain.New(config)

	caughtUp := start(t, log)
	stop := fetchFrom(t, replay.Databases.URL(t), out)
	for range 90 {
		post(made.Next())
	}
	tip := made.Expected().Tip
	// Branch a, and branch b from its second block on, in the tenure of the synthetic chain's tip.
	mine := func(name, parent string, transactions ...body.Transaction) {
		t.Helper()
		members := map[string]any{
			"block_height": int64(tip.Height) + body.Height(name), "burn_block_hash": tip.BurnHash, "burn_block_height": tip.BurnHeight,
		}
		if parent == "" {
			members["parent_index_block_hash"] = tip.IndexHash
		}
		post(body.Block{Name: name, Parent: parent, Burn: "1", Transactions: transactions, Members: members}.Post())
	}
	coin, art, deed := alice.Contract("coin"), alice.Contract("art"), alice.Contract("deed")
	var deploys []body.Transaction
	for _, contract := range slices.Sorted(maps.Keys(deployables)) {
		d := deployables[contract]
		deploys = append(deploys, body.Transaction{Raw: d.raw, Members: map[string]any{"contract_interface": d.event}})
	}
	mine("a1", "", deploys...)
	mine("a2", "a1", by(
		mintNFT(art, 77), mintNFT(alice.Contract("art-late"), 9), mintFT(coin), burnFT(coin), printSFT(deed, "sft_mint", value.Uint(1), 5),
		printSFT(deed, "sft_mint", value.Uint(2), 5), printSFT(deed, "sft_burn", value.Uint(1), 2), printSFT(alice.Contract("deed-late"), "sft_mint", value.Uint(4), 5)))
	mine("a3", "a2", by(
		announce(art, "nft", "token-ids", ids(11), "update-mode", value.Text("dynamic"), "ttl", value.Uint(3600)),
		announce(art, "nft", "token-ids", ids(1), "update-mode", value.Text("frozen")),
		announce(deed, "sft", "token-ids", ids(2))))
	mine("a4", "a3", by(mintNFT(art, 80), announce(deed, "sft", "token-ids", ids(1))))
	quiet(t, log)

	mine("b3", "a2", by(mintNFT(art, 78), printSFT(deed, "sft_mint", value.Uint(3), 5), announce(coin, "ft", "update-mode", value.Text("dynamic"))))
	mine("b4", "b3", by(burnFT(coin)))
	mine("b5", "b4", alice.Deploys("coin-of-b", raw(sip010)))
	quiet(t, log)

	mine("a5", "a4") // branch a is canonical again
	mine("a6", "a5", by(mintNFT(art, 79)))
	for _, contract := range []string{coin, art, deed, alice.Contract("art-wrong"), alice.Contract("nobody")} {
		refresh(t, log, fetch.Refresh{Contract: contract})
	}
	refresh(t, log, fetch.Refresh{Contract: deed, TokenID: "1"})
	quiet(t, log)
	letRest(t, log, deed)
	stop()
	caughtUp()
}

// poster posts events as a node does.
func poster(t *testing.T, log *eventstore.Log) func(replay.Post) {
	t.Helper()
	server := httptest.NewServer(observer.New(observer.Config{Log: log}))
	t.Cleanup(server.Close)
	return func(p replay.Post) {
		t.Helper()
		response, err := http.Post(server.URL+p.Path, "application/json", bytes.NewReader(p.Body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %s", p.Path, response.Status)
		}
	}
}

// letRest appends the event that lets a contract rest, as the role metadata does.
func letRest(t *testing.T, log *eventstore.Log, contract string) {
	t.Helper()
	now := time.Now().UTC()
	text, err := (&fetch.Rest{Contract: contract, DecidedAt: now, Until: now.Add(time.Hour)}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), eventstore.Incoming{
		ReceivedAt: now, Source: "metadata", Path: fetch.PathRest, ContentType: fetch.ContentType, Body: eventstore.NewBody(text),
	}); err != nil {
		t.Fatal(err)
	}
}

// refresh appends a refresh request to the log, as the API does.
func refresh(t *testing.T, log *eventstore.Log, wish fetch.Refresh) {
	t.Helper()
	wish.RequestedAt = time.Now().UTC()
	text, err := wish.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), eventstore.Incoming{
		ReceivedAt: wish.RequestedAt, Source: "api", Path: fetch.PathRefresh, ContentType: fetch.ContentType, Body: eventstore.NewBody(text),
	}); err != nil {
		t.Fatal(err)
	}
}

// start runs all projections, and nothing else. The returned function waits until they have caught up, and stops them.
func start(t *testing.T, log *eventstore.Log) (caughtUp func()) {
	t.Helper()
	stop := replay.Start(t, log, rig.Chain(t), ft.New(nil), sft.New(nil), nft.New(nil))
	return func() {
		t.Helper()
		replay.Wait(t, log)
		stop()
	}
}

// fetchFrom runs the role metadata with its own connections.
func fetchFrom(t *testing.T, database string, out *beyond) (stop func()) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.Open(pool, eventstore.Config{})
	images, err := picture.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	web, err := metadata.NewWeb(metadata.WebConfig{Allow: []string{"127.0.0.1"}, UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	gateways := document.Gateways{IPFS: []string{out.url("gateway"), out.url("mirror")}}
	role, err := metadata.New(metadata.Config{
		Log: log, Nodes: []string{out.url("node"), out.url("spare")}, Web: web, Data: document.ParseData, Images: metadata.KeepIn(images),
		Resolve: func(uri string) ([]metadata.Candidate, error) {
			found, err := document.Resolve(uri, gateways)
			candidates := make([]metadata.Candidate, len(found))
			for i, f := range found {
				candidates[i] = metadata.Candidate{URL: f.URL, Gateway: f.Gateway}
			}
			return candidates, err
		},
		Interval: 50 * time.Millisecond, DocumentLimit: documentLimit, AttemptTimeout: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- role.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		log.Close()
		pool.Close()
	}
}

// quiet waits until each open want has failed, has waited twice, or is due later.
func quiet(t *testing.T, log *eventstore.Log) {
	t.Helper()
	eventually.Holds(t, "no want is due", func() bool {
		replay.Wait(t, log)
		wants := replay.Texts(t, log.Pool(), schemas.In(`
			SELECT format('%s, due %s, from height %s, %s attempts and %s waits', left(want, 200), due_at, min_height, attempts, waits)
			FROM (SELECT * FROM {ft}.want UNION ALL SELECT * FROM {sft}.want UNION ALL SELECT * FROM {nft}.want) want
			WHERE due_at < now() + interval '6 s' AND attempts = 0 AND waits < 2`))
		return len(wants) == 0
	})
}

// checkVariety checks that the log contains every sort of record, and exchanges with the watched servers only.
func checkVariety(t *testing.T, log *eventstore.Log, out *beyond) {
	t.Helper()
	seen := map[string]int{}
	for after := int64(0); ; {
		events, err := log.Read(t.Context(), eventstore.Range{After: after, Events: 1000, Bytes: 64 << 20, Paths: []string{fetch.PathReport}})
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		for _, event := range events {
			after = event.Seq
			if event.Path != fetch.PathReport {
				continue
			}
			report, err := fetch.DecodeReport(event.Body)
			if err != nil {
				t.Fatal(err)
			}
			seen[string(report.Want.Kind)]++
			if report.Image != nil {
				seen["image kept"]++
			}
			for _, e := range report.Exchanges {
				seen[fmt.Sprintf("%d %s", e.Status, e.Failure)]++
				if e.Unchanged != nil {
					seen["unchanged"]++ // it names no address
					continue
				}
				if nowhere := e.Failure == fetch.FailureRefused || e.Failure == fetch.FailureURI || strings.HasPrefix(e.URL, "data:"); !nowhere && !out.knows(e.URL) {
					t.Errorf("an unwatched server got a request: %s", e.URL)
				}
			}
		}
	}
	for name, query := range map[string]string{
		"blocks taken back": schemas.In(`SELECT count(*) FROM {chain}.step WHERE kind < 0`),
		"wishes":            `SELECT count(*) FROM log.event WHERE path = '` + fetch.PathRefresh + `'`,
		"failed wants":      schemas.In(`SELECT n FROM {nft}.counter WHERE name = 'failed'`),
		"invalid wants":     schemas.In(`SELECT n FROM {nft}.counter WHERE name = 'invalid'`),
	} {
		var n int
		if err := log.Pool().QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if seen[name] = n; n == 0 {
			t.Errorf("there are no %s", name)
		}
	}
	for _, what := range []string{
		string(fetch.ContractRead), string(fetch.ContractInterface), string(fetch.Document), string(fetch.Image), "image kept",
		"200 ", "404 ", "429 ", "500 ", "503 ", "0 timeout", "0 refused_destination", "0 bad_uri", "200 connection", "200 too_large", "200 bad_image",
	} {
		if seen[what] == 0 {
			t.Errorf("no %q among the exchanges: %v", what, seen)
		}
	}
	t.Logf("%v", seen)
}

// sizes returns the number of events in the log, and the number of leases that were ever taken.
func sizes(t *testing.T, pool *pgxpool.Pool) (events, leases int64) {
	t.Helper()
	var there bool
	if err := pool.QueryRow(t.Context(), `SELECT size, to_regclass('metadata.lease') IS NOT NULL FROM log.head`).Scan(&events, &there); err != nil {
		t.Fatal(err)
	}
	if there {
		if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM metadata.lease`).Scan(&leases); err != nil {
			t.Fatal(err)
		}
	}
	return events, leases
}

// drop deletes a projection as if it had never existed.
func drop(t *testing.T, pool *pgxpool.Pool, name string) {
	t.Helper()
	for _, sql := range []string{
		`DROP SCHEMA ` + name + fmt.Sprintf("_v%d CASCADE", ft.Version),
		`DELETE FROM strata.active WHERE name = '` + name + `'`,
		`DELETE FROM strata.projection WHERE name = '` + name + `'`,
		`DELETE FROM strata.quarantine WHERE name = '` + name + `'`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

func export(t *testing.T, log *eventstore.Log, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := importer.Export(t.Context(), log, file, importer.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
}

// rowsOf returns all rows of all tables and sequences of the token projections, as text in the order of their keys, and
// their rows in the register without the times.
func rowsOf(t *testing.T, pool *pgxpool.Pool) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, kind := range kinds {
		schema := fmt.Sprintf("%s_v%d", kind, ft.Version) // all three have one number
		for _, table := range replay.Texts(t, pool, `SELECT tablename::text FROM pg_tables WHERE schemaname = $1`, schema) {
			name := schema + "." + table
			order := append(replay.Texts(t, pool, `
				SELECT quote_ident(a.attname) FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (number, place)
				JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
				WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY k.place`, name), "t::text COLLATE \"C\"")
			all[name] = replay.Texts(t, pool, `SELECT t::text FROM `+name+` t ORDER BY `+strings.Join(order, ", "))
		}
		all[schema+" sequences"] = replay.Texts(t, pool, `SELECT s::text FROM pg_sequences s WHERE schemaname = $1 ORDER BY sequencename`, schema)
		all[schema+" registered"] = replay.Texts(t, pool, `
			SELECT (p.input, p.position, p.log_seq, p.block_height, p.index_block_hash, p.block_hash, p.burn_block_height, p.error)::text
			FROM strata.projection p JOIN strata.active a USING (name, version) WHERE p.name = $1`, string(kind))
		all[schema+" quarantined"] = replay.Texts(t, pool, `
			SELECT (seq, path, pointer, reason)::text FROM strata.quarantine WHERE name = $1 ORDER BY seq`, string(kind))
	}
	return all
}

// checkFilled checks that each table has rows for some kind, because comparing empty tables proves nothing.
func checkFilled(t *testing.T, all map[string][]string) {
	t.Helper()
	var total int
	filled := map[string]bool{}
	for name, rows := range all {
		_, table, _ := strings.Cut(name, ".")
		filled[table] = filled[table] || len(rows) > 0
		total += len(rows)
	}
	for table, is := range filled {
		if !is && table != "" {
			t.Errorf("table %s is empty for each kind", table)
		}
	}
	t.Logf("%d rows in %d tables", total, len(filled)*len(kinds))
}

func compareRows(t *testing.T, got, want map[string][]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	if others := slices.Sorted(maps.Keys(got)); !slices.Equal(others, names) {
		t.Errorf("got the tables %q, want %q", others, names)
	}
	for _, name := range names {
		foldtest.Compare(t, name, got[name], want[name])
	}
}
