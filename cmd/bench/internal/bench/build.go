package bench

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/follow"
)

// Build folds a log in this process, and returns the time that it takes until everything is folded.
func Build(ctx context.Context, pool *pgxpool.Pool, lines ...projections.Line) (took time.Duration, err error) {
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	runner := follow.NewRunner(follow.Config{Log: log}, lines...)
	if err := runner.Register(ctx); err != nil {
		return 0, err
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	started := time.Now()
	go func() {
		defer close(done)
		runner.Run(running)
	}()
	err = UntilFolded(ctx, pool)
	took = time.Since(started)
	stop()
	<-done
	return took, err
}
