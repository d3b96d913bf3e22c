package tokentest

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/replay"
)

// costTokens is the number of tokens of the collection in TestCostOfNotifications. The cost is proportional to it.
var costTokens = flag.Int("cost-tokens", 20, "number of tokens of TestCostOfNotifications, which costs 10 notifications for each")

// costBatch is how many reports come together: 64 contracts or documents are fetched at the same time, and each takes a few
// times as long as the role waits for others.
const costBatch = 16

// costMost bounds what a notification costs the log, in bytes: 10,000 notifications cost less than 5 MB.
const costMost = 500

// Ten notifications for each token of a collection cost the log less than 500 bytes each, whether they come within an hour
// or over years; and so does the same number of notifications that are for all tokens, and come in each block of a day.
// Documents and images are fetched again, too; the clock is made up.
func TestCostOfNotifications(t *testing.T) {
	short.Skip(t, "folds a long chain")
	t.Parallel()
	pool := databases.lend(t)
	for _, spread := range []struct {
		name string
		time time.Duration
		all  bool // each notification is for all tokens
	}{{"hour", time.Hour, false}, {"day", 24 * time.Hour, false}, {"years", 3 * 365 * 24 * time.Hour, false}, {"all in a day", 24 * time.Hour, true}} {
		t.Run(spread.name, func(t *testing.T) {
			w := newWorld(t, replay.Begin(t, pool), 1)
			n := *costTokens
			const document = "https://metadata.example.com/collections/punks/documents/{id}.json"
			w.outside.says(punks, "get-last-token-id", okNumber(uint64(n)))
			w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text(document))))
			for id := range n {
				picture := fmt.Sprintf("https://metadata.example.com/collections/punks/images/%d.png", id+1)
				w.outside.web[picture] = has(strings.Repeat("pixels", 100))
				w.outside.web[strings.Replace(document, "{id}", itoa(id+1), 1)] = has(fmt.Sprintf(`{"name":"Punk %d","image":%q,"description":%q}`, id+1, picture, strings.Repeat("punk ", 100)))
			}
			w.mine(alice.Deploys("punks", sip009))
			r := &role{world: w, reports: map[int64]*fetch.Report{}}
			for r.fetch() > 0 {
				continue
			}
			if r.count != 3*n+1 {
				t.Fatalf("fetched %d, want the last token, and %d tokens, documents and images", r.count, n)
			}
			r.count, r.bytes = 0, 0
			w.later()

			rounds := 10
			if spread.all {
				rounds = 10 * n
			}
			for range rounds {
				w.now = w.now.Add(spread.time / time.Duration(rounds))
				var events []body.Event
				switch {
				case spread.all:
					events = append(events, announce(punks, "nft"))
				default:
					for id := range n {
						events = append(events, announce(punks, "nft", "token-ids", ids(uint64(id+1))))
					}
				}
				w.mine(by(events...))
				r.fetch()
			}
			w.now = w.now.Add(48 * time.Hour) // what was put off
			for r.fetch() > 0 {
				continue
			}
			each := r.bytes / int64(10*n)
			t.Logf("%d notifications: %d fetches, %d bytes, %d each", 10*n, r.count, r.bytes, each)
			if r.count < 3*n {
				t.Errorf("fetched %d, want each token, document and image at least once", r.count)
			}
			if each >= costMost {
				t.Errorf("a notification costs %d bytes of the log, want less than %d", each, costMost)
			}
		})
	}
}

// role fetches what is wanted, and reports it as the role metadata does.
type role struct {
	*world
	reports map[int64]*fetch.Report // by their events
	count   int
	bytes   int64 // of the events
}

// fetch answers all wants that are due, and returns how many these were.
func (r *role) fetch() (n int) {
	r.t.Helper()
	known := map[string]int64{}
	for _, row := range r.rows(token.NFT, `
		SELECT 'read punks ' || token_id || E'\n' || read_seq FROM {schema}.token WHERE read_seq IS NOT NULL AND supply_seq IS NULL AND failed_seq IS NULL
		UNION ALL SELECT 'document ' || uri || E'\n' || source_seq FROM {schema}.document WHERE source_seq IS NOT NULL
		UNION ALL SELECT 'image ' || uri || E'\n' || source_seq FROM {schema}.image WHERE source_seq IS NOT NULL`) {
		name, seq, _ := strings.Cut(row, "\n")
		var at int64
		if _, err := fmt.Sscan(seq, &at); err != nil {
			r.t.Fatal(err)
		}
		known[name] = at
	}
	_, wants := r.wants(token.NFT)
	var found []*fetch.Report
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		s := wants[name]
		if s.due.After(r.now) {
			continue
		}
		report := r.outside.report(s.want, r.tip(), r.now)
		for i := range report.Exchanges {
			if s.want.Kind == fetch.ContractRead {
				report.Exchanges[i].Gateway = "http://127.0.0.1:20443"
			}
		}
		if before := r.reports[known[name]]; before != nil {
			report.LeaveOut(before, known[name])
		}
		found = append(found, report)
	}
	var steps []projections.Step
	for batch := range slices.Chunk(found, costBatch) {
		steps = append(steps, r.report(batch)...)
	}
	if len(steps) > 0 {
		r.fold(steps...)
	}
	return len(found)
}

// report appends the events of reports that finished at the same time.
func (r *role) report(batch []*fetch.Report) (steps []projections.Step) {
	r.t.Helper()
	tip := r.tip()
	add := func(record projections.Record, text []byte, err error) {
		r.t.Helper()
		if err != nil {
			r.t.Fatal(err)
		}
		r.bytes += int64(len(text))
		steps = append(steps, projections.Step{
			Kind: projections.TakeRecord, Height: tip.Height, IndexBlockHash: tip.IndexBlockHash, BlockSeq: r.seq, SourceSeq: r.seq, Record: record,
		})
	}
	var read, resources fetch.Recheck
	for _, report := range batch {
		r.count++
		if read.Add(report) || resources.Add(report) {
			continue
		}
		text, err := report.Encode()
		r.seq++
		if err == nil {
			r.reports[r.seq], err = fetch.DecodeReport(text)
		}
		add(r.reports[r.seq], text, err)
	}
	for _, recheck := range []*fetch.Recheck{&read, &resources} {
		if len(recheck.Unchanged) > 0 {
			text, err := recheck.Encode()
			r.seq++
			add(recheck, text, err)
		}
	}
	return steps
}
