package eventstore_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgfault"
)

// TestCutRequests refuses each request of a process in turn, and cuts its connection with each, and with each answer. Only what needs
// that fails. What an append acknowledges is in the log, what fails is there once at most, and what a read returns is right.
func TestCutRequests(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	whole := openLog(t, pool, eventstore.Config{})
	mustAppend(t, whole, incoming("/x", []byte("known")))
	mustAppend(t, whole, incoming("/x", noise(1<<20+1, 1)))
	for _, kind := range []pgfault.Kind{pgfault.Refused, pgfault.Lost, pgfault.Unanswered} {
		for n, cut := 1, true; cut; n++ {
			process, fault := pgfault.New(t, pool, kind)
			failed := 0
			_, cut, _ = fault.During(n, func() { failed = appendAndRead(t, fmt.Sprintf("%d %d", kind, n), process, whole) })
			if cut && failed == 0 && kind == pgfault.Refused {
				t.Errorf("request %d is refused, and nothing fails", n)
			}
		}
	}
	checkWhole(t, whole)
}

// appendAndRead lets a process append to the log whole, and read it. It returns how much of that failed.
func appendAndRead(t *testing.T, name string, process *pgxpool.Pool, whole *eventstore.Log) (failed int) {
	t.Helper()
	before := must.Get(whole.Size(t.Context()))(t)
	acknowledged := map[int64]string{}
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 10})
	log := eventstore.Open(process, eventstore.Config{})
	large := strings.Repeat(fmt.Sprint(name, " "), 5000)
	for i, bodies := range [][]string{{name}, {large}, {"known"}, {fmt.Sprint(name, 1), fmt.Sprint(name, 2), fmt.Sprint(name, 1)}} {
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
			t.Errorf("request %s: append %d fails with %d, %v", name, i, seq, err)
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
			t.Errorf("request %s: the append leaves the body open", name)
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
			var last eventstore.CheckResult
			for c, err := range eventstore.Check(t.Context(), l.Pool(), 2, 1) {
				if err != nil {
					return last, err
				}
				last = *c
			}
			return last, nil
		},
	} {
		got, err := read(log)
		if want := must.Get(read(whole))(t); err == nil && !reflect.DeepEqual(got, want) || err != nil && !reflect.ValueOf(got).IsZero() {
			t.Errorf("request %s: read %d returns %v, %v, want %v", name, i, got, err, want)
		}
		if err != nil {
			failed++
		}
	}
	log.Close()
	process.Close()
	events := must.Get(whole.Read(t.Context(), after))(t)
	if failed > 1 || len(events) < len(acknowledged) || len(events) > len(acknowledged)+3*failed {
		t.Errorf("request %s: %d fail, and the log has %d events, of which %d were acknowledged", name, failed, len(events), len(acknowledged))
	}
	for seq, body := range acknowledged {
		if i := seq - before - 1; i >= int64(len(events)) || string(events[i].Body) != body {
			t.Errorf("request %s: event %d is not what was acknowledged", name, seq)
		}
	}
	return failed
}
