package fold

import (
	"math"
	"testing"

	"github.com/google/pprof/profile"
)

// TestShare checks that a sample counts for the part of its innermost function, whatever called that.
func TestShare(t *testing.T) {
	stacks := map[string]struct {
		functions []string // innermost first
		weight    int64
	}{
		"read":    {[]string{"runtime.memmove", "github.com/jackc/pgx/v5/pgconn.(*PgConn).receiveMessage", "strata/projections.(*logSource).read"}, 1},
		"decode":  {[]string{"runtime.mallocgc", "strata/domain/clarity.Decode", "strata/projections.(*Decoder).Block", "github.com/jackc/pgx/v5.x"}, 2},
		"fold":    {[]string{"runtime.mapassign", "strata/projections/balances.(*batch).add", "strata/projections.(*engine).fold"}, 3},
		"write":   {[]string{"syscall.write", "github.com/jackc/pgx/v5.(*Conn).CopyFrom", "strata/projections/balances.(*batch).write"}, 4},
		"runtime": {[]string{"runtime.gcDrain", "runtime.gcBgMarkWorker"}, 10},
	}
	var p profile.Profile
	for _, s := range stacks {
		var locations []*profile.Location
		for _, name := range s.functions {
			locations = append(locations, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		p.Sample = append(p.Sample, &profile.Sample{Location: locations, Value: []int64{1, s.weight}})
	}
	got := share(&p)
	want := shares{Read: .05, Decode: .1, Fold: .15, Write: .2, Runtime: .5}
	for name, of := range map[string][2]float64{
		"read": {got.Read, want.Read}, "decode": {got.Decode, want.Decode}, "fold": {got.Fold, want.Fold}, "write": {got.Write, want.Write},
		"runtime": {got.Runtime, want.Runtime},
	} {
		if math.Abs(of[0]-of[1]) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, of[0], of[1])
		}
	}
	if got := share(&profile.Profile{}); got != (shares{}) {
		t.Errorf("of nothing: got %v", got)
	}
}
