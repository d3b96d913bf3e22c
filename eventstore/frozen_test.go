package eventstore_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
)

// A peer that is frozen while it holds the head of the log stops nobody for long: between two statements, or in the middle
// of a COPY.
func TestFrozenPeers(t *testing.T) {
	t.Parallel()
	for name, freeze := range map[string]func(ctx context.Context, tx pgx.Tx){
		"between statements": func(ctx context.Context, _ pgx.Tx) { <-ctx.Done() },
		"in a COPY": func(ctx context.Context, tx pgx.Tx) {
			_, _ = tx.Conn().PgConn().CopyFrom(ctx, frozen{ctx}, `COPY log.body (sha256, seq) FROM STDIN (FORMAT binary)`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := migrated.New(t)
			var said logbuffer.Buffer
			log := openLog(t, pool, eventstore.Config{Logger: slog.New(slog.NewTextHandler(&said, nil))})
			ctx, thaw := context.WithCancel(t.Context())
			tx := must.Get(pool.Begin(ctx))(t)
			must.Get(tx.Exec(ctx, `SELECT size FROM log.head FOR UPDATE`))(t)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				freeze(ctx, tx)
				_ = tx.Rollback(context.WithoutCancel(ctx))
			}()
			began := time.Now()
			seq, err := log.Append(t.Context(), incoming("/x", []byte("x")))
			if err != nil || seq != 1 {
				t.Errorf("got event %d, %v", seq, err)
			}
			pid := fmt.Sprintf("pid=%d client=", tx.Conn().PgConn().PID())
			eventually.Holds(t, "it says which session it has ended", func() bool { return said.HasLine("ended a stalled session", pid) })
			if strings.Count(said.String(), "\n") != 1 {
				t.Errorf("it says more: %s", said.String())
			}
			t.Logf("fault: a writer frozen %s; an append of another took %s", name, time.Since(began).Round(time.Millisecond))
			thaw()
			<-ended
		})
	}
}

// frozen is the body of a COPY whose client has stopped.
type frozen struct{ ctx context.Context }

func (f frozen) Read([]byte) (int, error) {
	<-f.ctx.Done()
	return 0, io.EOF
}
