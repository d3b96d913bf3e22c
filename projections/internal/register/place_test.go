package register_test

import (
	"errors"
	"log/slog"
	"testing"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections"
	"strata/projections/internal/register"
)

// A follower that is late, after its version was dropped and another got its number, changes nothing of the successor.
func TestLateFollower(t *testing.T) {
	t.Parallel()
	pool := pgtest.Template("register", migrations.Up).New(t)
	version := projections.Schema{Name: "ft", Version: 2}
	add := func() (epoch [16]byte) {
		t.Helper()
		err := pool.QueryRow(t.Context(), `
			INSERT INTO strata.projection (name, version, input, indexed) VALUES ($1, $2, 'log', false) RETURNING epoch`, version.Name, version.Version).Scan(&epoch)
		if err != nil {
			t.Fatal(err)
		}
		return epoch
	}
	late := add()
	must.Get(pool.Exec(t.Context(), `DELETE FROM strata.projection`))(t)
	epoch := add()
	if err := register.WriteState(t.Context(), pool, version, late, register.StateLive); err != nil {
		t.Error(err)
	}
	if err := register.WriteFailure(t.Context(), pool, version, late, 7, errors.New("late")); err != nil {
		t.Error(err)
	}
	place, err := register.ReadPlace(t.Context(), pool, version, epoch)
	if err != nil || place.State != register.StateBuilding || place.Indexed {
		t.Errorf("got %+v, %v, want the successor as it was", place, err)
	}
	t.Logf("fault: a late follower of a version that was dropped; its successor is %s after that", place.State)
	if err := register.WriteState(t.Context(), pool, version, epoch, register.StateLive); err != nil {
		t.Error(err)
	}
	if place, err = register.ReadPlace(t.Context(), pool, version, epoch); err != nil || place.State != register.StateLive {
		t.Errorf("got %+v, %v, want live", place, err)
	}
}

// The end of a build packs an index whose keys came in no order, and leaves one whose keys came in order as it is.
func TestIndexPacks(t *testing.T) {
	t.Parallel()
	pool := pgtest.Template("register", migrations.Up).New(t)
	spec := projections.Spec{Schema: projections.Schema{Name: "ft", Version: 2}, Tables: `
		CREATE TABLE {schema}.t (n int PRIMARY KEY, hash text UNIQUE);
		` + projections.ReaderIndexes}
	must.Get(pool.Exec(t.Context(), spec.DDL()))(t)
	must.Get(pool.Exec(t.Context(), `INSERT INTO `+spec.Table("t")+` SELECT n, md5(n::text) FROM generate_series(1, 30000) n`))(t)
	pages := func() (ordered, random, file int64) {
		must.Do(t, pool.QueryRow(t.Context(), `SELECT pg_relation_size('ft_v2.t_pkey') / 8192, pg_relation_size('ft_v2.t_hash_key') / 8192,
			pg_relation_filenode('ft_v2.t_pkey')::bigint`).Scan(&ordered, &random, &file))
		return ordered, random, file
	}
	orderedBefore, before, fileBefore := pages()
	for range 2 { // an interrupted call is made again
		must.Do(t, register.Index(t.Context(), pool, spec, [16]byte{}, slog.New(slog.DiscardHandler)))
	}
	orderedAfter, after, fileAfter := pages()
	if after*5 > before*4 || orderedAfter != orderedBefore || fileAfter != fileBefore {
		t.Errorf("keys in no order take %d pages, before %d; keys in order %d in file %d, before %d in file %d",
			after, before, orderedAfter, fileAfter, orderedBefore, fileBefore)
	}
}
