package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"strata/internal/synthchain"
)

// post is one delivery of a node: a connection of its own.
func post(ctx context.Context, url string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Close = true
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", url, response.Status)
	}
	return nil
}

// percentile of sorted durations.
func percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// acknowledge compares the time until a node is answered with a bare one-row commit of the same bytes, in turns, for
// blocks of 1, 10, 100 and 1,000 transfers.
func (b *bench) acknowledge(ctx context.Context) error {
	for _, transfers := range []int{1, 10, 100, 1000} {
		if err := b.acknowledgeBlocks(ctx, transfers); err != nil {
			return err
		}
	}
	return nil
}

// pause lets the projections finish with the last block, as they do at the tip of a chain.
const pause = 30 * time.Millisecond

func (b *bench) acknowledgeBlocks(ctx context.Context, transfers int) error {
	url, pool, err := b.database(ctx, fmt.Sprintf("acknowledge_%d", transfers))
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `CREATE TABLE public.bare (body bytea)`); err != nil {
		return err
	}
	server, err := b.serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.stop()
	rounds := 300
	if transfers >= 1000 {
		rounds = 60
	}
	made := synthchain.New(synthchain.Config{
		Seed: 2, TxPerBlock: synthchain.Range{Min: transfers, Max: transfers}, SigningSample: 100, ForgetHistory: true,
		Accounts: max(64, transfers),
	})
	var strata, bare []time.Duration
	size := 0
	for len(strata) < rounds {
		p := made.Next()
		if p.Path != "/new_block" {
			if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
				return err
			}
			continue
		}
		time.Sleep(pause)
		began := time.Now()
		if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
			return err
		}
		strata = append(strata, time.Since(began))
		time.Sleep(pause)
		began = time.Now()
		if _, err := pool.Exec(ctx, `INSERT INTO public.bare VALUES ($1)`, p.Body); err != nil {
			return err
		}
		bare = append(bare, time.Since(began))
		size = len(p.Body)
	}
	slices.Sort(strata)
	slices.Sort(bare)
	for _, p := range []struct {
		name, target string
		at           float64
	}{{"p50", "≤ 2×", .5}, {"p99", "", .99}} {
		s, t := percentile(strata, p.at), percentile(bare, p.at)
		b.row(fmt.Sprintf("acknowledge a block of %d (%d KB), %s", transfers, size/1000, p.name), ms(s), ms(t)+" bare commit", times(float64(s), float64(t)), p.target)
	}
	return nil
}

// visible measures from the acknowledgement of a block until the API shows it, asking without a pause.
func (b *bench) visible(ctx context.Context) error {
	url, pool, err := b.database(ctx, "visible")
	if err != nil {
		return err
	}
	defer pool.Close()
	server, err := b.serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.stop()
	made := synthchain.New(synthchain.Config{Seed: 3, TxPerBlock: synthchain.Range{Min: 10, Max: 10}, ForgetHistory: true})
	account := made.Accounts()[0]
	var took []time.Duration
	for len(took) < 300 {
		p := made.Next()
		if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
			return err
		}
		if p.Path != "/new_block" {
			continue
		}
		began := time.Now()
		var block struct {
			Height int64 `json:"block_height"`
		}
		if err := json.Unmarshal(p.Body, &block); err != nil {
			return err
		}
		// The balances are the last to follow: they fold what the chain has decided.
		want := fmt.Sprintf("height=%d;", block.Height)
		for {
			response, err := http.Get(server.api + "/extended/v1/address/" + account + "/stx")
			if err != nil {
				return err
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if bytes.Contains([]byte(response.Header.Get("Strata-Position")), []byte(want)) {
				break
			}
			if time.Since(began) > 10*time.Second {
				return fmt.Errorf("block %d is not visible after 10 s; position is %q", block.Height, response.Header.Get("Strata-Position"))
			}
		}
		took = append(took, time.Since(began))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	b.row("acknowledged → visible, p50 / p99", ms(percentile(took, .5))+" / "+ms(percentile(took, .99)), "", "", "p99 < 100 ms")
	return nil
}
