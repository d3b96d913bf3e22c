package eventstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/migrations"
)

func TestAppendWithoutDatabase(t *testing.T) {
	short.Skip(t, "starts a server of its own")
	server := pgtest.Dedicated(t)
	ctx := context.Background()
	must.Do(t, migrations.Up(ctx, server.URL()))
	log := openLog(t, server.New(t), eventstore.Config{Timeout: 10 * time.Second})
	wake := eventstore.NewWake(log.Pool(), eventstore.Channel, 100*time.Millisecond, nil)
	defer wake.Stop()
	mustAppend(t, log, incoming("/x", []byte("before")))

	for name, end := range map[string]func(testing.TB){"stop": server.Stop, "kill": server.Kill} {
		end(t)
		// Sessions outlive a killed server for a moment.
		eventually.Holds(t, "append after "+name+" fails", func() bool {
			_, err := log.Append(ctx, incoming("/x", []byte(name)))
			return errors.Is(err, eventstore.ErrUnavailable)
		})
		for range 2 {
			if _, err := log.Append(ctx, incoming("/x", []byte(name))); !errors.Is(err, eventstore.ErrUnavailable) {
				t.Errorf("%s: got %v, want ErrUnavailable", name, err)
			}
			if _, err := log.AppendBatch(ctx, []eventstore.Incoming{incoming("/x", []byte(name))}, nil); !errors.Is(err, eventstore.ErrUnavailable) {
				t.Errorf("%s: got %v for a batch, want ErrUnavailable", name, err)
			}
		}
		server.Start(t)
		eventually.Holds(t, "append after "+name, func() bool {
			_, err := log.Append(ctx, incoming("/x", []byte(name)))
			return err == nil
		})
		mustAppendBatch(t, log, incoming("/x", []byte(name)))
	}
	checkWhole(t, log)

	// The listener is back, too.
	eventually.Holds(t, "wake-up after the restart", func() bool {
		c := wake.C()
		mustAppend(t, log, incoming("/x", []byte("wake")))
		select {
		case <-c:
			return true
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
}
