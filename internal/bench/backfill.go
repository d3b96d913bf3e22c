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
	"strata/internal/synthchain"
)

// backfill is how many tokens are to be fetched, and how many at a time.
type backfill struct{ tokens, concurrency int }

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

// backfilling measures how long it takes from the deploys of contracts until all their tokens have documents. A contract
// and a document are asked by different workers, as many of each: neither stage can be faster than that number of
// requests in the time of one.
func (b *bench) backfilling(ctx context.Context) error {
	chain, err := deploys((b.backfill.tokens + collectionMax - 1) / collectionMax)
	if err != nil {
		return err
	}
	url, pool, err := b.database(ctx, "backfill")
	if err != nil {
		return err
	}
	defer pool.Close()
	each := max((b.backfill.tokens-chain.coins)/chain.collections, 1)
	all := int64(chain.coins + each*chain.collections)
	beyond, err := b.helper(ctx, "outside")
	if err != nil {
		return err
	}
	defer beyond.stop()
	var address string
	if err := beyond.ask(world{backfillLatency, uint64(each)}, &address); err != nil {
		return err
	}
	server, err := b.serve(ctx, url, "--nodes", address, "--ipfs-gateways", address, "--fetch-allow", "127.0.0.1",
		"--fetch-concurrency", strconv.Itoa(b.backfill.concurrency), "--fetch-per-host", strconv.Itoa(b.backfill.concurrency))
	if err != nil {
		return err
	}
	defer server.stop()
	f := filling{
		pool: pool, beyond: beyond, pid: server.command.Process.Pid,
		tokens: all, calls: int64(coinCalls*chain.coins + (itemCalls*each+1)*chain.collections),
	}
	f.resident[0] = residentBytes(f.pid)
	for _, p := range chain.posts {
		if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
			return err
		}
	}
	if err := f.wait(ctx); err != nil {
		return err
	}
	f.print(b)
	return nil
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
	pid           int
	tokens, calls int64

	called, asked, known time.Duration // until all calls and documents were asked for, and until all documents were in the tables
	resident             [3]int64      // bytes of the server: before, half-way, and at the end
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
		took := time.Since(began)
		if f.called == 0 && now.Calls >= f.calls {
			f.called = took
		}
		if f.resident[1] == 0 && now.Documents >= f.tokens/2 {
			f.resident[1] = residentBytes(f.pid)
		}
		if now.Documents >= f.tokens {
			if f.asked == 0 {
				f.asked = took
			}
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
	f.resident[2] = residentBytes(f.pid)
	return nil
}

// documents counts those that are in the tables.
func (f *filling) documents(ctx context.Context) (have int64, err error) {
	err = f.pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM ft_v1.document WHERE source_seq IS NOT NULL) + (SELECT count(*) FROM nft_v1.document WHERE source_seq IS NOT NULL)`).Scan(&have)
	return have, err
}

func (f *filling) print(b *bench) {
	limit := float64(b.backfill.concurrency) / backfillLatency.Seconds()
	bound := fmt.Sprintf("%.0f req/s, %d at a time of %s", limit, b.backfill.concurrency, backfillLatency)
	rate := func(n int64, took time.Duration) float64 { return float64(n) / took.Seconds() }
	for _, r := range []struct {
		what, unit string
		n          int64
		took       time.Duration
	}{
		{fmt.Sprintf("backfill of %d tokens, until all have documents", f.tokens), "tokens/s", f.tokens, f.known},
		{fmt.Sprintf("  %d calls of contracts, until the last one", f.calls), "req/s", f.calls, f.called},
		{fmt.Sprintf("  %d documents, until the last one", f.tokens), "req/s", f.tokens, f.asked},
	} {
		b.row(r.what, fmt.Sprintf("%.0f %s, %.1f s", rate(r.n, r.took), r.unit, r.took.Seconds()), bound, times(rate(r.n, r.took), limit), "")
	}
	b.row("  RSS before, half-way, at the end", fmt.Sprintf("%.0f, %.0f, %.0f MiB", mib(f.resident[0]), mib(f.resident[1]), mib(f.resident[2])), "", "", "flat, < 300 MiB")
}
