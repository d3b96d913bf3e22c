package ordinals_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	domain "strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/brc20"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// feedTables have all tables that the ordinals feed fills.
var feedTables = replay.Tables("ordinals_feed", ordinals.Spec(), inscriptions.Spec(), brc20.Spec())

func TestMain(m *testing.M) {
	replay.Histories(1000)
	m.Run()
}

// TestDamagedOperation folds random feeds twice: with an operation that can't be read, and without it. All projections of the feed
// have the same rows.
func TestDamagedOperation(t *testing.T) {
	t.Parallel()
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			f, n, kinds := newFeedFolder(feedTables.NewFresh(t)), 0, map[string]int{}
			rapid.Check(t, func(rt *rapid.T) {
				if n++; n%64 == 0 { // what is rolled back stays in the tables until then
					if _, err := f.pool.Exec(context.Background(), `VACUUM`); err != nil {
						rt.Fatal(err)
					}
				}
				posts, which, damage := drawFeed(rt)
				fold := func(body []byte, faults int) []string {
					posts[which].Body = body
					items := make([]projections.LogItem, len(posts))
					for i, p := range posts {
						payload, err := domain.Decode(p.Body)
						if err != nil {
							rt.Fatal(err)
						}
						items[i] = projections.LogItem{Seq: int64(i + 1), Path: p.Path, Size: int64(len(p.Body)), Feed: payload}
					}
					if got := items[which].Feed.Faults; len(got) != faults || faults > 0 && !strings.HasPrefix(got[0].Path+"/", damage.pointer+"/") {
						rt.Fatalf("got the faults %v of\n%s", got, body)
					}
					return f.fold(t, rt, items, rapid.SampledFrom([]int{len(items), len(items), 2}).Draw(rt, "events at once"))
				}
				damaged, without := fold(damage.damaged, 1), fold(damage.without, 0)
				if !slices.Equal(damaged, without) {
					rt.Fatalf("rows with the damaged operation only:\n%s\nrows without it only:\n%s\nthe payload with it:\n%s",
						strings.Join(missingFrom(without, damaged), "\n"), strings.Join(missingFrom(damaged, without), "\n"), damage.damaged)
				}
				kinds[damage.kind]++
			})
			if n >= 1000 && len(kinds) < 6 {
				t.Errorf("only these operations were damaged: %v", kinds)
			}
		})
	}
}

// missingFrom returns the rows that others lack.
func missingFrom(others, rows []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return slices.Contains(others, row) })
}

// feedFolder folds feeds with all projections of the feed, each in a transaction that is rolled back.
type feedFolder struct {
	pool      *pgxpool.Pool
	leader    *ordinals.Ordinals
	followers []projections.Projection[projections.FeedStep]
}

func newFeedFolder(pool *pgxpool.Pool) *feedFolder {
	return &feedFolder{pool, ordinals.New(nil), []projections.Projection[projections.FeedStep]{inscriptions.New(nil), brc20.New(nil)}}
}

// fold returns all rows of a feed.
func (f *feedFolder) fold(t *testing.T, rt *rapid.T, items []projections.LogItem, most int) []string {
	t.Helper()
	ctx := context.Background()
	tx := replay.Begin(rt, f.pool)
	defer replay.End(rt, tx)
	f.leader.Forget()
	var step int64
	for batch := range slices.Chunk(items, most) {
		if _, err := f.leader.Fold(ctx, tx, batch[0].Seq-1, batch); err != nil {
			rt.Fatal(err)
		}
		steps := f.leader.Written()
		for i := range steps {
			if s := &steps[i]; s.Kind == projections.Apply {
				s.Block = &items[s.BlockSeq-1].Feed.Apply[s.BlockIndex]
			}
		}
		for _, p := range f.followers {
			if _, err := p.Fold(ctx, tx, step, steps); err != nil {
				rt.Fatalf("%s: %v", p.Spec().Name, err)
			}
		}
		step += int64(len(steps))
	}
	rows := replay.Texts(t, tx, feedRows)
	slices.Sort(rows)
	return rows
}

// feedRows selects all rows of the feed, but not how a list is divided into parts, which depends on batches, nor what says where
// in an event something is: that depends on what comes before.
var feedRows = func() string {
	var queries []string
	for projection, tables := range map[string][]string{
		"ordinals":     {"block", "step", "anomaly"},
		"inscriptions": {"block", "inscription", "owner", "location", "satoshi", "list", "missing"},
		"brc20":        {"block", "token", "operation", "entry", "balance", "below_zero", "list"},
	} {
		for _, table := range tables {
			queries = append(queries, fmt.Sprintf(
				`SELECT '%[1]s.%[2]s ' || (to_jsonb(r) - ARRAY['size', 'block_size', 'content_digest', 'content_at', 'operation'])::text FROM {%[1]s}.%[2]s r`,
				projection, table))
		}
	}
	return schemas.In(strings.Join(queries, " UNION ALL "))
}()

