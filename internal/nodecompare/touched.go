package nodecompare

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
)

const (
	// blocksMax is the number of newest blocks whose accounts are compared after a pause, or when blocks come faster than accounts
	// can be compared. Nodes make about one block in ten seconds, so that these are those of some minutes.
	blocksMax = 50
	// touchedMax is the number of accounts that are queued at a time, and that are remembered for a fork. A full block has some
	// thousand transactions, of which each touches a few accounts. At ten requests a second, so many take a quarter of an hour.
	touchedMax = 10000
)

// touched is the accounts that blocks have touched up to a block.
type touched struct {
	height int64
	hash   hash.Hash32
	names  []string
}

// refill queues the accounts that blocks have touched since done, the block up to which accounts were compared; the zero value is
// none. After a fork, these are those since the block at which both chains part, and those that the removed blocks have touched.
func (w *Watch) refill(ctx context.Context, tx pgx.Tx, tables string, tip, done touched) error {
	in := func(sql string) string { return strings.ReplaceAll(sql, "{schema}", tables) }
	heights, hashes := []int64{done.height}, [][]byte{done.hash[:]}
	for _, t := range w.recent {
		heights, hashes = append(heights, t.height), append(hashes, t.hash[:])
	}
	oldest := max(tip.height-blocksMax, -1)
	from := oldest
	err := tx.QueryRow(ctx, in(`
		SELECT coalesce(max(b.height), $3) FROM unnest($1::bigint[], $2::bytea[]) AS known (height, hash)
		JOIN {schema}.block b ON b.height = known.height AND b.index_block_hash = known.hash`), heights, hashes, oldest).Scan(&from)
	if err != nil {
		return fmt.Errorf("look which blocks are still there: %w", err)
	}
	if left := oldest - from; left > 0 {
		w.Logger.LogAttrs(ctx, slog.LevelInfo, "accounts of some blocks are not compared with the node: more blocks came than can be compared", slog.Int64("blocks", left), slog.Int64("from", from+1))
		from = oldest
	}
	tip.names, err = texts(ctx, tx, in(`
		SELECT account FROM (
			SELECT account, height FROM {schema}.ledger WHERE height > $1 AND asset = 'stx'
			UNION ALL SELECT account, height FROM {schema}.nonce WHERE height > $1
			UNION ALL SELECT account, height FROM {schema}.stx_lock WHERE height > $1
		) touched GROUP BY account ORDER BY max(height) DESC, account LIMIT $2`), from, touchedMax+1)
	if err != nil {
		return fmt.Errorf("read which accounts blocks have touched: %w", err)
	}
	if len(tip.names) > touchedMax {
		tip.names = tip.names[:touchedMax]
		w.Logger.LogAttrs(ctx, slog.LevelInfo, "not all accounts that blocks touched are compared with the node", slog.Int("compared", touchedMax), slog.Int64("above", from))
	}
	w.queue = slices.Clone(tip.names)
	removed := slices.IndexFunc(w.recent, func(t touched) bool { return t.height > from })
	if removed >= 0 {
		for _, t := range w.recent[removed:] {
			w.queue = append(w.queue, t.names...)
		}
		w.recent = w.recent[:removed]
		slices.Sort(w.queue)
		w.queue = slices.Compact(w.queue)
	}
	w.recent = append(w.recent, tip)
	remembered := 0
	for i := len(w.recent) - 1; i >= 0; i-- {
		if remembered += len(w.recent[i].names); remembered > touchedMax || len(w.recent)-i > blocksMax {
			w.recent = slices.Clone(w.recent[i+1:])
			break
		}
	}
	return nil
}
