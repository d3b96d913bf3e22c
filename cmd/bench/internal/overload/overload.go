// Package overload measures what readers of cached answers notice while others ask for more than the database can answer.
package overload

import (
	"context"
	"fmt"
	"sync"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/internal/pause"
	"strata/internal/synth/synthchain"
	"strata/rig/schemas"
)

// Bench measures a server that receives events while it is asked for far more than it can read.
type Bench struct{ *bench.Bench }

const (
	posts       = 1_500 // of the chain before the measurement
	crowd       = 300   // connections that ask costly reads
	eventPeriod = 250 * time.Millisecond
	// lead is the time for which the crowd asks before hot reads are measured, and after.
	lead = 300 * time.Millisecond
)

// Measure compares hot reads alone with the same reads while a crowd asks reads that no cache can have, and while events
// come that make cached answers of the tip stale. Both take turns.
func (b Bench) Measure(ctx context.Context) {
	url, pool := b.Database(ctx, "overload")
	defer pool.Close()
	server := b.Serve(ctx, url, "--roles", "observer,projector,api")
	defer server.Stop()
	feed := &feed{server: server, chain: synthchain.New(synthchain.Config{Seed: 5, SigningSample: 100, ForgetHistory: true, Accounts: 256})}
	feed.post(ctx, posts, 0)
	bench.UntilFolded(ctx, pool)
	var height int
	bench.Check(pool.QueryRow(ctx, schemas.In(`SELECT max(height) FROM {chain}.canonical`)).Scan(&height))
	accounts := feed.chain.Accounts()
	hot := server.Contender(ctx, hotReads(accounts))
	costly := &costlyReads{contender: server.Contender(ctx, distinctReads(accounts, height))}
	overloaded := func(connections int, d time.Duration) (*load.Round, error) {
		return feed.during(ctx, func() (*load.Round, error) {
			return costly.during(d, func() (*load.Round, error) { return hot(connections, d) })
		})
	}
	b.CompareOver([]int{16, 64}, fmt.Sprintf("hot reads while %d connections ask costly ones, %.0f events/s", crowd, 1/eventPeriod.Seconds()), "alone",
		"≥ 0.8×, p99 < 50 ms", hot, overloaded)
	b.Row("… costly reads meanwhile, answered or refused", fmt.Sprintf("%.0f/s", costly.rate()), "", "", "")
}

// feed posts a made-up chain.
type feed struct {
	server *bench.Server
	chain  *synthchain.Chain
}

// post posts events, at most one per period, until there were count of them or ctx is done.
func (f *feed) post(ctx context.Context, count int, period time.Duration) {
	for range count {
		p := f.chain.Next()
		bench.Post(ctx, f.server.Observer+p.Path, p.Body)
		if pause.For(ctx, period); ctx.Err() != nil {
			return
		}
	}
}

// during posts events while do runs.
func (f *feed) during(ctx context.Context, do func() (*load.Round, error)) (*load.Round, error) {
	ctx, stop := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- bench.Catch(func() { f.post(ctx, 1<<30, eventPeriod) }) }()
	round, err := do()
	stop()
	if failure := <-failed; err == nil {
		err = failure
	}
	return round, err
}

// costlyReads is a crowd that asks for what no cache has.
type costlyReads struct {
	contender load.Contender
	rates     []float64
}

// during lets the crowd ask while do runs for the duration d.
func (c *costlyReads) during(d time.Duration, do func() (*load.Round, error)) (round *load.Round, err error) {
	var crowded *load.Round
	var failure error
	var group sync.WaitGroup
	group.Go(func() { crowded, failure = c.contender(crowd, d+2*lead) })
	time.Sleep(lead)
	round, err = do()
	group.Wait()
	if failure != nil {
		return nil, fmt.Errorf("costly reads: %w", failure)
	}
	c.rates = append(c.rates, crowded.Rate)
	return round, err
}

func (c *costlyReads) rate() (mean float64) {
	for _, r := range c.rates {
		mean += r / float64(len(c.rates))
	}
	return mean
}

// hotReads are what everybody asks for: balances of accounts, and the newest blocks.
func hotReads(accounts []string) *load.Requests {
	return load.Numbered(bench.HotCount, func(i int) string {
		if i%10 == 0 {
			return "/extended/v2/blocks?limit=20"
		}
		return "/extended/v2/addresses/" + accounts[i%len(accounts)] + "/balances/stx"
	})
}

// distinctReads are reads of the past, of which no two are the same: all balances at a block, and pages of lists.
func distinctReads(accounts []string, height int) *load.Requests {
	list := &load.Requests{}
	for i := range 200_000 {
		account, block := accounts[i%len(accounts)], 1+load.Scattered(i, height)
		switch i % 3 {
		case 0:
			list.AddAny(fmt.Sprintf("/extended/v1/address/%s/balances?until_block=%d", account, block))
		case 1:
			list.AddAny(fmt.Sprintf("/extended/v1/address/%s/transactions_with_transfers?limit=50&to_block=%d&offset=%d", account, block, i%100))
		default:
			list.AddAny(fmt.Sprintf("/extended/v1/tx?limit=50&to_block=%d&offset=%d", block, i%1_000))
		}
	}
	return list
}
