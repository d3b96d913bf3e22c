package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// The chain moves: blocks, forks, reorganisations of Bitcoin, late parents, in ones and in batches; versions of a read
// table are switched, and dropped, and others take their numbers. Meanwhile two processes that share a Redis answer
// 100,000 reads. Each answer is the one that Postgres gives at the position that the answer names, which another
// database tells that took the same events one step at a time, and that nobody cached.
func TestReadsWhileTheChainMoves(t *testing.T) {
	short.Skip(t, "makes 100,000 reads")
	t.Parallel()
	const reads, posts = 100_000, 260
	made := synthchain.New(synthchain.Everything(7, synthchain.V40))
	var history []replay.Post
	for range posts {
		post := made.Next()
		history = append(history, post)
	}
	targets := targetsOf(t, made.Expected(), history)
	truth := &oracle{answers: map[[2]string]string{}}
	if !t.Run("truth", func(t *testing.T) { truth.record(t, history, targets) }) { // on a database of its own
		return
	}

	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), balances.New(nil))
	truth.api = apitest.NewSiteOn(t, apitest.Readers(t, log.Pool()), readapi.Config{})
	redis := redistest.New(t)
	wake := eventstore.NewWake(log.Pool(), follow.Channel, time.Second, nil)
	defer wake.Stop()
	keepers := []*apitest.Keeper{
		apitest.NewKeeper(t, apitest.Readers(t, log.Pool()), readapi.Config{Redis: apitest.Redis(t, redis.URL()), Signal: wake.C, CacheBytes: 1 << 20}),
		apitest.NewKeeper(t, apitest.Readers(t, log.Pool()), readapi.Config{Redis: apitest.Redis(t, redis.URL()), WatchInterval: 20 * time.Millisecond}),
	}

	// Each post allows some reads, so that they are spread over the history.
	var done, allowed atomic.Int64
	allow := func(n int64) {
		allowed.Add(n)
		for limit := min(allowed.Load(), reads); done.Load() < limit; {
			time.Sleep(100 * time.Microsecond)
		}
	}
	answers := make([]map[answered]int, 6)
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for i := range answers {
		answers[i] = map[answered]int{}
		wait.Go(func() {
			c := client{Keeper: keepers[i%len(keepers)], random: rand.New(rand.NewPCG(1, uint64(i))), known: map[string]apitest.Reply{}}
			for ctx.Err() == nil {
				n := done.Add(1)
				if n > reads {
					return
				}
				for n > allowed.Load() && ctx.Err() == nil {
					time.Sleep(100 * time.Microsecond)
				}
				target := targets.all[c.random.IntN(len(targets.all))]
				if a, ok := c.read(target); ok {
					answers[i][a]++
				}
			}
		})
	}

	random := rand.New(rand.NewPCG(2, 2))
	switches := 0
	for appended := 0; appended < posts; {
		n := min(1+random.IntN(3), posts-appended)
		if appended < posts/2 && appended+n >= posts/2 {
			n = min(100, posts-appended) // far enough behind for batches
		}
		replay.Append(t, log, history[appended:appended+n]...)
		if random.IntN(2) == 0 {
			replay.Wait(t, log)
		}
		appended += n
		allow(int64(n) * reads / posts * 3 / 4)
		if random.IntN(6) == 0 && appended > 20 {
			switches++
			truth.switchVersions(t, log.Pool(), targets, switches, func() { allow(200) })
		}
	}
	allow(reads)
	wait.Wait()
	stop()
	replay.Wait(t, log)

	checked, positions := 0, map[string]bool{}
	for _, perClient := range answers {
		for a, n := range perClient {
			want, ok := truth.at(a.position, a.target)
			switch {
			case !ok:
				t.Errorf("%s: names a position that there never was: %s", a.target, a.position)
			case want != a.answer:
				t.Errorf("%s at %s:\n got %s\nwant %s", a.target, a.position, a.answer, want)
			}
			checked += n
			positions[a.position] = true
		}
		if t.Failed() {
			return
		}
	}
	made1, made2 := keepers[0].Reads(), keepers[1].Reads()
	t.Logf("%d answers at %d positions, %d switches; made from the database: %d and %d; found in Redis: %.0f and %.0f", checked, len(positions), switches,
		made1, made2, keepers[0].Metric("strata_cache_hits_total", "tier", "redis"), keepers[1].Metric("strata_cache_hits_total", "tier", "redis"))
	if checked < reads*99/100 || len(positions) < 50 || switches < 5 {
		t.Errorf("too little happened: %d answers, %d positions, %d switches", checked, len(positions), switches)
	}
	if made1+made2 > reads/2 {
		t.Errorf("%d of %d answers were made from the database: hardly anything is kept", made1+made2, reads)
	}
}

