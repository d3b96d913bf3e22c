package metadata_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// rests reads all events that let contracts rest.
func rests(t *testing.T, log *eventstore.Log) (all []*fetch.Rest) {
	t.Helper()
	events := must.Get(log.Read(t.Context(), eventstore.Range{Events: 1000, Bytes: 1 << 20, Paths: []string{fetch.PathRest}}))(t)
	for _, event := range events {
		if event.Path != fetch.PathRest {
			continue
		}
		rest := must.Get(fetch.DecodeRest(event.Body))(t)
		all = append(all, rest)
	}
	return all
}

// A contract that has used up its budget rests until the day ends. That is said once, whatever is under way by then, and
// other contracts have budgets of their own.
func TestBudget(t *testing.T) {
	t.Parallel()
	if left := time.Until(time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)); left < 2*time.Minute {
		t.Skip("the day is about to end")
	}
	log := openLog(t, databases.New(t))
	fold(t, log)
	const spender, other = "SP000000000000000000002Q6VF78.spender", "SP000000000000000000002Q6VF78.other"
	for i := range 12 {
		raise(t, log.Pool(), "ft_v1", row{want: document(fmt.Sprintf("https://x.test/%d", i)), contract: spender})
	}
	for i := range 3 {
		raise(t, log.Pool(), "ft_v1", row{want: document(fmt.Sprintf("https://y.test/%d", i)), contract: other})
		raise(t, log.Pool(), "names_v1", row{want: fetch.AttachmentWant([20]byte{byte(i)})})
	}
	c := config(log, newNode(t, nil).URL)
	c.ContractFetches = 5
	run(t, c)
	eventually.Holds(t, "all is fetched", func() bool { return len(reports(t, log)) >= 15 })
	eventually.Holds(t, "the contract rests", func() bool { return len(rests(t, log)) > 0 })
	for i := range 4 {
		raise(t, log.Pool(), "ft_v1", row{want: document(fmt.Sprintf("https://z.test/%d", i)), contract: spender})
	}
	eventually.Holds(t, "all is fetched", func() bool { return len(reports(t, log)) >= 19 })
	all := rests(t, log)
	if len(all) != 1 {
		t.Fatalf("got %d rests, want 1", len(all))
	}
	r := all[0]
	if day := r.DecidedAt.Truncate(24 * time.Hour); r.Contract != spender || !r.Until.Equal(day.AddDate(0, 0, 1)) || r.Fetches < 5 || r.Fetches > 12 || r.FetchesMost != 5 || r.Bytes == 0 {
		t.Errorf("got %+v", r)
	}
}

