package jobqueue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Counts are the unfinished jobs of a queue.
type Counts struct {
	Active  int // that wait for a worker, run, or are tried again within seconds
	Resting int // that are put off for longer, for instance while a host wants to be left alone
}

// Unfinished counts the unfinished jobs of each queue, in all processes.
func Unfinished(ctx context.Context, tx pgx.Tx) (map[string]Counts, error) {
	const restingFrom = `state = 'scheduled' AND scheduled_at > now() + interval '5 seconds'`
	rows, err := tx.Query(ctx, `
		SELECT queue, count(*) FILTER (WHERE NOT (`+restingFrom+`)), count(*) FILTER (WHERE `+restingFrom+`)
		FROM `+Schema+`.river_job
		WHERE state IN ('available', 'running', 'retryable', 'scheduled', 'pending') GROUP BY queue`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	all := map[string]Counts{}
	var queue string
	var counts Counts
	_, err = pgx.ForEachRow(rows, []any{&queue, &counts.Active, &counts.Resting}, func() error {
		all[queue] = counts
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return all, nil
}
