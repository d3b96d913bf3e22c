package versions

import (
	"context"
	"fmt"
	"sort"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The size of a log is estimated from samples, because reading all of it takes too long: the log is divided into at most
// logStretches stretches, and logSamples events of each are read. For a log of at most as many events as are sampled,
// the estimate is exact.
const (
	logStretches = 512
	logSamples   = 32
)

// logBytes estimates the total size of the bodies of the log up to any event.
type logBytes struct {
	ends []int64   // the last event of each stretch
	sums []float64 // the estimated bytes up to that event
}

// readLogBytes samples the sizes of events, spread over the whole log.
func readLogBytes(ctx context.Context, pool *pgxpool.Pool) (*logBytes, error) {
	// The samples of a stretch are consecutive events in its middle, so that few pages are read.
	rows, _ := pool.Query(ctx, `
		WITH log AS (SELECT size AS events, greatest($2, (size + $1 - 1) / $1) AS width FROM log.head)
		SELECT least(first + width - 1, events), coalesce(mean, 0) * (least(first + width - 1, events) - first + 1)
		FROM log CROSS JOIN LATERAL generate_series(1, events, width) AS first
		CROSS JOIN LATERAL (
			SELECT avg(e.size)::float8 AS mean FROM log.event e
			WHERE e.seq BETWEEN first + greatest(least(width, events - first + 1) - $2, 0) / 2 AND first + greatest(least(width, events - first + 1) - $2, 0) / 2 + $2 - 1
			AND e.seq < first + width
		) AS sample
		ORDER BY first`, int64(logStretches), int64(logSamples))
	b := &logBytes{}
	var end int64
	var bytes, sum float64
	_, err := pgx.ForEachRow(rows, []any{&end, &bytes}, func() error {
		sum += bytes
		b.ends, b.sums = append(b.ends, end), append(b.sums, sum)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sample the sizes of the log's events: %w", err)
	}
	return b, nil
}

// upTo estimates the total size, in bytes, of the events up to seq. Beyond the end that was sampled, it assumes events
// like those of the last stretch.
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
