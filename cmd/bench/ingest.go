package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"slices"
	"strings"
	"time"

	"strata/internal/synth/simulate"
	"strata/internal/synth/synthchain"
)

// post delivers an event as a node does: on its own connection, with the request in one piece, and reads the whole
// answer.
func post(_ context.Context, url string, body []byte) error {
	location, err := neturl.Parse(url)
	if err != nil {
		return err
	}
	conn, err := net.DialTimeout("tcp", location.Host, 10*time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	request := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nUser-Agent: stacks/3.0\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nconnection: close\r\n\r\n", location.Path, location.Host, len(body))
	if _, err := conn.Write(append(request, body...)); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
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

// percentile returns a percentile of sorted durations.
func percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// acknowledge compares the latency of the answer to a node with that of a bare one-row commit of the same bytes, and of
// the same commit behind a minimal HTTP server. They take turns, for blocks of 1, 10, 100 and 1,000 transfers.
func (b *bench) acknowledge(ctx context.Context) error {
	for _, transfers := range []int{1, 10, 100, 1000} {
		if err := b.acknowledgeBlocks(ctx, transfers); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) acknowledgeBlocks(ctx context.Context, transfers int) error {
	rounds := 1000
	if transfers >= 100 {
		rounds = 100
	}
	chain := synthchain.New(synthchain.Config{
		Seed: 2, TxPerBlock: synthchain.Range{Min: transfers, Max: transfers}, SigningSample: 100, ForgetHistory: true,
		Accounts: max(64, transfers),
	})
	return b.acknowledging(ctx, fmt.Sprintf("acknowledge_%d", transfers), fmt.Sprintf("a block of %d", transfers), rounds, func() (path string, body []byte) {
		for {
			if p := chain.Next(); p.Path == "/new_block" {
				return p.Path, p.Body
			}
		}
	})
}

// acknowledging measures deliveries of the events that next returns, one per round.
func (b *bench) acknowledging(ctx context.Context, database, what string, rounds int, next func() (path string, body []byte)) error {
	url, pool, err := b.database(ctx, database)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `CREATE TABLE public.bare (body bytea)`); err != nil {
		return err
	}
	commit := func(body []byte) error {
		_, err := pool.Exec(ctx, `INSERT INTO public.bare VALUES ($1)`, body)
		return err
	}
	minimal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = commit(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	defer minimal.Close()
	// Only the observer runs. Otherwise the projections would fold the previous block on the same cores, and a node
	// does not wait for that.
	server, err := b.serve(ctx, url, "--roles", "observer")
	if err != nil {
		return err
	}
	defer server.stop()
	var strata, bare, behindHTTP []time.Duration
	size := 0
	for len(strata) < rounds {
		path, body := next()
		size = len(body)
		for _, measured := range []struct {
			took *[]time.Duration
			do   func() error
		}{
			{&strata, func() error { return post(ctx, server.observer+path, body) }},
			{&bare, func() error { return commit(body) }},
			{&behindHTTP, func() error { return post(ctx, minimal.URL+path, body) }},
		} {
			started := time.Now()
			if err := measured.do(); err != nil {
				return err
			}
			*measured.took = append(*measured.took, time.Since(started))
		}
	}
	slices.Sort(strata)
	slices.Sort(bare)
	slices.Sort(behindHTTP)
	for _, p := range []struct {
		name, target string
		at           float64
	}{{"p50", "≤ 2×", .5}, {"p99", "", .99}} {
		what := fmt.Sprintf("acknowledge %s (%d KB), %s", what, size/1000, p.name)
		s, t, u := percentile(strata, p.at), percentile(bare, p.at), percentile(behindHTTP, p.at)
		b.row(what, ms(s), ms(t)+" bare commit", times(float64(s), float64(t)), p.target)
		b.row("", "", ms(u)+" the same behind HTTP", times(float64(s), float64(u)), "")
	}
	return nil
}

// visible measures the time from the acknowledgement of a block until the API shows it.
func (b *bench) visible(ctx context.Context) error {
	chain := synthchain.New(synthchain.Config{Seed: 3, TxPerBlock: synthchain.Range{Min: 10, Max: 10}, ForgetHistory: true})
	return visibility{
		database: "visible", what: "acknowledged → visible, p50 / p99", target: "p99 < 100 ms", rounds: 300,
		path: "/extended/v1/address/" + chain.Accounts()[0] + "/stx", // balances come last: they fold the steps of the chain
		next: func() (synthchain.Post, int64, error) {
			p := chain.Next()
			if p.Path != "/new_block" {
				return p, 0, nil
			}
			var block struct {
				Height int64 `json:"block_height"`
			}
			err := json.Unmarshal(p.Body, &block)
			return p, block.Height, err
		},
	}.measure(ctx, b)
}

// visibility is a measurement of the time from the acknowledgement of posts until the API shows their blocks.
type visibility struct {
	database     string
	what, target string // of the row
	rounds       int
	path         string // of a request whose answer reflects the newest block
	// next returns a post and the height of its block. Posts with height 0 are only delivered.
	next func() (p simulate.Post, height int64, err error)
}

func (v visibility) measure(ctx context.Context, b *bench) error {
	url, pool, err := b.database(ctx, v.database)
	if err != nil {
		return err
	}
	defer pool.Close()
	server, err := b.serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.stop()
	var took []time.Duration
	for len(took) < v.rounds {
		p, height, err := v.next()
		if err != nil {
			return err
		}
		if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
			return err
		}
		if height == 0 {
			continue
		}
		acknowledged := time.Now()
		if err := waitUntilShown(server.api+v.path, height); err != nil {
			return err
		}
		took = append(took, time.Since(acknowledged))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	b.row(v.what, ms(percentile(took, .5))+" / "+ms(percentile(took, .99)), "", "", v.target)
	return nil
}

// waitUntilShown repeats a request without a pause until its answer reflects the block at a height.
func waitUntilShown(url string, height int64) error {
	want := fmt.Sprintf("height=%d;", height)
	for started := time.Now(); ; {
		response, err := http.Get(url)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		position := response.Header.Get("Strata-Position")
		if strings.Contains(position, want) {
			return nil
		}
		if time.Since(started) > 10*time.Second {
			return fmt.Errorf("%s does not show block %d after 10 s; its position is %q", url, height, position)
		}
	}
}
