package bench

import (
	"context"
	"encoding/binary"
	"iter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/c32"
	"strata/eventstore"
	"strata/internal/synth/simulate"
)

// batchBytes is the size of the bodies that Log appends at a time.
const batchBytes = 8 << 20

// Log creates a database whose log has made-up events, and a pool on it. events and bytes are the numbers of events and of the
// bytes of their bodies.
func (b *Bench) Log(ctx context.Context, database string, posts iter.Seq[simulate.Post]) (url string, pool *pgxpool.Pool, events, bytes int64) {
	url, pool = b.Database(ctx, database)
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	var batch []eventstore.Incoming
	size := 0
	flush := func() {
		if len(batch) == 0 {
			return
		}
		Must(log.AppendBatch(ctx, batch, nil))
		events, bytes = events+int64(len(batch)), bytes+int64(size)
		batch, size = batch[:0], 0
	}
	for p := range posts {
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: time.Unix(1_700_000_000, 0), Source: "bench", Path: p.Path, ContentType: "application/json", Body: eventstore.NewBody(p.Body),
		})
		if size += len(p.Body); size >= batchBytes {
			flush()
		}
	}
	flush()
	return url, pool, events, bytes
}

// World creates a database with made-up events that a server has folded. more are further arguments of the server.
func (b *Bench) World(ctx context.Context, database string, posts iter.Seq[simulate.Post], more ...string) (url string) {
	url, pool, _, _ := b.Log(ctx, database, posts)
	defer pool.Close()
	server := b.Serve(ctx, url, more...)
	defer server.Stop()
	Settle(ctx, pool)
	return url
}

// Settle returns when everything in the log is folded, and Postgres knows what is in the tables.
func Settle(ctx context.Context, pool *pgxpool.Pool) {
	UntilFolded(ctx, pool)
	Must(pool.Exec(ctx, `VACUUM (ANALYZE)`))
}

// Account returns the address of account i.
func Account(i int) string { return Address(i).String() }

// Address returns the address of account i in its own form.
func Address(i int) c32.Address {
	address := c32.Address{Version: c32.MainnetSingle}
	binary.BigEndian.PutUint64(address.Hash160[:], uint64(i)+1)
	return address
}
