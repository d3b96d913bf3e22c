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
	return b.fromMemory(ctx, server, "≥ 0.6×, ≥ 30,000 req/s", []hotRead{
		{"hot STX balance, 299 accounts", hotTargets(), conditions{}},
		{"hot blocks", []string{blocksTarget}, conditions{}},
		{"hot blocks, zstd", []string{blocksTarget}, conditions{encoding: "zstd"}},
	})
}

// notModified does the same as hot for clients that already have the answer.
func (b *bench) notModified(ctx context.Context) error {
	server, err := b.serveReads(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	return b.fromMemory(ctx, server, "≥ 0.7×", []hotRead{
		{"304 STX balance, 299 accounts", hotTargets(), conditions{conditional: true}},
		{"304 blocks", []string{blocksTarget}, conditions{conditional: true}},
	})
}

// hotRead is a measurement of requests that are repeated again and again.
type hotRead struct {
	what    string
	targets []string
	with    conditions
}

// fromMemory measures answers from the API's memory.
func (b *bench) fromMemory(ctx context.Context, server *server, target string, all []hotRead) error {
	before, err := server.tally(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		c, list, err := record(ctx, server, k.targets, k.with)
		if err != nil {
			return err
		}
		if err := b.besideHandler(ctx, k.what, "bare handler", target, server, c, list); err != nil {
			return err
		}
	}
	return b.sources(ctx, server, before, "from memory", func(t tally) float64 { return t.memory })
}

// besideHandler compares the server with a bare handler that gives the same answers.
func (b *bench) besideHandler(ctx context.Context, what, name, target string, server *server, c *constants, list *requestList) error {
	handler, err := b.helper(ctx, "handler")
	if err != nil {
		return err
	}
	defer handler.stop()
	var bare string
	if err := handler.ask(c, &bare); err != nil {
		return err
	}
	return b.compare(what, name, target, loading(ctx, bare, list), server.loading(ctx, list))
}

// loading returns the contender that answers requests at an address.
func loading(ctx context.Context, address string, list *requestList) contender {
	return func(connections int, d time.Duration) (*round, error) {
		return load(ctx, address, connections, d, list)
	}
}

// loading returns the server as a contender.
func (s *server) loading(ctx context.Context, list *requestList) contender {
	return loading(ctx, strings.TrimPrefix(s.api, "http://"), list)
}
