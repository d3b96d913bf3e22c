// Package live measures streams and WebSockets: the memory of their subscribers, and how soon they have a block.
package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/internal/synth/synthchain"
)

// The size of the measurement.
const (
	subscribers = 10_000
	blocks      = 50
	pause       = 300 * time.Millisecond // between blocks, so that each one is sent separately
	settle      = 20 * time.Second       // before memory is measured
)

// Bench measures subscribers.
type Bench struct{ *bench.Bench }

// Measure measures, for each protocol, the memory of a server with thousands of idle subscribers, and the time from
// the answer to a node until they have the block.
func (b *Bench) Measure(ctx context.Context) {
	for _, protocol := range []string{"streams", "WebSockets"} {
		b.broadcast(ctx, protocol)
	}
}

func (b *Bench) broadcast(ctx context.Context, protocol string) {
	url, pool := b.Database(ctx, "live_"+strings.ToLower(protocol))
	pool.Close()
	server := b.Serve(ctx, url)
	defer server.Stop()
	chain := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 100, ForgetHistory: true})
	postBlock := func() { // posts up to the next block
		for path := ""; path != "/new_block"; {
			p := chain.Next()
			bench.Post(ctx, server.Observer+p.Path, p.Body)
			path = p.Path
		}
	}
	for range 20 {
		postBlock()
	}
	time.Sleep(settle)
	before := bench.ResidentBytes(server.Pid())
	followers := b.Helper(ctx, "audience")
	defer followers.Stop()
	followers.Ask(audience{server.API, protocol, subscribers, blocks}, new(string))
	time.Sleep(settle)
	idle := bench.ResidentBytes(server.Pid())
	answered := make([]time.Time, 0, blocks)
	for len(answered) < blocks {
		postBlock()
		answered = append(answered, time.Now())
		time.Sleep(pause)
	}
	var arrivals [][]int64
	followers.Ask("", &arrivals)
	busy := bench.ResidentBytes(server.Pid())
	var first, all []time.Duration
	for i, times := range arrivals {
		slices.Sort(times)
		for k, at := range times {
			took := time.Unix(0, at).Sub(answered[i])
			if k == 0 {
				first = append(first, took)
			}
			all = append(all, took)
		}
	}
	mib := func(bytes int64) string { return fmt.Sprintf("%d MiB", bytes>>20) }
	b.Row(fmt.Sprintf("live: RSS with %d %s that are told nothing", subscribers, protocol), mib(idle), mib(before)+" without", "", "< 500 MB")
	b.Row(fmt.Sprintf("live: RSS after %d blocks for all of these %s", blocks, protocol), mib(busy), "", "", "< 500 MB")
	for _, p := range []struct {
		name string
		at   float64
	}{{"p50", .5}, {"p99", .99}} {
		b.Row(fmt.Sprintf("live: from the answer to the node until %d %s have the block, %s", subscribers, protocol, p.name), bench.Milliseconds(load.Percentile(all, p.at)),
			bench.Milliseconds(load.Percentile(first, p.at))+" until the first has it", "", "")
	}
}

// audience describes the subscribers.
type audience struct {
	URL, Protocol       string
	Connections, Events int
}

// Follow runs the subscribers as a helper process. It reads an audience and answers when all subscribers are
// connected. To the next question it answers with the times (Unix nanoseconds) at which each event reached each of
// them.
func Follow(ctx context.Context, in *json.Decoder, out *json.Encoder) {
	var a audience
	bench.Check(in.Decode(&a))
	location := bench.Must(neturl.Parse(a.URL))
	open := openStream
	if a.Protocol == "WebSockets" {
		open = openSocket
	}
	arrivals := make([][]int64, a.Events)
	for i := range arrivals {
		arrivals[i] = make([]int64, a.Connections)
	}
	var ready, done sync.WaitGroup
	errs := make(chan error, a.Connections)
	connecting := make(chan struct{}, 64) // limits the connections that are opened at a time
	for i := range a.Connections {
		ready.Add(1)
		done.Go(func() {
			connecting <- struct{}{}
			next, err := open(ctx, location.Host)
			<-connecting
			ready.Done()
			for n := 0; err == nil && n < a.Events; n++ {
				if err = next(ctx); err == nil {
					arrivals[n][i] = time.Now().UnixNano()
				}
			}
			if err != nil {
				errs <- err
			}
		})
	}
	ready.Wait()
	bench.Check(out.Encode("ready"))
	var question string
	bench.Check(in.Decode(&question))
	done.Wait()
	select {
	case err := <-errs:
		bench.Check(err)
	default:
	}
	bench.Check(out.Encode(arrivals))
}

// follower is a subscriber's connection. It returns when the next event has arrived.
type follower func(ctx context.Context) error

// openStream opens an event stream, which it reads with as little work as possible.
func openStream(_ context.Context, host string) (follower, error) {
	conn, err := net.DialTimeout("tcp", host, time.Minute)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(conn, "GET /stream/v1/blocks HTTP/1.1\r\nHost: %s\r\n\r\n", host); err != nil {
		return nil, err
	}
	lines := bufio.NewReaderSize(conn, 1024)
	status, err := lines.ReadString('\n')
	if err == nil && !strings.Contains(status, " 200 ") {
		err = errors.New(strings.TrimSpace(status))
	}
	for line := ""; err == nil && !strings.HasPrefix(line, "id: "); { // skip everything up to the first position, after which events follow
		line, err = lines.ReadString('\n')
	}
	return func(context.Context) error {
		for {
			line, err := lines.ReadSlice('\n')
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return errors.Join(err, io.ErrUnexpectedEOF)
			}
			if strings.HasPrefix(string(line), "event: ") {
				return nil
			}
		}
	}, err
}

// openSocket opens a WebSocket, and subscribes to blocks.
func openSocket(ctx context.Context, host string) (follower, error) {
	conn, _, err := websocket.Dial(ctx, "ws://"+host+"/extended/v1/ws", nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	next := func(ctx context.Context) error {
		_, message, err := conn.Reader(ctx)
		if err == nil {
			_, err = io.Copy(io.Discard, message)
		}
		return err
	}
	err = conn.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"event":"block"}}`))
	if err == nil {
		err = next(ctx) // the answer to the subscription
	}
	return next, err
}
