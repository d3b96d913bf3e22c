package enginetest

import (
	"testing"
	"time"

	"strata/readapi"
	"strata/rig/apitest"
)

// A chain that has begun is not said to have no block, although the last known state, which can't be read again for a while, is older:
// what follows from a state alone is asked of the database, too.
func TestBeginsBehindAnOldState(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`CREATE TABLE public.tip AS SELECT * FROM strata.projection`)
	s.Exec(`UPDATE strata.projection SET position = 0, log_seq = 0, block_height = NULL, index_block_hash = NULL, block_hash = NULL, burn_block_height = NULL`)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{WatchInterval: time.Hour})
	const path, end = "/extended/v1/address/", "/stx"
	if got := k.Get(path + apitest.Bob + end); got.Status != 404 {
		t.Fatalf("before the first block: got %d %s", got.Status, got.Body)
	}
	s.Exec(`UPDATE strata.projection p SET position = t.position, log_seq = t.log_seq, block_height = t.block_height, index_block_hash = t.index_block_hash,
		block_hash = t.block_hash, burn_block_height = t.burn_block_height FROM public.tip t WHERE t.name = p.name AND t.version = p.version`)
	if got := k.Get(path + apitest.Alice + end); got.Status != 200 {
		t.Errorf("with blocks: got %d %s", got.Status, got.Body)
	}
}