// answered is what a read came to.
type answered struct{ target, position, answer string }

func answerText(r apitest.Reply) string { return fmt.Sprintf("%d %s", r.Status, r.Body) }

// client reads as a client does that remembers what it got, and sometimes asks whether it still holds.
type client struct {
	*apitest.Keeper
	random *rand.Rand
	known  map[string]apitest.Reply
}

func (c *client) read(target string) (a answered, ok bool) {
	before, asks := c.known[target]
	var got apitest.Reply
	if asks = asks && c.random.IntN(2) == 0; asks {
		got = c.Request(http.MethodGet, target, "If-None-Match", before.Header.Get("ETag"))
	} else {
		got = c.Get(target)
	}
	position := got.Header.Get("Strata-Position")
	switch got.Status {
	case http.StatusOK:
		c.known[target] = got
	case http.StatusNotModified:
		if !asks || got.Header.Get("ETag") != before.Header.Get("ETag") {
			c.T.Errorf("%s: got 304 with ETag %s for %s", target, got.Header.Get("ETag"), before.Header.Get("ETag"))
		}
		got = before
	case http.StatusNotFound:
	default:
		c.T.Errorf("%s: got %d %s", target, got.Status, got.Body)
		return a, false
	}
	if position == "" { // before there is a version
		return a, false
	}
	return answered{target, position, answerText(got)}, true
}

// targets are what is read, by the projection whose rows it is made of.
type targets struct {
	chain, balances, all []string
}

func targetsOf(t *testing.T, s synthchain.State, history []replay.Post) (ts targets) {
	t.Helper()
	ts.chain = []string{"/extended/v2/blocks", "/extended/v2/blocks?limit=3&offset=2", "/extended/v2/blocks/latest"}
	for i := 0; i < len(s.Blocks); i += 1 + len(s.Blocks)/6 {
		ts.chain = append(ts.chain, fmt.Sprintf("/extended/v2/blocks/%d", s.Blocks[i].Height), "/extended/v2/blocks/"+s.Blocks[i].IndexHash.String())
	}
	for _, id := range orphans(t, s, history) {
		ts.chain = append(ts.chain, "/extended/v2/blocks/"+id.String())
	}
	locked, others := []string{}, []string{}
	for account := range s.Balances {
		if _, ok := s.Locks[account]; ok {
			locked = append(locked, account)
		} else {
			others = append(others, account)
		}
	}
	slices.Sort(locked)
	slices.Sort(others)
	middle := s.Blocks[len(s.Blocks)/2]
	for _, account := range append(locked[:min(len(locked), 5)], others[:4]...) {
		ts.balances = append(ts.balances,
			"/extended/v1/address/"+account+"/stx", "/extended/v1/address/"+account+"/balances",
			fmt.Sprintf("/extended/v1/address/%s/stx?until_block=%d", account, middle.Height),
			"/extended/v1/address/"+account+"/balances?until_block="+middle.IndexHash.String())
	}
	ts.all = slices.Concat(ts.chain, ts.balances)
	return ts
}

// orphans are some blocks that were announced and are not canonical in the end.
func orphans(t *testing.T, s synthchain.State, history []replay.Post) (ids []hash.Hash32) {
	t.Helper()
	canonical := map[hash.Hash32]bool{}
	for _, b := range s.Blocks {
		canonical[b.IndexHash] = true
	}
	for _, post := range history {
		if post.Path != "/new_block" {
			continue
		}
		var block struct {
			ID hash.Hash32 `json:"index_block_hash"`
		}
		must.Do(t, json.Unmarshal(post.Body, &block))
		if !canonical[block.ID] && !slices.Contains(ids, block.ID) && len(ids) < 5 {
			ids = append(ids, block.ID)
		}
	}
	if len(ids) == 0 {
		t.Fatal("no block of the history is orphaned")
	}
	return ids
}

