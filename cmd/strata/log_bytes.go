package main

import (
	"context"
	"fmt"
	"sort"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The log is as good as never read as a whole to say how many bytes it has: it is cut into so many stretches, and of each at most so
// many events are looked at. A log that has no more events than that is known exactly.
const (
	logStretches = 512
	logSamples   = 32
)

// logBytes says about how many bytes the bodies of the log have up to any event.
type logBytes struct {
	ends []int64   // the last event of each stretch
	sums []float64 // the bytes up to it
}

// readLogBytes looks at the sizes of some events of the log, spread over it.
func readLogBytes(ctx context.Context, pool *pgxpool.Pool) (*logBytes, error) {
	// The events of a stretch that are looked at follow each other, so that few pages are read.
	rows, err := pool.Query(ctx, `
		WITH log AS (SELECT size AS events, greatest($2, (size + $1 - 1) / $1) AS width FROM log.head)
		SELECT least(first + width - 1, events), coalesce(mean, 0) * (least(first + width - 1, events) - first + 1)
		FROM log CROSS JOIN LATERAL generate_series(1, events, width) AS first
		CROSS JOIN LATERAL (
			SELECT avg(e.size)::float8 AS mean FROM log.event e
			WHERE e.seq BETWEEN first + greatest(least(width, events - first + 1) - $2, 0) / 2 AND first + greatest(least(width, events - first + 1) - $2, 0) / 2 + $2 - 1
			AND e.seq < first + width
		) AS sample
		ORDER BY first`, int64(logStretches), int64(logSamples))
	if err != nil {
		return nil, fmt.Errorf("look how large the events of the log are: %w", err)
	}
	b := &logBytes{}
	var end int64
	var bytes, sum float64
	_, err = pgx.ForEachRow(rows, []any{&end, &bytes}, func() error {
		sum += bytes
		b.ends, b.sums = append(b.ends, end), append(b.sums, sum)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look how large the events of the log are: %w", err)
	}
	return b, nil
}

// upTo is about how many bytes the events up to one have. What was appended since is taken to be like the last stretch.
func (b *logBytes) upTo(seq int64) float64 {
	if len(b.ends) == 0 || seq <= 0 {
		return 0
	}
	i := min(sort.Search(len(b.ends), func(i int) bool { return b.ends[i] >= seq }), len(b.ends)-1)
	first, before := int64(1), 0.0
	if i > 0 {
		first, before = b.ends[i-1]+1, b.sums[i-1]
	}
	return before + (b.sums[i]-before)*float64(seq-first+1)/float64(b.ends[i]-first+1)
}
