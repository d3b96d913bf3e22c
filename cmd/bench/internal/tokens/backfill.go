package tokens

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
	"strata/metadata"
	"strata/projections/ft"
	"strata/projections/nft"
	"strata/rig/schemas"
)

const (
	// backfillLatency is the latency of nodes and gateways.
	backfillLatency = 50 * time.Millisecond
	// collectionMax is the maximum number of tokens that a collection reports.
	collectionMax = 10_000
	// coinCalls and itemCalls are the numbers of read-only calls for a fungible and for a non-fungible token.
	coinCalls, itemCalls = 5, 1
	// backfillPatience is the time without progress after which the measurement fails.
	backfillPatience = time.Minute
)

// Backfill measures the time from the deployment of contracts until all their tokens have documents.
func (b *Bench) Backfill(ctx context.Context) {
	chain := deploys(0, (b.Fetched+collectionMax-1)/collectionMax)
	for _, concurrency := range []int{32, metadata.ConcurrencyDefault, 128} {
		b.backfillOnce(ctx, fmt.Sprintf("backfill_%d", concurrency), chain, b.Fetched, concurrency, backfillLatency).print(b)
	}
}

// worldConcurrency is the number of requests at the same time to a node and a gateway that answer at once.
const worldConcurrency = 16

// world creates a database in which the metadata of many tokens is known: it was fetched from a node and a gateway that answer at
// once. It returns the fungible ones, and the others.
func (b *Bench) world(ctx context.Context) (url string, coins, items knownTokens) {
	f := b.backfillOnce(ctx, "tokens", deploys(b.Known/coinShare, 1), b.Known, worldConcurrency, 0)
	pool := bench.Must(pgxpool.New(ctx, f.url))
	defer pool.Close()
	bench.Settle(ctx, pool)
	return f.url, readKnown(ctx, pool, ft.Spec()), readKnown(ctx, pool, nft.Spec())
}

// backfillOnce lets a server with a new database fetch the tokens of a chain from a node and a gateway with a latency.
func (b *Bench) backfillOnce(ctx context.Context, database string, chain tokenChain, tokens, concurrency int, latency time.Duration) *backfillRun {
	url, pool := b.Database(ctx, database)
	defer pool.Close()
	each := max((tokens-chain.coins)/chain.collections, 1)
	outside := b.Helper(ctx, "outside")
	defer outside.Stop()
	var address string
	outside.Ask(outsideWorld{latency, uint64(each)}, &address)
	server := b.Serve(ctx, url, "--nodes", address, "--ipfs-gateways", address, "--fetch-allow", "127.0.0.1",
		"--fetch-concurrency", strconv.Itoa(4*concurrency)) // a quarter of them to the only host
	defer server.Stop()
	f := &backfillRun{
		url: url, pool: pool, outside: outside, pid: server.Pid(),
		concurrency: concurrency, tokens: int64(chain.coins + each*chain.collections),
		calls: int64(coinCalls*chain.coins + (itemCalls*each+1)*chain.collections),
	}
	f.resident[0] = bench.ResidentBytes(f.pid)
	for _, p := range chain.posts {
		bench.Post(ctx, server.Observer+p.Path, p.Body)
	}
	f.wait(ctx)
	return f
}

// tokenChain is a chain that deploys token contracts.
type tokenChain struct {
	posts              []synthchain.Post
	coins, collections int
}

// deploys generates a chain until it has the given numbers of contracts of each kind. The names of their assets tell the kinds.
func deploys(coins, collections int) (d tokenChain) {
	chain := synthchain.New(synthchain.Config{
		Seed: 11, Mix: synthchain.Mix{Deploy: 1}, TxPerBlock: synthchain.Range{Min: 20, Max: 20}, SigningSample: 100, ForgetHistory: true,
	})
	for d.collections < collections || d.coins < coins {
		p := chain.Next()
		d.posts = append(d.posts, p)
		if p.Path == "/new_block" {
			d.coins += bytes.Count(p.Body, []byte(`"fungible_tokens":[{"name":"coin"}]`))
			d.collections += bytes.Count(p.Body, []byte(`"non_fungible_tokens":[{"name":"piece"`))
		}
	}
	return d
}

// backfillRun is one run of a backfill.
type backfillRun struct {
	url           string
	pool          *pgxpool.Pool
	outside       *bench.Helper
	pid           int // of the server
	concurrency   int
	tokens, calls int64

	took     time.Duration // until all documents were in the tables
	resident [3]int64      // resident bytes of the server: before, half-way, and at the end
}

// shortest returns the duration of a run that only its concurrency limits. Separate workers, the same number of each,
// call contracts and fetch documents at the same time, so the longer of the two counts. A job makes its calls one after
// the other, so each request occupies a worker until its answer arrives.
func (f *backfillRun) shortest() time.Duration {
	return time.Duration(max(f.calls, f.tokens)) * backfillLatency / time.Duration(f.concurrency)
}

// wait returns when all tokens have their documents.
func (f *backfillRun) wait(ctx context.Context) {
	started := time.Now()
	type progress struct {
		requests
		stored int64
	}
	var last progress
	for lastProgress := started; f.took == 0; time.Sleep(50 * time.Millisecond) {
		var now progress
		bench.Check(ctx.Err())
		f.outside.Ask(struct{}{}, &now.requests)
		if f.resident[1] == 0 && now.Documents >= f.tokens/2 {
			f.resident[1] = bench.ResidentBytes(f.pid)
		}
		if now.Documents >= f.tokens {
			// Counting rows earlier would slow the server down.
			now.stored = f.documents(ctx)
			if now.stored >= f.tokens {
				f.took = time.Since(started)
			}
		}
		if now != last {
			last, lastProgress = now, time.Now()
		} else if time.Since(lastProgress) > backfillPatience {
			bench.Check(fmt.Errorf("no progress for %s after %d of %d calls and %d of %d documents, %d of them in the tables",
				backfillPatience, now.Calls, f.calls, now.Documents, f.tokens, now.stored))
		}
	}
	f.resident[2] = bench.ResidentBytes(f.pid)
}

// documents counts the documents in the tables.
func (f *backfillRun) documents(ctx context.Context) (count int64) {
	bench.Check(f.pool.QueryRow(ctx, schemas.In(`
		SELECT (SELECT count(*) FROM {ft}.document WHERE source_seq IS NOT NULL) + (SELECT count(*) FROM {nft}.document WHERE source_seq IS NOT NULL)`)).Scan(&count))
	return count
}

func (f *backfillRun) print(b *Bench) {
	rate := func(took time.Duration) float64 { return float64(f.tokens) / took.Seconds() }
	limit := rate(f.shortest())
	b.Row(fmt.Sprintf("backfill of %d tokens, %d at a time, until all have documents", f.tokens, f.concurrency),
		fmt.Sprintf("%.0f tokens/s, %.1f s", rate(f.took), f.took.Seconds()),
		fmt.Sprintf("%.0f tokens/s in %s an answer", limit, backfillLatency), bench.Times(rate(f.took), limit), "")
	b.Row("  RSS before, half-way, at the end", fmt.Sprintf("%.0f, %.0f, %.0f MiB", bench.MiB(f.resident[0]), bench.MiB(f.resident[1]), bench.MiB(f.resident[2])), "", "", "flat, < 300 MiB")
}
