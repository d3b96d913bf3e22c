package eventstore_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtraffic"
)

// A writer far from the database appends beside one that is near, and never stops.
func TestDistantWriter(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	near := openLog(t, pool, eventstore.Config{})
	config := pool.Config()
	pgtraffic.Through(&config.ConnConfig.Config, func(conn net.Conn) net.Conn { return slowConn{conn} })
	far := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(far.Close)
	log := openLog(t, far, eventstore.Config{})
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := near.Append(ctx, incoming("/near", fmt.Append(nil, i))); err != nil && ctx.Err() == nil {
				t.Errorf("the near writer: %v", err)
				return
			}
		}
	}()
	before := must.Get(near.Size(ctx))(t)
	began := time.Now()
	const events = 3
	for i := range events {
		mustAppend(t, log, incoming("/far", fmt.Append(nil, i)))
	}
	after := must.Get(near.Size(ctx))(t)
	stop()
	<-stopped
	t.Logf("fault: a writer that never stops; %d distant events in %s, beside %d near ones", events, time.Since(began).Round(time.Millisecond), after-before-events)
	checkWhole(t, near)
}

// slowConn delays what is sent.
type slowConn struct{ net.Conn }

func (c slowConn) Write(b []byte) (int, error) {
	time.Sleep(40 * time.Millisecond)
	return c.Conn.Write(b)
}
