package register_test

import (
	"errors"
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
