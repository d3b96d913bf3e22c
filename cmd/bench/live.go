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

// The size of the measurement.
const (
	liveSubscribers = 10_000
	liveBlocks      = 50
	livePause       = 300 * time.Millisecond // between blocks, so that each one is sent separately
	liveIdle        = 20 * time.Second       // before memory is measured
)

// streaming measures, for each protocol, the memory of a server with thousands of idle subscribers, and the time from
// the answer to a node until they have the block.
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
	chain := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 100, ForgetHistory: true})
	postBlock := func() error { // posts up to the next block
		for {
			p := chain.Next()
			if err := post(ctx, server.observer+p.Path, p.Body); err != nil || p.Path == "/new_block" {
				return err
			}
		}
	}
	for range 20 {
		if err := postBlock(); err != nil {
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
		if err := postBlock(); err != nil {
			return err
		}
		answered = append(answered, time.Now())
		time.Sleep(livePause)
	}
	var arrivals [][]int64
	if err := followers.ask("", &arrivals); err != nil {
		return err
	}
	busy := residentBytes(server.command.Process.Pid)
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
	b.row(fmt.Sprintf("live: RSS after %d blocks for all of these %s", liveBlocks, protocol), mib(busy), "", "", "< 500 MB")
	for _, p := range []struct {
		name string
		at   float64
	}{{"p50", .5}, {"p99", .99}} {
		b.row(fmt.Sprintf("live: from the answer to the node until %d %s have the block, %s", liveSubscribers, protocol, p.name), ms(percentile(all, p.at)),
			ms(percentile(first, p.at))+" until the first has it", "", "")
	}
	return nil
}

// audience describes the subscribers.
type audience struct {
	URL, Protocol       string
	Connections, Events int
}

// followStream runs the subscribers as a helper process. It reads an audience and answers when all subscribers are
// connected. To the next question it answers with the times (Unix nanoseconds) at which each event reached each of
// them.
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
	connecting := make(chan struct{}, 64) // limits the connections that are opened at a time
	for i := range a.Connections {
		ready.Add(1)
		done.Go(func() {
			connecting <- struct{}{}
			stream, err := open(location)
			<-connecting
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
	var question string
	if err := in.Decode(&question); err != nil {
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

// follower is a subscriber's connection.
type follower interface {
	// events records the arrival time of each event, as that of subscriber i.
	events(arrivals [][]int64, i int) error
}

// rawStream reads an event stream with as little work as possible.
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
	for err == nil { // skip everything up to the first position, after which events follow
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
