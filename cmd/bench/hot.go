package main

import (
	"context"
	"strings"
	"time"
)

// hot compares answers from memory with a bare handler that writes the same bytes.
func (b *bench) hot(ctx context.Context) error {
	server, err := b.serveReads(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	return b.fromMemory(ctx, server, "≥ 0.6×, ≥ 30,000 req/s", []kept{
		{"hot STX balance, 299 accounts", hotTargets(), asked{}},
		{"hot blocks", []string{blocksTarget}, asked{}},
		{"hot blocks, zstd", []string{blocksTarget}, asked{encoding: "zstd"}},
	})
}

// notModified does the same for clients that have the answer.
func (b *bench) notModified(ctx context.Context) error {
	server, err := b.serveReads(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	return b.fromMemory(ctx, server, "≥ 0.7×", []kept{
		{"304 STX balance, 299 accounts", hotTargets(), asked{repeated: true}},
		{"304 blocks", []string{blocksTarget}, asked{repeated: true}},
	})
}

// kept is what is asked for again and again.
type kept struct {
	what    string
	targets []string
	asked   asked
}

func (b *bench) fromMemory(ctx context.Context, server *server, target string, all []kept) error {
	before, err := server.tally(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		c, a, err := record(ctx, server, k.targets, k.asked)
		if err != nil {
			return err
		}
		if err := b.besideHandler(ctx, k.what, "bare handler", target, server, c, a); err != nil {
			return err
		}
	}
	return b.sources(ctx, server, before, "from memory", func(t tally) float64 { return t.memory })
}

// besideHandler compares the server with a bare handler that answers the same.
func (b *bench) besideHandler(ctx context.Context, what, name, target string, server *server, c *constants, a *aims) error {
	handler, err := b.helper(ctx, "handler")
	if err != nil {
		return err
	}
	defer handler.stop()
	var bare string
	if err := handler.ask(c, &bare); err != nil {
		return err
	}
	return b.compare(what, name, target, loading(ctx, bare, a), server.loading(ctx, a))
}

// loading is a contender that answers requests at an address.
func loading(ctx context.Context, address string, a *aims) contender {
	return func(connections int, d time.Duration) (*round, error) { return load(ctx, address, connections, d, a) }
}

// loading is the server as a contender.
func (s *server) loading(ctx context.Context, a *aims) contender {
	return loading(ctx, strings.TrimPrefix(s.api, "http://"), a)
}
