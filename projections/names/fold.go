package names

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/names"
	"strata/domain/shard"
	"strata/projections"
)

// readTip reads the newest block that the rows reflect.
func (b *batch) readTip(ctx context.Context) error {
	var clock int64
	t, err := b.spec.ReadTipWith(ctx, b.tx, ", clock", &clock)
	b.tip = nil
	if t != nil {
		b.tip = &tip{Tip: *t, clock: clock}
	}
	return err
}

// fold folds the steps of canonical blocks. What blocks say counts only after all of them have been reverted and applied:
// a name is read and written once.
func (b *batch) fold(ctx context.Context, steps []projections.Step) error {
	if err := projections.FoldBlocks(ctx, steps, b.revert, b.take); err != nil {
		return err
	}
	if err := b.change(ctx); err != nil {
		return err
	}
	return b.write(ctx)
}

// revert removes the rows of the blocks at height from and above. newest is the step of the newest one.
func (b *batch) revert(ctx context.Context, newest projections.Step, from int64) error {
	if b.tip == nil || newest.IndexBlockHash != b.tip.IndexBlockHash {
		return fmt.Errorf("block %s is not the tip of this projection", newest.IndexBlockHash)
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`DELETE FROM {schema}.operation WHERE height >= $1 AND n > 0 RETURNING name, zonefile_hash`), from).Query(func(rows pgx.Rows) error {
		var name string
		var zonefile []byte
		_, err := pgx.ForEachRow(rows, []any{&name, &zonefile}, func() error {
			b.touch(name)
			b.consider(zonefile)
			return nil
		})
		return err
	})
	queries.Queue(b.sql(`DELETE FROM {schema}.custody WHERE height >= $1 RETURNING name`), from).Query(projections.EachValue(b.touch))
	queries.Queue(b.sql(`DELETE FROM {schema}.namespace WHERE height >= $1 AND n > 0 RETURNING namespace`), from).Query(projections.EachValue(func(namespace string) {
		b.touched.Add(shard.Names, shard.Namespace(namespace))
		b.unsettled[namespace] = true
	}))
	b.forgetCallers(from)
	queries.Queue(b.sql(`DELETE FROM {schema}.caller WHERE height >= $1`), from)
	for _, table := range []string{"act", "reading"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1 RETURNING subject`), from).
			Query(projections.EachValue(func(subject string) { b.unsettled[subject] = true }))
	}
	queries.Queue(b.sql(`DELETE FROM {schema}.subdomain WHERE height >= $1 AND n > 0`), from)
	queries.Queue(b.sql(`DELETE FROM {schema}.block WHERE height >= $1`), from)
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return err
	}
	return b.readTip(ctx)
}

// touch notes that the steps change a name.
func (b *batch) touch(name string) {
	if b.names[name] == nil {
		b.names[name] = &nameState{}
	}
	b.touched.Add(shard.Names, shard.Name(name))
}

// take takes the rows of blocks, and what the blocks say about names.
func (b *batch) take(_ context.Context, steps []projections.Step) error {
	if err := projections.CheckParents(b.tip.block(), steps); err != nil {
		return err
	}
	for i := range steps {
		step := &steps[i]
		content, clock := step.Block, int64(0)
		if b.tip != nil {
			clock = b.tip.clock
		}
		b.tip = &tip{clock: clockOf(content, clock), Tip: step.Tip()}
		b.blocks = append(b.blocks, []any{step.BlockSeq, b.tip.Height, b.tip.BurnBlockHeight, b.tip.clock, timeOf(content), b.tip.IndexBlockHash[:], b.tip.BlockHash[:]})
		b.facts = append(b.facts, b.factsOf(step, b.tip.clock)...)
	}
	return nil
}

// change turns facts into rows, after it has read what is known of the names and namespaces that they are about.
func (b *batch) change(ctx context.Context) error {
	for i := range b.facts {
		switch what := b.facts[i].what.(type) {
		case *move:
			b.touch(what.name.String())
		case *names.Change:
			b.touch(what.Name.String())
		case *names.SilentRenewal:
			b.touch(what.Name.String())
		case *names.Launch:
			b.namespaces[what.Namespace] = nil
		case *names.PriceUpdate:
			b.namespaces[what.Namespace] = nil
		case *names.PriceFreeze:
			b.namespaces[what.Namespace] = nil
		}
	}
	if err := b.loadSubjects(ctx); err != nil {
		return err
	}
	if err := b.loadNames(ctx); err != nil {
		return err
	}
	if err := b.loadNamespaces(ctx); err != nil {
		return err
	}
	for i := range b.facts {
		f := &b.facts[i]
		switch what := f.what.(type) {
		case *move:
			b.moved(f, what)
		case *names.Change:
			b.changed(f, what)
		case *names.SilentRenewal:
			b.renewed(f, what)
		case *act:
			b.acted(f, what)
		default:
			b.namespace(f)
		}
	}
	return nil
}
