package follow

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/commit"
	"strata/domain/shard"
	"strata/eventstore"
	"strata/projections"
)

// place is where a process believes that a version stands.
type place struct {
	version  projections.Schema
	epoch    [16]byte
	position int64
}

func (f *follower[T]) place() place { return place{f.spec.Schema, f.epoch, f.position} }

// atPlaces selects the versions that stand at their places. Their order keeps two processes that lock them from waiting
// for each other.
const atPlaces = `
	SELECT p.name, p.version
	FROM unnest($1::text[], $2::int[], $3::uuid[], $4::bigint[]) AS place (name, version, epoch, position)
	JOIN strata.projection p USING (name, version, epoch, position)
	ORDER BY p.name, p.version`

// lockPlaces locks these, which keeps a second process from folding the same items at the same time.
const lockPlaces = atPlaces + ` FOR NO KEY UPDATE OF p`

// placeArguments returns the arguments of atPlaces.
func placeArguments(places []place) []any {
	names, versions := make([]string, len(places)), make([]int, len(places))
	epochs, positions := make([][16]byte, len(places)), make([]int64, len(places))
	for i, p := range places {
		names[i], versions[i], epochs[i], positions[i] = p.version.Name, p.version.Version, p.epoch, p.position
	}
	return []any{names, versions, epochs, positions}
}

// queuePlaces queues a query of versions that stand at their places. The map has these once the batch has run.
func queuePlaces(batch *pgx.Batch, query string, places []place) map[projections.Schema]bool {
	there := map[projections.Schema]bool{}
	batch.Queue(query, placeArguments(places)...).Query(func(rows pgx.Rows) error {
		var s projections.Schema
		_, err := pgx.ForEachRow(rows, []any{&s.Name, &s.Version}, func() error {
			there[s] = true
			return nil
		})
		return err
	})
	return there
}

// move is the way of a version over some items, in a transaction with other versions.
type move struct {
	place
	to, logSeq int64
	rate       *float64
	outcome    projections.Outcome
	// committed takes note that the transaction has committed, which took this long.
	committed func(ctx context.Context, took time.Duration)
}

func moveOf[T projections.Item](f *follower[T], items []T) *move {
	last := items[len(items)-1]
	m := &move{place: f.place(), to: last.Position(), logSeq: last.LogSeq(), rate: f.meter.Rate()}
	m.committed = func(ctx context.Context, took time.Duration) { f.folded(ctx, m.to, len(items), m.outcome, took) }
	return m
}

// stopBefore makes the move end before an item of the log, of which a part is folded.
func (m *move) stopBefore(item projections.Item) {
	m.to, m.logSeq = item.Position()-1, item.LogSeq()-1
}

// published describes the move for readers.
func (m *move) published() commit.Move {
	p := commit.Move{Version: m.version, Epoch: m.epoch, From: m.position, To: m.to, LogSeq: m.logSeq, Tip: m.outcome.Tip}
	p.Shards, p.AllShards = m.outcome.Touched.Shards()
	return p
}

// notice is a notification of those that listen on some channels.
type notice struct {
	channels []string
	payload  string
	alone    bool // as eventstore.NotifySQL wants it
	skipped  bool // set when nobody else listened
}

// moveSQL moves versions, notes the shards that have changed, and gives notice. It divides by zero if one of the versions is
// not where it was, so that a commit which is sent with it does not happen.
var moveSQL = `
	WITH moved AS (
		UPDATE strata.projection p
		SET position = m.position, log_seq = m.log_seq, updated_at = now(), rate = coalesce(m.rate, p.rate),
		    block_height = m.block_height, index_block_hash = m.index_block_hash, block_hash = m.block_hash,
		    burn_block_height = m.burn_block_height, history_from = m.history_from, unfinished = m.unfinished, shards_from = m.position, changes_to = m.position,
		    changes_from = CASE WHEN m.everything THEN m.position WHEN p.changes_to = m.before THEN p.changes_from ELSE m.before END
		FROM unnest($1::text[], $2::int[], $3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::float8[],
		            $8::bigint[], $9::bytea[], $10::bytea[], $11::bigint[], $12::bool[], $13::bool[], $21::bigint[])
		     AS m (name, version, epoch, before, position, log_seq, rate, block_height, index_block_hash, block_hash, burn_block_height, everything, unfinished, history_from)
		WHERE p.name = m.name AND p.version = m.version AND p.epoch = m.epoch AND p.position = m.before
		RETURNING 1
	), changed AS (
		INSERT INTO strata.change (epoch, position, shards)
		SELECT * FROM unnest($15::uuid[], $16::bigint[], $17::bytea[])
		ON CONFLICT (epoch, position) DO UPDATE SET shards = excluded.shards -- somebody has moved the version back by hand
	)
	SELECT 1 / ((SELECT count(*) FROM moved) = $14)::int, bool_and(` + eventstore.NotifySQL(`$20::bool`, `channel`, `$19`) + `)
	FROM unnest($18::text[]) AS channel`

// writeMoves moves the positions of versions, stores the outcomes, and gives notice. It fails when a version is not where it
// was: who has not locked the positions looks then which one was moved. last is a statement to send with these, after them; empty for none.
func writeMoves(ctx context.Context, tx pgx.Tx, moves []*move, tell *notice, last string) error {
	n := len(moves)
	var (
		names, versions      = make([]string, n), make([]int, n)
		epochs               = make([][16]byte, n)
		from, to, logSeqs    = make([]int64, n), make([]int64, n), make([]int64, n)
		rates                = make([]*float64, n)
		heights, burnHeights = make([]*int64, n), make([]*int64, n)
		indexBlocks, blocks  = make([][]byte, n), make([][]byte, n)
		histories            = make([]*int64, n)
		everything           = make([]bool, n)
		unfinished           = make([]bool, n)
		changed              [][16]byte
		changedAt            []int64
		changes              [][]byte
	)
	for i, m := range moves {
		names[i], versions[i], epochs[i] = m.version.Name, m.version.Version, m.epoch
		from[i], to[i], logSeqs[i], rates[i] = m.position, m.to, m.logSeq, m.rate
		unfinished[i] = m.outcome.Left > 0
		if tip := m.outcome.Tip; tip != nil {
			heights[i], burnHeights[i] = &tip.Height, &tip.BurnBlockHeight
			indexBlocks[i], blocks[i] = tip.IndexBlockHash[:], tip.BlockHash[:]
			histories[i] = tip.HistoryFrom
		}
		var touched []int32
		touched, everything[i] = m.outcome.Touched.Shards()
		if len(touched) > 0 {
			changed, changedAt, changes = append(changed, m.epoch), append(changedAt, m.to), append(changes, shard.Encode(touched))
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(moveSQL,
		names, versions, epochs, from, to, logSeqs, rates, heights, indexBlocks, blocks, burnHeights, everything, unfinished, n,
		changed, changedAt, changes, tell.channels, tell.payload, tell.alone, histories).
		QueryRow(func(row pgx.Row) error {
			var one int
			var notified *bool
			err := row.Scan(&one, &notified)
			tell.skipped = notified != nil && !*notified
			return err
		})
	if last != "" {
		batch.Queue(last)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("move %d projections, and note what %d of them have changed: %w", n, len(changes), err)
	}
	return nil
}
