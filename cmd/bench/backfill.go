package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/contract"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/internal/synth/synthchain"
)

// backfill is how many tokens are to be fetched, and how many at a time, in one run after the other.
type backfill struct {
	tokens        int
	concurrencies []int
}

const (
	// backfillLatency is how far away nodes and gateways are.
	backfillLatency = 50 * time.Millisecond
	// collectionMax is how many tokens the contracts of non-fungible ones say they have, at most.
	collectionMax = 10_000
	// coinCalls is what is asked of a fungible token, and itemCalls of another.
	coinCalls, itemCalls = 5, 1
	// backfillPatience is how long nothing may come before the measurement is given up.
	backfillPatience = time.Minute
)

// backfilling measures how long it takes from the deploys of contracts until all their tokens have documents.
func (b *bench) backfilling(ctx context.Context) error {
	chain, err := deploys((b.backfill.tokens + collectionMax - 1) / collectionMax)
	if err != nil {
		return err
	}
	for _, concurrency := range b.backfill.concurrencies {
		f, err := b.fill(ctx, chain, concurrency)
		if err != nil {
			return fmt.Errorf("%d at a time: %w", concurrency, err)
		}
		f.print(b)
	}
	return nil
}

// fill lets a server on a fresh database fetch the tokens of a chain.
func (b *bench) fill(ctx context.Context, chain deployed, concurrency int) (*filling, error) {
	url, pool, err := b.database(ctx, fmt.Sprintf("backfill_%d", concurrency))
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	each := max((b.backfill.tokens-chain.coins)/chain.collections, 1)
	beyond, err := b.helper(ctx, "outside")
	if err != nil {
		return nil, err
	}
	defer beyond.stop()
	var address string
	if err := beyond.ask(world{backfillLatency, uint64(each)}, &address); err != nil {
		return nil, err
	}
	server, err := b.serve(ctx, url, "--nodes", address, "--ipfs-gateways", address, "--fetch-allow", "127.0.0.1",
		"--fetch-concurrency", strconv.Itoa(concurrency), "--fetch-per-host", strconv.Itoa(concurrency))
	if err != nil {
		return nil, err
	}
	defer server.stop()
	f := &filling{
		pool: pool, beyond: beyond, pids: [3]int{server.command.Process.Pid, b.cluster.Pid(), beyond.command.Process.Pid},
		concurrency: concurrency, tokens: int64(chain.coins + each*chain.collections),
		calls: int64(coinCalls*chain.coins + (itemCalls*each+1)*chain.collections),
	}
	before, err := f.processorTimes()
	if err != nil {
		return nil, err
	}
	f.resident[0] = residentBytes(f.pids[0])
	for _, p := range chain.posts {
		if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
			return nil, err
		}
	}
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	after, err := f.processorTimes()
	for i := range after {
		f.spent[i] = after[i] - before[i]
	}
	return f, err
}

// deployed is a chain that deploys contracts of tokens.
type deployed struct {
	posts              []synthchain.Post
	coins, collections int
}

// deploys makes a chain until there are so many collections.
func deploys(collections int) (d deployed, err error) {
	made := synthchain.New(synthchain.Config{
		Seed: 11, Mix: synthchain.Mix{Deploy: 1}, TxPerBlock: synthchain.Range{Min: 20, Max: 20}, SigningSample: 100, ForgetHistory: true,
	})
	for d.collections < collections {
		p := made.Next()
		d.posts = append(d.posts, p)
		payload, err := nodeevent.Decode(p.Path, p.Body)
		if err != nil {
			return d, fmt.Errorf("read a post to %s: %w", p.Path, err)
		}
		block, ok := payload.(*nodeevent.Block)
		if !ok {
			continue
		}
		for i := range block.Transactions {
			if err := d.count(&block.Transactions[i]); err != nil {
				return d, err
			}
		}
	}
	return d, nil
}

