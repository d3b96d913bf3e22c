package names_test

import (
	"context"
	"sync/atomic"
	"testing"

	"strata/domain/clarity"
	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestPriceIsKept asks for a price that only nodes know: they are asked once, and again after the next block.
func TestPriceIsKept(t *testing.T) {
	t.Parallel()
	pool := replay.Databases.New(t)
	s := apitest.NewSiteOn(t, pool, readapi.Config{})
	tables(s, 1000)
	var calls atomic.Int64
	keeper := apitest.NewKeeper(t, pool, readapi.Config{CallRead: func(context.Context, clarity.Principal, string, ...clarity.Value) (clarity.Value, error) {
		return clarity.NewOk(clarity.NewUint64(uint64(calls.Add(1)))), nil
	}})
	expect := func(amount string) bool {
		return keeper.Get("/v2/prices/names/bob.old").Body == `{"units":"STX","amount":"`+amount+`"}`
	}
	for range 3 {
		if !expect("1") {
			t.Fatalf("nodes were asked %d times", calls.Load())
		}
	}
	s.Advance("names")
	eventually.Holds(t, "nodes are asked again", func() bool { return expect("2") })
}