// drawFeed draws a short feed, and the damage of an operation in one of its posts.
func drawFeed(rt *rapid.T) (posts []synthordinals.Post, which int, d damage) {
	config := synthordinals.Everything(rapid.Uint64().Draw(rt, "seed"), domain.Regtest)
	// Few addresses, satoshis and tokens, so that operations depend on each other.
	config.Accounts, config.Live, config.ContentBytes = 4, 16, synthordinals.Range{Max: 20}
	config.Reveals, config.Transfers, config.Tokens = synthordinals.Range{Max: 3}, synthordinals.Range{Max: 3}, synthordinals.Range{Min: 1, Max: 4}
	config.RollbackProbability, config.MaxRollbackDepth = 0.2, 3
	feed := synthordinals.New(config)
	var places []place
	for n := rapid.IntRange(1, 4).Draw(rt, "posts"); len(posts) < n || len(places) == 0; {
		post := feed.Next()
		places, posts = append(places, placesIn(rt, len(posts), post.Body)...), append(posts, post)
	}
	p := rapid.SampledFrom(places).Draw(rt, "operation")
	return posts, p.post, p.damage(rt, posts[p.post].Body)
}

// place is where in a post an operation is.
type place struct {
	post    int
	pointer string
	text    json.RawMessage
}

func placesIn(rt *rapid.T, post int, body []byte) (all []place) {
	var payload struct {
		Apply []struct {
			Transactions []struct {
				Metadata struct {
					Operations []json.RawMessage `json:"ordinal_operations"`
					Token      json.RawMessage   `json:"brc20_operation"`
				}
			}
		}
	}
	if err := json.Unmarshal(body, &payload); err != nil {
		rt.Fatal(err)
	}
	add := func(pointer string, text json.RawMessage) {
		if bytes.Count(body, text) == 1 && string(text) != "null" { // otherwise nobody could tell which of them it is
			all = append(all, place{post, pointer, text})
		}
	}
	for i, block := range payload.Apply {
		for j, tx := range block.Transactions {
			at := fmt.Sprintf("/apply/%d/transactions/%d/metadata/", i, j)
			for k, text := range tx.Metadata.Operations {
				add(fmt.Sprintf("%sordinal_operations/%d", at, k), text)
			}
			if len(tx.Metadata.Token) > 0 {
				add(at+"brc20_operation", tx.Metadata.Token)
			}
		}
	}
	return all
}

// damage is a payload with an operation that can't be read, and without it.
type damage struct {
	pointer, kind    string
	damaged, without []byte
}

func (p place) damage(rt *rapid.T, body []byte) damage {
	var operation map[string]map[string]any
	if err := json.Unmarshal(p.text, &operation); err != nil {
		rt.Fatal(err)
	}
	kind := slices.Collect(maps.Keys(operation))[0]
	text := string(p.text)
	bad := []string{
		`"x"`, `[1]`, `{}`, `{"\u0000":{"tick":"\u0000"}}`, strings.Replace(text, kind, "moved", 1),
		strings.TrimSuffix(text, "}") + `,"inscription_revealed":5,"mint":5}`, // two kinds at once
	}
	for _, member := range []string{"inscription_id", "ordinal_number", "tick", "tx_index"} {
		if operation[kind][member] != nil { // a kind that has it needs it, and of two that are named alike the last one counts
			bad = append(bad, strings.TrimSuffix(text, "}}")+`,"`+member+`":["x"]}}`)
		}
	}
	d := damage{pointer: p.pointer, kind: kind}
	before, after, _ := bytes.Cut(body, p.text)
	d.damaged = slices.Concat(before, []byte(rapid.SampledFrom(bad).Draw(rt, "damage")), after)
	rest, isFollowed := bytes.CutPrefix(after, []byte(","))
	switch {
	case strings.HasSuffix(p.pointer, "brc20_operation"):
		d.without = slices.Concat(before, []byte("null"), after)
	case isFollowed:
		d.without = slices.Concat(before, rest)
	default:
		d.without = slices.Concat(bytes.TrimSuffix(before, []byte(",")), after)
	}
	return d
}
