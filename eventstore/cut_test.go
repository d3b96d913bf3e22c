package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/must"
)

// cut ends the connection of a process with one of the requests that it sends to its database, or with the answer to that.
type cut struct {
	at       int64
	answer   bool
	requests atomic.Int64
}

type cutConn struct {
	net.Conn
	cut  *cut
	ends atomic.Bool // with what is read next
}

func (c *cutConn) Write(b []byte) (int, error) {
	if c.cut.requests.Add(1) == c.cut.at {
		c.ends.Store(true)
		if !c.cut.answer {
			_ = c.Close()
		}
	}
	return c.Conn.Write(b)
}

func (c *cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.ends.Load() {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

// TestCutRequests cuts the connection with each request of a process in turn, and with each answer. Only what needs that fails. What an
// append acknowledges is in the log, what fails is there once at most, and what a read returns is right.
func TestCutRequests(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	whole := openLog(t, pool, eventstore.Config{})
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 10})
	mustAppend(t, whole, incoming("/x", []byte("known")))
	for n := int64(2); ; n++ {
		c := &cut{at: n / 2, answer: n%2 == 1}
		config := pool.Config()
		dial := config.ConnConfig.DialFunc
		config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return &cutConn{Conn: conn, cut: c}, err
		}
		process := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
		log := eventstore.Open(process, eventstore.Config{})
		before := must.Get(whole.Size(t.Context()))(t)
		acknowledged, failed := map[int64]string{}, 0
		large := strings.Repeat(fmt.Sprint(n, " "), 5000)
		for i, bodies := range [][]string{{fmt.Sprint(n)}, {large}, {"known"}, {fmt.Sprint(n, 1), fmt.Sprint(n, 2), fmt.Sprint(n, 1)}} {
			var batch []eventstore.Incoming
			for _, body := range bodies {
				in := incoming("/x", []byte(body))
				if body == large {
					in.Body = must.Get(spool.Read(strings.NewReader(large), int64(len(large))))(t)
				}
				batch = append(batch, in)
			}
			add := func() (int64, error) { return log.Append(t.Context(), batch[0]) }
			if len(batch) > 1 {
				add = func() (int64, error) {
					return log.AppendBatch(t.Context(), batch, func(tx pgx.Tx, _ int64) error { _, err := tx.Exec(t.Context(), `SELECT 1`); return err })
				}
			}
			seq, err := add()
			if err != nil && (!errors.Is(err, eventstore.ErrUnavailable) || seq != 0) {
				t.Errorf("request %d: append %d fails with %d, %v", n, i, seq, err)
			}
			for j, body := range bodies {
				if err == nil {
					acknowledged[seq+int64(j)] = body
				}
			}
			if err != nil {
				failed++
			}
			if _, err := batch[0].Body.Reader().Read(make([]byte, 1)); bodies[0] == large && err == nil {
				t.Errorf("request %d: the append leaves the body open", n)
			}
		}
		after := eventstore.Range{After: before, Events: 10, Bytes: 1 << 20}
		for i, read := range []func(*eventstore.Log) (any, error){
			func(l *eventstore.Log) (any, error) { return l.Size(t.Context()) },
			func(l *eventstore.Log) (any, error) { return l.Read(t.Context(), after) },
			func(l *eventstore.Log) (any, error) { return l.Get(t.Context(), before+1, true) },
			func(l *eventstore.Log) (any, error) { return l.GetMany(t.Context(), []int64{1, before + 1}) },
			func(l *eventstore.Log) (any, error) {
				size, root, err := l.Checkpoint(t.Context())
				return [33]byte(append([]byte{byte(size)}, append(root, make([]byte, 32)...)...)), err
			},
			func(l *eventstore.Log) (any, error) {
				for c, err := range eventstore.Check(t.Context(), l.Pool(), 1, 1) {
					return c, err
				}
				return nil, nil
			},
		} {
			got, err := read(log)
			if want := must.Get(read(whole))(t); err == nil && !reflect.DeepEqual(got, want) || err != nil && !reflect.ValueOf(got).IsZero() {
				t.Errorf("request %d: read %d returns %v, %v, want %v", n, i, got, err, want)
			}
			if err != nil {
				failed++
			}
		}
		log.Close()
		process.Close()
		events := must.Get(whole.Read(t.Context(), after))(t)
		if failed > 1 || len(events) < len(acknowledged) || len(events) > len(acknowledged)+3*failed {
			t.Errorf("request %d: %d fail, and the log has %d events, of which %d were acknowledged", n, failed, len(events), len(acknowledged))
		}
		for seq, body := range acknowledged {
			if i := seq - before - 1; i >= int64(len(events)) || string(events[i].Body) != body {
				t.Errorf("request %d: event %d is not what was acknowledged", n, seq)
			}
		}
		if c.requests.Load() < c.at {
			break
		}
	}
	checkWhole(t, whole)
}
