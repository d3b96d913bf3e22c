package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// contender runs one round of load.
type contender func(connections int, d time.Duration) (*round, error)

// rounds is how often each contender has its turn.
const rounds = 3

// figures of a contender: the median of the rates of its rounds, and the latencies of all of them.
type figures struct {
	rate     float64
	p50, p99 time.Duration
}

func (f figures) String() string {
	return fmt.Sprintf("%.0f req/s, %.2f / %.2f ms", f.rate, f.p50.Seconds()*1000, f.p99.Seconds()*1000)
}

// inTurns has contenders take turns, so that whatever else the machine does hits them alike. Each has a short turn
// before, which doesn't count.
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

// compare prints a row for 16 connections and one for 64; the baseline goes first in each turn.
func (b *bench) compare(what, baselineName, target string, baseline, strata contender) error {
	return b.compareOver([]int{16, 64}, what, baselineName, target, baseline, strata)
}

// compareOver prints a row for each number of connections. Over one alone latency is that of a read, and not of a queue.
func (b *bench) compareOver(numbers []int, what, baselineName, target string, baseline, strata contender) error {
	for _, connections := range numbers {
		f, err := b.inTurns(connections, baseline, strata)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		b.row(what+", "+connectionsText(connections), f[1].String(), f[0].String()+" "+baselineName,
			times(f[1].rate, f[0].rate), target)
	}
	return nil
}

func connectionsText(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return strconv.Itoa(n) + " connections"
}
