package ledger

import (
	"cmp"
	"fmt"

	"strata/readapi/internal/engine"
)

// locked returns the SQL expression for the µSTX that the lock row l locks at the block row b. This is the only place
// that says when a lock is in force: as in the node, while its unlock height is above the Bitcoin height of the block,
// and no forced unlock of its version of PoX has been reached. Balances and operations use it alike.
func locked(l, b string) string {
	return fmt.Sprintf(`(CASE WHEN %[1]s.amount > 0 AND %[1]s.unlock_height > %[2]s.burn_block_height
		AND coalesce((CASE %[1]s.pox_version WHEN 1 THEN %[2]s.pox_v1_unlock_height WHEN 2 THEN %[2]s.pox_v2_unlock_height
			WHEN 3 THEN %[2]s.pox_v3_unlock_height WHEN 4 THEN %[2]s.pox_v4_unlock_height END) > %[2]s.burn_block_height, true)
		THEN %[1]s.amount ELSE 0 END)`, l, b)
}

// lastLock returns a subquery that selects the last lock row of an account up to a height.
func lastLock(account, height string) string {
	return fmt.Sprintf(`SELECT * FROM {balances}.stx_lock x WHERE x.account = %s AND x.height <= %s ORDER BY x.height DESC, x.position DESC LIMIT 1`, account, height)
}

// lockRow is a change of an account's lock in a block.
type lockRow struct {
	seq          int64
	tx           int32
	account      string
	amount       string // µSTX locked after it, as of the end of the block
	before       string // µSTX locked by the row before it in the same block, or by what earlier blocks left
	unlockHeight int64
	source       source
}

// compare orders changes of locks by what they come from.
func (r *lockRow) compare(seq int64, from source) int {
	return cmp.Or(cmp.Compare(r.seq, seq), r.source.compare(from))
}

func lockColumns(r *lockRow) []any {
	return []any{&r.seq, &r.tx, &r.account, &r.amount, &r.before, &r.unlockHeight, &r.source}
}

// queueLocks adds the query for the changes of locks at some heights to a batch. Heights below the first block count as
// its own. What was locked before, and what is locked after, is as of the Bitcoin height of the block with the change:
// what ended at that height is an expiry of its own.
func queueLocks(b *engine.Batch, frame *Frame, heights []int64) *engine.Result[lockRow] {
	return engine.Query(b, lockColumns, `
		SELECT ARRAY[l.source_seq], l.source_seq, l.tx_index, l.account, `+locked("l", "c")+`::text, `+locked("p", "c")+`::text, l.unlock_height, l.pointer
		FROM {balances}.stx_lock l
		JOIN {balances}.block c ON c.height = greatest(l.height, $2)
		LEFT JOIN LATERAL (
			SELECT * FROM {balances}.stx_lock x WHERE x.account = l.account AND (x.height, x.position) < (l.height, l.position)
			ORDER BY x.height DESC, x.position DESC LIMIT 1
		) p ON true
		WHERE l.height = ANY ($1)
		ORDER BY l.height, l.position`, heights, frame.Genesis.Index)
}

// expiry is an account of which another amount is locked at a block than at the one before, without an event.
type expiry struct {
	height            int64
	account, unlocked string // µSTX that are not locked any more; negative if they are locked again
	locked            string // in total after it
	unlockHeight      int64
}

func expiryColumns(r *expiry) []any {
	return []any{&r.height, &r.account, &r.unlocked, &r.locked, &r.unlockHeight}
}

// queueExpiries adds the query for the locks that end at the Bitcoin heights of some blocks to a batch. It reads the locks
// with unlock heights between that and the height of the block before; all outstanding ones at the few blocks at which
// a version of PoX ends as a whole, or at which a node begins to tell when it ends.
func queueExpiries(b *engine.Batch, frame *Frame, heights []int64) *engine.Result[expiry] {
	return engine.Query(b, expiryColumns, `
		SELECT ARRAY[l.source_seq], c.height, l.account, (`+locked("l", "p")+` - `+locked("l", "c")+`)::text, `+locked("l", "c")+`::text, l.unlock_height
		FROM {balances}.block c
		JOIN {balances}.block p ON p.height = c.height - 1
		CROSS JOIN LATERAL (
			SELECT least(c.burn_block_height, p.burn_block_height) AS low, CASE
				WHEN c.pox_v1_unlock_height > p.burn_block_height AND c.pox_v1_unlock_height <= c.burn_block_height
				  OR c.pox_v2_unlock_height > p.burn_block_height AND c.pox_v2_unlock_height <= c.burn_block_height
				  OR c.pox_v3_unlock_height > p.burn_block_height AND c.pox_v3_unlock_height <= c.burn_block_height
				  OR c.pox_v4_unlock_height > p.burn_block_height AND c.pox_v4_unlock_height <= c.burn_block_height
				  OR (c.pox_v1_unlock_height, c.pox_v2_unlock_height, c.pox_v3_unlock_height, c.pox_v4_unlock_height)
				     IS DISTINCT FROM (p.pox_v1_unlock_height, p.pox_v2_unlock_height, p.pox_v3_unlock_height, p.pox_v4_unlock_height)
				THEN 9223372036854775807 ELSE greatest(c.burn_block_height, p.burn_block_height) END AS high
		) range
		CROSS JOIN LATERAL (
			SELECT DISTINCT x.account FROM {balances}.stx_lock x
			WHERE x.unlock_height > range.low AND x.unlock_height <= range.high AND x.height <= p.height
		) e
		CROSS JOIN LATERAL (`+lastLock("e.account", "p.height")+`) l
		WHERE c.height = ANY ($1) AND c.height > $2 AND `+locked("l", "p")+` <> `+locked("l", "c")+`
		ORDER BY c.height, l.account COLLATE "C"`, heights, frame.Genesis.Index)
}
