package load

import (
	"fmt"
	"slices"
	"time"
)

// rounds is the number of rounds of each contender.
const rounds = 3

// Figures are the results of a contender: the median rate of its rounds, and percentiles of all its latencies.
type Figures struct {
	Rate     float64
	P50, P99 time.Duration
}

func (f Figures) String() string {
	return fmt.Sprintf("%.0f req/s, %.2f / %.2f ms", f.Rate, f.P50.Seconds()*1000, f.P99.Seconds()*1000)
}

// InTurns lets contenders take turns, so that other work of the machine affects them equally. Each of their rounds
// lasts for the duration d. Each of them first has a short warm-up round, which does not count.
func InTurns(d time.Duration, connections int, contenders ...Contender) ([]Figures, error) {
	results := make([]Figures, len(contenders))
	rates := make([][]float64, len(contenders))
	latencies := make([]Histogram, len(contenders))
	for n := range rounds + 1 {
		lasting := d
		if n == 0 {
			lasting /= 4
		}
		for i, contend := range contenders {
			r, err := contend(connections, lasting)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				rates[i] = append(rates[i], r.Rate)
				latencies[i].merge(&r.Latencies)
			}
		}
	}
	for i := range contenders {
		slices.Sort(rates[i])
		results[i] = Figures{rates[i][rounds/2], latencies[i].percentile(.5), latencies[i].percentile(.99)}
	}
	return results, nil
}