// oracle knows what the answers are at each position.
type oracle struct {
	api     *apitest.Site
	mu      sync.Mutex
	answers map[[2]string]string // by position and target
}

func (o *oracle) at(position, target string) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	answer, ok := o.answers[[2]string{position, target}]
	return answer, ok
}

func (o *oracle) note(api *apitest.Site, targets []string) {
	for _, target := range targets {
		got := api.Get(target)
		o.mu.Lock()
		o.answers[[2]string{got.Header.Get("Strata-Position"), target}] = answerText(got)
		o.mu.Unlock()
	}
}

// record folds a history one step at a time and notes the answers at each.
func (o *oracle) record(t *testing.T, history []replay.Post, targets targets) {
	t.Helper()
	log := replay.NewLog(t)
	api := apitest.NewSiteOn(t, apitest.Readers(t, log.Pool()), readapi.Config{})
	stop := replay.Start(t, log,
		&before[projections.LogItem]{apitest.NewChain(t), func() { o.note(api, targets.chain) }},
		&before[projections.Step]{balances.New(nil), func() { o.note(api, targets.balances) }})
	for _, post := range history {
		replay.Append(t, log, post)
		replay.Wait(t, log)
	}
	stop()
	o.note(api, targets.all)
}

// before is a projection that does something before each fold, while the tables are what the last one left.
type before[T projections.Item] struct {
	projections.Projection[T]
	do func()
}

func (b *before[T]) Fold(ctx context.Context, tx pgx.Tx, after int64, items []T) (projections.Outcome, error) {
	if len(items) != 1 {
		return projections.Outcome{}, fmt.Errorf("a batch of %d: the positions in between would be missing", len(items))
	}
	b.do()
	return b.Projection.Fold(ctx, tx, after, items)
}

// switchVersions makes a second version of the balances, with another content, has it read for a while and drops it.
func (o *oracle) switchVersions(t *testing.T, pool *pgxpool.Pool, targets targets, n int, read func()) {
	t.Helper()
	ctx := t.Context()
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		queries := []string{schemas.In(`CREATE SCHEMA {balances+1}`)}
		for _, table := range []string{"block", "holding", "entry", "stx_lock"} {
			queries = append(queries, fmt.Sprintf(schemas.In(`CREATE TABLE {balances+1}.%[1]s (LIKE {balances}.%[1]s INCLUDING ALL)`), table),
				fmt.Sprintf(schemas.In(`INSERT INTO {balances+1}.%[1]s SELECT * FROM {balances}.%[1]s`), table))
		}
		queries = append(queries,
			fmt.Sprintf(schemas.In(`UPDATE {balances+1}.holding SET balance = balance + %d`), n),
			fmt.Sprintf(schemas.In(`INSERT INTO strata.projection (name, version, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height)
				SELECT name, {balances#+1}, input, state, position, %d, block_height, index_block_hash, block_hash, burn_block_height
				FROM strata.projection WHERE name = 'balances'`), 1_000_000+n))
		for _, query := range queries {
			if _, err := tx.Exec(ctx, query); err != nil {
				return fmt.Errorf("%s: %w", query, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
		return
	}
	activate := func(version int) {
		if _, err := pool.Exec(ctx, `UPDATE strata.active SET version = $1 WHERE name = 'balances'`, version); err != nil {
			t.Error(err)
		}
	}
	activate(balances.Version + 1)
	o.note(o.api, targets.balances)
	read()
	activate(balances.Version)
	if _, err := pool.Exec(ctx, schemas.In(`DROP SCHEMA {balances+1} CASCADE`)); err != nil {
		t.Error(err)
	}
	if _, err := pool.Exec(ctx, schemas.In(`DELETE FROM strata.projection WHERE name = 'balances' AND version = {balances#+1}`)); err != nil {
		t.Error(err)
	}
}
