package pipeline_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/pgtest"
	"strata/projections/follow/internal/pipeline"
)

var errGone = errors.New("the server is gone")

// fragile is a connection to a server that ends when told to: what was sent is not answered, and later writes take a while
// until they fail.
type fragile struct {
	net.Conn
	ends *atomic.Bool
	gone *atomic.Bool
}

func (f fragile) Read(b []byte) (int, error) {
	if f.ends.Load() {
		f.gone.Store(true)
		return 0, io.ErrUnexpectedEOF
	}
	return f.Conn.Read(b)
}

func (f fragile) Write(b []byte) (int, error) {
	if f.gone.Load() {
		time.Sleep(10 * time.Millisecond)
		return 0, errGone
	}
	return f.Conn.Write(b)
}

// A server that ends while its answers are awaited fails the folds, and does not panic.
func TestServerEnds(t *testing.T) {
	var ends, gone atomic.Bool
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if gone.Load() {
			return nil, errGone
		}
		conn, err := dial(ctx, network, address)
		return fragile{conn, &ends, &gone}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	err = runFolds(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SELECT 1`); err != nil {
			return err
		}
		ends.Store(true)
		_, err := tx.Exec(t.Context(), `SELECT 1`)
		return err
	})
	var failed *pipeline.Error
	if !errors.As(err, &failed) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want what the connection said", err)
	}
	time.Sleep(50 * time.Millisecond) // pgx goes on closing the connection
}
