package bench

import (
	"context"
	"time"

	"strata/cmd/bench/internal/load"
)

// InTurns lets contenders take turns of the length of a round.
func (b *Bench) InTurns(what string, connections int, contenders ...load.Contender) []load.Figures {
	f, err := load.InTurns(b.Round, connections, contenders...)
	CheckOf(what, err)
	return f
}

// Compare prints a row for 16 connections and one for 64. The baseline has the first turn of each round.
func (b *Bench) Compare(what, baselineName, target string, baseline, strata load.Contender) {
	b.CompareOver([]int{16, 64}, what, baselineName, target, baseline, strata)
}

// CompareOver prints a row with the ratio of the rates for each number of connections. With one connection the latency
// is that of a read; with more it includes queueing.
func (b *Bench) CompareOver(numbers []int, what, baselineName, target string, baseline, strata load.Contender) {
	b.compareBy(func(baseline, strata load.Figures) string { return Times(strata.Rate, baseline.Rate) },
		numbers, what, baselineName, target, baseline, strata)
}

// CompareLatencies prints a row with the ratios of the latencies for each number of connections.
func (b *Bench) CompareLatencies(numbers []int, what, baselineName, target string, baseline, strata load.Contender) {
	b.compareBy(func(baseline, strata load.Figures) string {
		return ratioOf(strata.P50, baseline.P50) + " p50, " + ratioOf(strata.P99, baseline.P99) + " p99"
	}, numbers, what, baselineName, target, baseline, strata)
}

// Several is the number of different requests of a look-up, which is another one in each request.
const Several = 20_000

// Lookups prints a row for one connection and one for 16, without a baseline.
func (b *Bench) Lookups(ctx context.Context, server *Server, what, target string, path func(i int) string) {
	for _, connections := range []int{1, 16} {
		f := b.InTurns(what, connections, server.Contender(ctx, load.Numbered(Several, path)))
		b.Row("cold "+what+", "+Connections(connections), f[0].String(), "", "", target)
	}
}

// Deep compares a place of a list with the first one, over one connection and over 16. path returns the target of request i,
// of a number of variants, which begin at the place or near it.
func (b *Bench) Deep(ctx context.Context, server *Server, what, firstName, target string, variants, first, deep int, path func(place, i int) string) {
	at := func(place int) load.Contender {
		return server.Contender(ctx, load.Numbered(variants, func(i int) string { return path(place, i) }))
	}
	b.CompareLatencies([]int{1, 16}, what, firstName, target, at(first), at(deep))
}

// compareBy prints a row for each number of connections, with what ratio says of the two contenders.
func (b *Bench) compareBy(ratio func(baseline, strata load.Figures) string, numbers []int, what, baselineName, target string, baseline, strata load.Contender) {
	for _, connections := range numbers {
		f := b.InTurns(what, connections, baseline, strata)
		b.Row(what+", "+Connections(connections), f[1].String(), f[0].String()+" "+baselineName, ratio(f[0], f[1]), target)
	}
}

func ratioOf(a, b time.Duration) string { return Times(float64(a), float64(b)) }
