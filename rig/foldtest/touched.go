package foldtest

import (
	"maps"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/rig/replay"
)

// CheckTouched folds a history one step at a time, and checks that a step touches every account and block whose answer it changes, and
// few others. accounts selects account and answer. changed, if set, gets the shards of the answers that a step changes.
func (r *Rig) CheckTouched(t *testing.T, posts []replay.Post, accounts string, changed func(tx pgx.Tx, step projections.Step, shards []string)) {
	t.Helper()
	tx := r.Begin(t)
	steps := r.Steps(t, tx, posts)
	projection := r.create()
	before, named, quiet, reverted := map[string]string{}, 0, 0, 0
	for i, step := range steps {
		outcome := must.Get(projection.Fold(t.Context(), tx, int64(i), []projections.Step{step}))(t)
		now := r.answers(t, tx, accounts)
		var shards []string
		either := maps.Clone(before)
		maps.Copy(either, now)
		for name := range either {
			if before[name] == now[name] {
				continue
			}
			shards = append(shards, name)
			if !outcome.Touched.Includes(name) {
				t.Errorf("step %d, %s of block %d: %q was %s and is %s, but is not touched", step.Number, step.Kind, step.Height, name, before[name], now[name])
			}
		}
		if changed != nil {
			changed(tx, step, shards)
		}
		if outcome.Touched != nil {
			named++
			if !outcome.Touched.Includes(shard.Account("nobody")) {
				quiet++
			}
			if step.Kind == projections.Revert {
				reverted++
			}
		}
		before = now
	}
	if named < len(steps)*3/4 || quiet < named*9/10 || reverted == 0 {
		t.Errorf("of %d steps, %d list what they touch, %d of them reverts, and %d touch only that", len(steps), named, reverted, quiet)
	}
}

// answers returns a summary of each account and each block, by the shard names that readers use.
func (r *Rig) answers(t *testing.T, tx pgx.Tx, accounts string) map[string]string {
	t.Helper()
	said := map[string]string{}
	var name, answer string
	each(t, tx, r.spec.SQL(accounts), []any{&name, &answer}, func() { said[shard.Account(name)] = answer })
	var height int64
	var id, block hash.Hash32
	each(t, tx, r.spec.SQL(`SELECT height, index_block_hash, block_hash FROM {schema}.block`), []any{&height, &id, &block}, func() {
		said[shard.Height(height)] = string(id[:])
		said[shard.Block(id)], said[shard.Block(block)] = "canonical", "canonical"
	})
	return said
}

func each(t *testing.T, tx pgx.Tx, query string, into []any, f func()) {
	t.Helper()
	rows := must.Get(tx.Query(t.Context(), query))(t)
	must.Get(pgx.ForEachRow(rows, into, func() error { f(); return nil }))(t)
}
