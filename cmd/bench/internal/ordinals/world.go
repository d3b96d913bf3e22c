package ordinals

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthordinals"
	"strata/projections/inscriptions"
)

// perBlock is the number of inscriptions of a block of the world.
const perBlock = 500

// payloads returns the first payloads of a feed, which together have a number of inscriptions.
func payloads(config synthordinals.Config, all int) iter.Seq[simulate.Post] {
	feed := synthordinals.New(config)
	return func(yield func(simulate.Post) bool) {
		for n := 0; n < all && yield(feed.Next()); n += config.Reveals.Max {
		}
	}
}

// world is a database with many inscriptions. Some of them are cursed, recursive, or on a rare sat; a few addresses have them all.
type world struct {
	url     string
	heights [2]int // of the first and of the last block
	last    int    // number of an inscription
	samples []sample
}

// sample is one of many inscriptions.
type sample struct {
	ID, TxID, Address string
	Sat               int64
}

func (b *Bench) world(ctx context.Context) (w *world) {
	config := inscribing(perBlock)
	config.CursedShare, config.RareSatShare, config.RecursionShare, config.Accounts = .02, .01, .1, 200
	config.ContentBytes = synthordinals.Range{Min: 0, Max: 100}
	w = &world{}
	w.url = b.World(ctx, "inscriptions", payloads(config, b.Inscriptions))
	pool := bench.Must(pgxpool.New(ctx, w.url))
	defer pool.Close()
	spec := inscriptions.Spec()
	bench.Check(pool.QueryRow(ctx, spec.SQL(`SELECT min(height), max(height), max(number) FROM {schema}.inscription`)).Scan(&w.heights[0], &w.heights[1], &w.last))
	rows := bench.Must(pool.Query(ctx, spec.SQL(fmt.Sprintf(`
		SELECT i.id, encode(s.output_txid, 'hex') AS txid, o.address, i.sat
		FROM {schema}.inscription i JOIN {schema}.owner o USING (id) JOIN {schema}.satoshi s ON s.sat = i.sat
		WHERE o.address IS NOT NULL ORDER BY md5(i.id) LIMIT %d`, bench.Variants))))
	w.samples = bench.Must(pgx.CollectRows(rows, pgx.RowToStructByPos[sample]))
	return w
}

func (w *world) sample(i int) sample { return w.samples[i%len(w.samples)] }
