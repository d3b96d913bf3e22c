package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// contender runs one round of load.
type contender func(connections int, d time.Duration) (*round, error)

// rounds is the number of rounds of each contender.
const rounds = 3

// figures are the results of a contender: the median rate of its rounds, and percentiles of all its latencies.
type figures struct {
	rate     float64
	p50, p99 time.Duration
}

func (f figures) String() string {
	return fmt.Sprintf("%.0f req/s, %.2f / %.2f ms", f.rate, f.p50.Seconds()*1000, f.p99.Seconds()*1000)
}

// inTurns lets contenders take turns, so that other work of the machine affects them equally. Each of them first has a
// short warm-up round, which does not count.
func (b *bench) inTurns(connections int, contenders ...contender) ([]figures, error) {
	results := make([]figures, len(contenders))
	rates := make([][]float64, len(contenders))
	latencies := make([]histogram, len(contenders))
	for n := range rounds + 1 {
		d := b.round
		if n == 0 {
			d /= 4
		}
		for i, contend := range contenders {
			r, err := contend(connections, d)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				rates[i] = append(rates[i], r.rate)
				latencies[i].merge(&r.latencies)
			}
		}
	}
	for i := range contenders {
		slices.Sort(rates[i])
		results[i] = figures{rates[i][rounds/2], latencies[i].percentile(.5), latencies[i].percentile(.99)}
	}
	return results, nil
}

// compare prints a row for 16 connections and one for 64. The baseline has the first turn of each round.
func (b *bench) compare(what, baselineName, target string, baseline, strata contender) error {
	return b.compareOver([]int{16, 64}, what, baselineName, target, baseline, strata)
}

// compareOver prints a row with the ratio of the rates for each number of connections. With one connection the latency
// is that of a read; with more it includes queueing.
func (b *bench) compareOver(numbers []int, what, baselineName, target string, baseline, strata contender) error {
	return b.compareBy(func(baseline, strata figures) string { return times(strata.rate, baseline.rate) },
		numbers, what, baselineName, target, baseline, strata)
}

// compareLatencies prints a row with the ratios of the latencies for each number of connections.
func (b *bench) compareLatencies(numbers []int, what, baselineName, target string, baseline, strata contender) error {
	return b.compareBy(func(baseline, strata figures) string {
		return ratioOf(strata.p50, baseline.p50) + " p50, " + ratioOf(strata.p99, baseline.p99) + " p99"
	}, numbers, what, baselineName, target, baseline, strata)
}

// compareBy prints a row for each number of connections, with what ratio says of the two contenders.
func (b *bench) compareBy(ratio func(baseline, strata figures) string, numbers []int, what, baselineName, target string, baseline, strata contender) error {
	for _, connections := range numbers {
		f, err := b.inTurns(connections, baseline, strata)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		b.row(what+", "+connectionsText(connections), f[1].String(), f[0].String()+" "+baselineName, ratio(f[0], f[1]), target)
	}
	return nil
}

func ratioOf(a, b time.Duration) string { return times(float64(a), float64(b)) }

func connectionsText(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return strconv.Itoa(n) + " connections"
}