// The body of a document or an image that did not change is in the log once.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	for _, kind := range []fetch.Kind{fetch.Document, fetch.Image} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			log := openLog(t, databases.New(t))
			const uri = "https://x.test/1"
			body := "PNG" + strings.Repeat("x", 500)
			pages := web{uri: {Status: 200, Body: fetch.Body(body)}}
			c := config(log, newNode(t, nil).URL)
			c.Web, c.DocumentLimit = pages, 1000
			fold(t, log)
			role := run(t, c)
			fetched := func(n int) *fetch.Report {
				t.Helper()
				raise(t, log.Pool(), "ft_v1", row{want: fetch.Want{Kind: kind, URI: uri}, seq: int64(n), contract: "SP000000000000000000002Q6VF78.x"})
				eventually.Holds(t, fmt.Sprintf("report %d is folded", n), func() bool {
					var open int
					must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM ft_v1.want`).Scan(&open))
					return open == 0
				})
				return reports(t, log)[n-1]
			}
			if first := fetched(1); string(first.Exchanges[0].Body) != body || first.Exchanges[0].Unchanged != nil {
				t.Fatalf("got %+v", first)
			}
			hash := sha256.Sum256([]byte(uri))
			must.Get(log.Pool().Exec(t.Context(), `INSERT INTO ft_v1.`+string(kind)+` (source_seq, reason, uri_hash, uri) VALUES (1, 0, $1, $2)`, hash[:], uri))(t)
			second := fetched(2)
			if since, ok := second.UnchangedSince(); !ok || since != 1 || second.Exchanges[0].Body != nil || second.Exchanges[0].Status != 200 {
				t.Errorf("the same content: got %+v", second)
			}
			role.stop()
			pages[uri] = fetch.Exchange{Status: 200, Body: fetch.Body(body + "!")}
			run(t, c)
			if third := fetched(3); string(third.Exchanges[0].Body) != body+"!" || third.Exchanges[0].Unchanged != nil {
				t.Errorf("other content: got %+v", third)
			}
		})
	}
}

// Reports that come together and find nothing new share events, and each of their contracts pays its share.
func TestRecheck(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	const n = 200
	uri := func(i int) string { return fmt.Sprintf("https://x.test/%d", i) }
	pages := web{}
	for i := range n {
		pages[uri(i)] = fetch.Exchange{Status: 200, Body: fetch.Body(strings.Repeat("x", 500))}
	}
	c := config(log, newNode(t, nil).URL)
	c.Web = pages
	fold(t, log)
	run(t, c)
	spent := map[int]int64{} // bytes by round
	for round := range 2 {
		contract := fmt.Sprintf("SP000000000000000000002Q6VF78.round-%d", round)
		for i := range n {
			raise(t, log.Pool(), "ft_v1", row{want: document(uri(i)), seq: int64(1 + round), contract: contract})
		}
		eventually.Holds(t, "all is reported and folded", func() bool {
			var open int
			must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM ft_v1.want`).Scan(&open))
			return len(reports(t, log)) == (1+round)*n && open == 0
		})
		var fetches, bytes int64
		must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT sum(fetches), sum(bytes) FROM metadata.spent WHERE contract_id = $1`, contract).Scan(&fetches, &bytes))
		if spent[round] = bytes; fetches != n {
			t.Errorf("round %d: %d fetches on the budget, want %d", round, fetches, n)
		}
		if round > 0 {
			continue
		}
		all := must.Get(readReports(t.Context(), log, 0))(t)
		for _, e := range all {
			hash := sha256.Sum256([]byte(e.report.Want.URI))
			must.Get(log.Pool().Exec(t.Context(), `INSERT INTO ft_v1.document (source_seq, reason, uri_hash, uri) VALUES ($1, 0, $2, $3)`, e.seq, hash[:], e.report.Want.URI))(t)
		}
	}
	all := must.Get(readReports(t.Context(), log, 0))(t)
	first, events, bytes := map[string]int64{}, map[int64]bool{}, int64(0)
	for i, e := range all {
		if i < n {
			first[e.report.Want.URI] = e.seq
			continue
		}
		if since, ok := e.report.UnchangedSince(); !ok || since != first[e.report.Want.URI] {
			t.Errorf("%s: unchanged since %d, want %d", e.report.Want.URI, since, first[e.report.Want.URI])
		}
		events[e.seq] = true
	}
	for seq := range events {
		event := must.Get(log.Get(t.Context(), seq, false))(t)
		bytes += event.Size
	}
	t.Logf("%d reports share %d events of %d bytes; they paid for %d", n, len(events), bytes, spent[1])
	if len(events) >= n/2 || spent[1] > bytes || spent[1] < bytes-n {
		t.Errorf("%d reports are in %d events of %d bytes, and paid for %d", n, len(events), bytes, spent[1])
	}
}

// The answers of a contract that said the same before are in the log once, as long as the projection knows them from one
// report.
func TestUnchangedRead(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	want := contractRead("get-name", "get-symbol")
	fold(t, log)
	run(t, config(log, newNode(t, nil).URL))
	fetched := func(n int) *fetch.Report {
		t.Helper()
		raise(t, log.Pool(), "ft_v1", row{want: want, seq: int64(n)})
		eventually.Holds(t, fmt.Sprintf("report %d is folded", n), func() bool {
			var open int
			must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM ft_v1.want`).Scan(&open))
			return open == 0
		})
		return reports(t, log)[n-1]
	}
	set := func(row string) {
		t.Helper()
		must.Get(log.Pool().Exec(t.Context(), `
			INSERT INTO ft_v1.token (height, source_seq, reason, token_id, contract_id, `+row[:strings.Index(row, "=")]+`) VALUES (1, 1, 0, 1, $1, `+row[strings.Index(row, "=")+1:]+`)`, want.Contract))(t)
	}
	if first := fetched(1); len(first.Exchanges) != 2 || first.Exchanges[1].Body == nil {
		t.Fatalf("got %+v", first)
	}
	set("read_seq=1")
	second := fetched(2)
	if since, ok := second.UnchangedSince(); !ok || since != 1 || len(second.Exchanges) != 1 || second.Exchanges[0].Gateway == "" || second.Tip == nil {
		t.Errorf("the same answers: got %+v", second)
	}
	for i, change := range []string{"supply_seq = 2", "supply_seq = NULL, failed_seq = 2"} {
		must.Get(log.Pool().Exec(t.Context(), `UPDATE ft_v1.token SET `+change))(t)
		if again := fetched(3 + i); len(again.Exchanges) != 2 {
			t.Errorf("with %s: got %+v", change, again)
		}
	}
}
