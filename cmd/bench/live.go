package main

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

	"strata/internal/synth/synthchain"
)

// How many follow, and what they are told.
const (
	liveSubscribers = 10_000
	liveBlocks      = 50
	livePause       = 300 * time.Millisecond // between blocks, so that each is told on its own
	liveIdle        = 20 * time.Second       // before memory is looked at
)

// streaming measures, for each protocol, the memory of a server that thousands follow who are told nothing, and the time from
// when a node is answered until they have the block.
func (b *bench) streaming(ctx context.Context) error {
	for _, protocol := range []string{"streams", "WebSockets"} {
		if err := b.broadcast(ctx, protocol); err != nil {
			return fmt.Errorf("%s: %w", protocol, err)
		}
	}
	return nil
}

func (b *bench) broadcast(ctx context.Context, protocol string) error {
	url, pool, err := b.database(ctx, "live_"+strings.ToLower(protocol))
	if err != nil {
		return err
	}
	pool.Close()
	server, err := b.serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.stop()
	made := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 100, ForgetHistory: true})
	next := func() (synthchain.Post, error) {
		for {
			if p := made.Next(); p.Path == "/new_block" {
				return p, nil
			} else if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
				return p, err
			}
		}
	}
	for range 20 {
		p, err := next()
		if err == nil {
			err = post(ctx, server.observer+p.Path, p.Body)
		}
		if err != nil {
			return err
		}
	}
	time.Sleep(liveIdle)
	before := residentBytes(server.command.Process.Pid)
	followers, err := b.helper(ctx, "audience")
	if err != nil {
		return err
	}
	defer followers.stop()
	if err := followers.ask(audience{server.api, protocol, liveSubscribers, liveBlocks}, new(string)); err != nil {
		return err
	}
	time.Sleep(liveIdle)
	idle := residentBytes(server.command.Process.Pid)
	answered := make([]time.Time, 0, liveBlocks)
	for len(answered) < liveBlocks {
		p, err := next()
		if err == nil {
			err = post(ctx, server.observer+p.Path, p.Body)
		}
		if err != nil {
			return err
		}
		answered = append(answered, time.Now())
		time.Sleep(livePause)
	}
	var arrivals [][]int64
	if err := followers.ask("", &arrivals); err != nil {
		return err
	}
	told := residentBytes(server.command.Process.Pid)
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
	slices.Sort(first)
	slices.Sort(all)
	mib := func(bytes int64) string { return fmt.Sprintf("%d MiB", bytes>>20) }
	b.row(fmt.Sprintf("live: RSS with %d %s that are told nothing", liveSubscribers, protocol), mib(idle), mib(before)+" without", "", "< 500 MB")
	b.row(fmt.Sprintf("live: RSS after %d blocks for all of these %s", liveBlocks, protocol), mib(told), "", "", "< 500 MB")
	for _, p := range []struct {
		name string
		at   float64
	}{{"p50", .5}, {"p99", .99}} {
		b.row(fmt.Sprintf("live: from the answer to the node until %d %s have the block, %s", liveSubscribers, protocol, p.name), ms(percentile(all, p.at)),
			ms(percentile(first, p.at))+" until the first has it", "", "")
	}
	return nil
}

// audience is who follows the blocks.
type audience struct {
	URL, Protocol       string
	Connections, Events int
}

// followStream is a process that follows a stream over many connections. It is told which, says when all are there, and
// then, when it is asked, at what times (Unix nanoseconds) each event came to them.
func followStream(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	var a audience
	if err := in.Decode(&a); err != nil {
		return err
	}
	location, err := neturl.Parse(a.URL)
	if err != nil {
		return err
	}
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
	turns := make(chan struct{}, 64) // who connect at a time
	for i := range a.Connections {
		ready.Add(1)
		done.Go(func() {
			turns <- struct{}{}
			stream, err := open(location)
			<-turns
			ready.Done()
			if err == nil {
				err = stream.events(arrivals, i)
			}
			if err != nil {
				errs <- err
			}
		})
	}
	ready.Wait()
	if err := out.Encode("ready"); err != nil {
		return err
	}
	var asked string
	if err := in.Decode(&asked); err != nil {
		return err
	}
	done.Wait()
	select {
	case err := <-errs:
		return err
	default:
	}
	return out.Encode(arrivals)
}

// follower is a connection over which blocks are told.
type follower interface {
	// events notes when each one comes, of connection i.
	events(arrivals [][]int64, i int) error
}

// rawStream reads a stream with as little as it takes.
type rawStream struct{ lines *bufio.Reader }

func openStream(location *neturl.URL) (follower, error) {
	conn, err := net.DialTimeout("tcp", location.Host, time.Minute)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(conn, "GET /stream/v1/blocks HTTP/1.1\r\nHost: %s\r\n\r\n", location.Host); err != nil {
		return nil, err
	}
	s := &rawStream{bufio.NewReaderSize(conn, 1024)}
	status, err := s.lines.ReadString('\n')
	if err == nil && !strings.Contains(status, " 200 ") {
		err = errors.New(strings.TrimSpace(status))
	}
	for err == nil { // until the position at the beginning, from which on it follows
		var line string
		if line, err = s.lines.ReadString('\n'); strings.HasPrefix(line, "id: ") {
			break
		}
	}
	return s, err
}

// events implements follower.
func (s *rawStream) events(arrivals [][]int64, i int) error {
	for n := 0; n < len(arrivals); {
		line, err := s.lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("after %d events: %w", n, errors.Join(err, io.ErrUnexpectedEOF))
		}
		if strings.HasPrefix(string(line), "event: ") {
			arrivals[n][i] = time.Now().UnixNano()
			n++
		}
	}
	return nil
}
