package follow_test

import (
	"fmt"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/projections"
	"strata/projections/chain"
	"strata/rig"
	"strata/rig/replay"
)

// A program brings comments and views to a version that one without them has built, and folds nothing anew.
func TestVersionsThatWereBuiltBefore(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 20)...)
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	stop := rig.Follow(t, log, lines...)
	replay.Wait(t, log)
	stop()
	block := chain.Spec().Table("block")
	epoch := rig.Query[string](t, log, `SELECT epoch::text FROM strata.projection WHERE name = 'chain'`)
	for _, statement := range []string{
		`COMMENT ON SCHEMA ` + chain.Spec().Quoted() + ` IS NULL`, `COMMENT ON COLUMN ` + block + `.height IS NULL`,
		`DROP VIEW api.blocks`, `COMMENT ON VIEW api.block IS NULL`, `UPDATE strata.active SET views = NULL`,
	} {
		rig.Execute(t, log, statement)
	}
	rig.Follow(t, log, lines...)
	eventually.Holds(t, "tables and views are described", func() bool {
		return rig.Query[bool](t, log, fmt.Sprintf(`
			SELECT to_regclass('api.blocks') IS NOT NULL AND obj_description('api.block'::regclass) IS NOT NULL
			   AND (SELECT col_description(attrelid, attnum) IS NOT NULL FROM pg_attribute WHERE attrelid = '%s'::regclass AND attname = 'height')`, block))
	})
	if got := rig.Query[int64](t, log, `SELECT count(*) FROM api.blocks`); got != 20 {
		t.Errorf("the view shows %d blocks, want 20", got)
	}
	if got := rig.Query[string](t, log, `SELECT epoch::text FROM strata.projection WHERE name = 'chain'`); got != epoch {
		t.Error("the version was made anew")
	}
}
