package bench

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
	"strings"
	"time"

	"strata/cmd/bench/internal/load"
	"strata/internal/synth/simulate"
)

// Post delivers an event as a node does: on its own connection, with the request in one piece, and reads the whole
// answer.
func Post(_ context.Context, url string, body []byte) {
	location := Must(neturl.Parse(url))
	conn := Must(net.DialTimeout("tcp", location.Host, 10*time.Second))
	defer func() { _ = conn.Close() }()
	request := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nUser-Agent: stacks/3.0\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nconnection: close\r\n\r\n", location.Path, location.Host, len(body))
	Must(conn.Write(append(request, body...)))
	response := Must(http.ReadResponse(bufio.NewReader(conn), nil))
	defer func() { _ = response.Body.Close() }()
	Must(io.Copy(io.Discard, response.Body))
	if response.StatusCode != http.StatusOK {
		Check(fmt.Errorf("%s answered %s", url, response.Status))
	}
}

// CompareAcknowledgements compares the latency of the answer to a node with that of a bare one-row commit of the same
// bytes, and of the same commit behind a minimal HTTP server. They take turns. next returns the event of a round.
func (b *Bench) CompareAcknowledgements(ctx context.Context, database, what string, rounds int, next func() (path string, body []byte)) {
	url, pool := b.Database(ctx, database)
	defer pool.Close()
	Must(pool.Exec(ctx, `CREATE TABLE public.bare (body bytea)`))
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
	server := b.Serve(ctx, url, "--roles", "observer")
	defer server.Stop()
	var strata, bare, behindHTTP []time.Duration
	size := 0
	for len(strata) < rounds {
		path, body := next()
		size = len(body)
		for _, measured := range []struct {
			took *[]time.Duration
			do   func()
		}{
			{&strata, func() { Post(ctx, server.Observer+path, body) }},
			{&bare, func() { Check(commit(body)) }},
			{&behindHTTP, func() { Post(ctx, minimal.URL+path, body) }},
		} {
			started := time.Now()
			measured.do()
			*measured.took = append(*measured.took, time.Since(started))
		}
	}
	for _, p := range []struct {
		name, target string
		at           float64
	}{{"p50", "≤ 2×", .5}, {"p99", "", .99}} {
		what := fmt.Sprintf("acknowledge %s (%d KB), %s", what, size/1000, p.name)
		s, t, u := load.Percentile(strata, p.at), load.Percentile(bare, p.at), load.Percentile(behindHTTP, p.at)
		b.Row(what, Milliseconds(s), Milliseconds(t)+" bare commit", Times(float64(s), float64(t)), p.target)
		b.Row("", "", Milliseconds(u)+" the same behind HTTP", Times(float64(s), float64(u)), "")
	}
}

// Visibility is a measurement of the time from the acknowledgement of posts until the API shows their blocks.
type Visibility struct {
	WarmUp, Rounds int    // those of a server that has just started do not count
	Path           string // of a request whose answer reflects the newest block
	// Next returns a post and the height of its block. Posts with height 0 are only delivered.
	Next func() (p simulate.Post, height int64)
}

// Print measures a server on a new database, and prints a row.
func (v Visibility) Print(ctx context.Context, b *Bench, database, what, target string) {
	url, pool := b.Database(ctx, database)
	defer pool.Close()
	server := b.Serve(ctx, url)
	defer server.Stop()
	p50, p99 := v.Measure(ctx, server)
	b.Row(what, Milliseconds(p50)+" / "+Milliseconds(p99), "", "", target)
}

// Measure posts to a server.
func (v Visibility) Measure(ctx context.Context, server *Server) (p50, p99 time.Duration) {
	var took []time.Duration
	for len(took) < v.WarmUp+v.Rounds {
		p, height := v.Next()
		Post(ctx, server.Observer+p.Path, p.Body)
		if height == 0 {
			continue
		}
		acknowledged := time.Now()
		waitUntilShown(server.API+v.Path, height)
		took = append(took, time.Since(acknowledged))
		time.Sleep(5 * time.Millisecond) // lets the server rest, as it does at the tip
	}
	took = took[v.WarmUp:]
	return load.Percentile(took, .5), load.Percentile(took, .99)
}

// NextBlock returns what Visibility.Next is for a chain.
func NextBlock(chain interface{ Next() simulate.Post }) func() (simulate.Post, int64) {
	return func() (simulate.Post, int64) {
		p := chain.Next()
		if p.Path != "/new_block" {
			return p, 0
		}
		var block struct {
			Height int64 `json:"block_height"`
		}
		Check(json.Unmarshal(p.Body, &block))
		return p, block.Height
	}
}

// betweenLooks leaves the processors to the server: a client that asks without a pause takes one of two for itself.
const betweenLooks = 200 * time.Microsecond

// waitUntilShown repeats a request until its answer reflects the block at a height.
func waitUntilShown(url string, height int64) {
	want := fmt.Sprintf("height=%d;", height)
	for started := time.Now(); ; {
		response := Must(http.Get(url))
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		position := response.Header.Get("Strata-Position")
		if strings.Contains(position, want) {
			return
		}
		time.Sleep(betweenLooks)
		if time.Since(started) > 10*time.Second {
			Check(fmt.Errorf("%s does not show block %d after 10 s; its position is %q", url, height, position))
		}
	}
}