func (d *deployed) count(tx *nodeevent.Transaction) error {
	if !tx.Succeeded() || len(tx.ContractInterface) == 0 {
		return nil
	}
	i, err := contract.Parse(tx.ContractInterface)
	if err != nil {
		return fmt.Errorf("read the interface that transaction %s deploys: %w", tx.TxID, err)
	}
	switch r, _ := token.Recognise(i); r.Kind {
	case token.FT:
		d.coins++
	case token.NFT:
		d.collections++
	}
	return nil
}

// filling is a backfill that goes on.
type filling struct {
	pool          *pgxpool.Pool
	beyond        *helper
	pids          [3]int // the server, Postgres, and the node with the gateway
	concurrency   int
	tokens, calls int64

	known    time.Duration    // until all documents were in the tables
	spent    [3]time.Duration // processor time of each
	resident [3]int64         // bytes of the server: before, half-way, and at the end
}

// shortest is the time that it takes when nothing but the concurrency holds it up. Contracts and documents are asked by
// different workers, as many of each, at the same time: the longer of the two counts. A job with several calls makes one
// after the other, so each request takes a worker for as long as its answer is away.
func (f *filling) shortest() time.Duration {
	return time.Duration(max(f.calls, f.tokens)) * backfillLatency / time.Duration(f.concurrency)
}

func (f *filling) processorTimes() (spent [3]time.Duration, err error) {
	for i, pid := range f.pids {
		if spent[i], err = processorTime(pid); err != nil {
			return spent, err
		}
	}
	return spent, nil
}

// wait returns when all tokens have their documents.
func (f *filling) wait(ctx context.Context) error {
	began := time.Now()
	type progress struct {
		requests
		known int64
	}
	var last progress
	for moved := began; f.known == 0; time.Sleep(50 * time.Millisecond) {
		var now progress
		if err := errors.Join(ctx.Err(), f.beyond.ask(struct{}{}, &now.requests)); err != nil {
			return err
		}
		if f.resident[1] == 0 && now.Documents >= f.tokens/2 {
			f.resident[1] = residentBytes(f.pids[0])
		}
		if now.Documents >= f.tokens {
			// Not before: to count rows takes from the server's time.
			var err error
			if now.known, err = f.documents(ctx); err != nil {
				return err
			}
			if now.known >= f.tokens {
				f.known = time.Since(began)
			}
		}
		if now != last {
			last, moved = now, time.Now()
		} else if time.Since(moved) > backfillPatience {
			return fmt.Errorf("after %d of %d calls and %d of %d documents, %d of them in the tables, nothing came for %s",
				now.Calls, f.calls, now.Documents, f.tokens, now.known, backfillPatience)
		}
	}
	f.resident[2] = residentBytes(f.pids[0])
	return nil
}

// documents counts those that are in the tables.
func (f *filling) documents(ctx context.Context) (have int64, err error) {
	err = f.pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM ft_v1.document WHERE source_seq IS NOT NULL) + (SELECT count(*) FROM nft_v1.document WHERE source_seq IS NOT NULL)`).Scan(&have)
	return have, err
}

func (f *filling) print(b *bench) {
	rate := func(took time.Duration) float64 { return float64(f.tokens) / took.Seconds() }
	most := rate(f.shortest())
	b.row(fmt.Sprintf("backfill of %d tokens, %d at a time, until all have documents", f.tokens, f.concurrency),
		fmt.Sprintf("%.0f tokens/s, %.1f s", rate(f.known), f.known.Seconds()),
		fmt.Sprintf("%.0f tokens/s in %s an answer", most, backfillLatency), times(rate(f.known), most), "")
	each := func(spent time.Duration) float64 { return spent.Seconds() * 1000 / float64(f.tokens) }
	b.row("  processor time a token", fmt.Sprintf("%.2f ms: server %.2f, Postgres %.2f, node and gateway %.2f",
		each(f.spent[0]+f.spent[1]+f.spent[2]), each(f.spent[0]), each(f.spent[1]), each(f.spent[2])), "", "", "")
	b.row("  RSS before, half-way, at the end", fmt.Sprintf("%.0f, %.0f, %.0f MiB", mib(f.resident[0]), mib(f.resident[1]), mib(f.resident[2])), "", "", "flat, < 300 MiB")
}
