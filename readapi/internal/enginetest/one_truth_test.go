package enginetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/projections/follow"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/every"
	"strata/rig/replay"
)

// statusOf is what /extended says of the tip.
type statusOf struct {
	Tip struct {
		Height int64  `json:"block_height"`
		Block  string `json:"index_block_hash"`
	} `json:"chain_tip"`
	Strata struct {
		Chain struct {
			Height int64 `json:"height"`
		} `json:"chain"`
	} `json:"strata"`
}

// The status reports the block that all followers of chain have reached, which is the one of its own position, and the
// newest block of chain beside it. A follower that has failed holds nobody up.
func TestStatusReportsTheReachedBlock(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	check := func(when string, tip, chain int64) {
		t.Helper()
		reply := s.Get("/extended")
		var got statusOf
		apitest.DecodeJSON(t, reply.Body, &got)
		position := fmt.Sprintf("; height=%d; index_block_hash=%s", tip, got.Tip.Block)
		if got.Tip.Height != tip || got.Strata.Chain.Height != chain || got.Tip.Block != apitest.ID(apitest.IndexHash, int(tip)).String() ||
			!strings.HasSuffix(reply.Header.Get("Strata-Position"), position) {
			t.Errorf("%s: got %d, chain at %d, of %s; want %d and %d, of …%s", when, got.Tip.Height, got.Strata.Chain.Height, reply.Header.Get("Strata-Position"), tip, chain, position)
		}
	}
	check("all at the tip", apitest.LastHeight, apitest.LastHeight)
	s.Exec(`UPDATE strata.projection SET position = 49, log_seq = 158, block_height = 58, index_block_hash = $1, block_hash = $2, burn_block_height = 158 WHERE name = 'balances'`,
		apitest.ID(apitest.IndexHash, 58), apitest.ID(apitest.BlockHash, 58))
	check("balances behind", 58, apitest.LastHeight)
	s.Exec(`UPDATE strata.projection SET state = 'failed', error = 'a bug' WHERE name = 'balances'`)
	check("balances failed", apitest.LastHeight, apitest.LastHeight)
}

// Streams tell of a block when all followers of chain have reached it.
func TestStreamsWaitForFollowers(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`UPDATE strata.projection SET position = 49 WHERE name = 'balances'`)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{})
	at := func(height int) func() bool {
		return func() bool {
			reply := k.Request(http.MethodHead, "/stream/v1/blocks")
			return reply.Status == http.StatusOK && strings.Contains(reply.Header.Get("Strata-Position"), fmt.Sprintf("; height=%d;", height))
		}
	}
	eventually.Holds(t, "streams are at the block of balances", at(58))
	s.Exec(`UPDATE strata.projection SET position = 51 WHERE name = 'balances'`)
	eventually.Holds(t, "streams are at the tip", at(apitest.LastHeight))
}

// Once a client was shown a block, no answer of the same process shows an earlier one, although the watch has not looked yet.
func TestNoAnswerIsOlderThanAnotherBefore(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{WatchInterval: time.Hour})
	const kept = "/extended/v2/blocks"
	for n := range 30 {
		k.Get(kept)
		s.Advance("chain")
		s.Advance("balances")
		// Nobody has asked for this one before, so it is read from tables that have moved on.
		first := k.Get(kept + "?limit=" + strconv.Itoa(n%20+1) + "&offset=" + strconv.Itoa(n))
		if second := k.Get(kept); logOf(t, second) < logOf(t, first) {
			t.Fatalf("round %d: an answer of %s, then one of %s", n, first.Header.Get("Strata-Position"), second.Header.Get("Strata-Position"))
		}
	}
}

// logOf returns how many events an answer reflects.
func logOf(t testing.TB, r apitest.Reply) int64 {
	t.Helper()
	text, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Strata-Position"), "log="), ";")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("Strata-Position %q of %d %s", r.Header.Get("Strata-Position"), r.Status, r.Body)
	}
	return n
}

// While blocks come, all families of answers show the same one: none is behind the tip that the status showed before, and none
// is ahead of its own position.
func TestFamiliesShowOneBlock(t *testing.T) {
	t.Parallel()
	const posts = 60
	log := replay.NewLog(t)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, every.Lines()...)
	k := apitest.NewKeeper(t, apitest.Readers(t, log.Pool()), readapi.Config{Signal: nil})
	made, feed := synthchain.New(synthchain.Everything(11, synthchain.V40)), synthordinals.New(synthordinals.Config{Seed: 11})
	posted := 0
	post := func() {
		if posted++; posted%5 == 0 {
			replay.Append(t, log, feed.Next())
		} else {
			replay.Append(t, log, made.Next())
		}
	}
	for range 12 {
		post()
	}
	replay.Wait(t, log)
	account := synthchainAccount(t, k)
	families := []string{
		"/extended", "/extended/v2/blocks?limit=1", "/extended/v1/block?limit=1", "/extended/v1/address/" + account + "/stx",
		"/extended/v1/address/" + account + "/transactions?limit=1", "/extended/v1/address/" + account + "/nonces", "/extended/v1/tx?limit=1",
		"/extended/v2/burn-blocks?limit=1", "/extended/v3/blocks?limit=1", "/extended/v1/tx/mempool?limit=1", "/extended/v2/pox/cycles",
		"/extended/v1/burnchain/rewards?limit=1", "/extended/v3/staking/bonds", "/v1/namespaces", "/bns/v2/names?limit=1",
		"/metadata/v1/ft?limit=1", "/ordinals/v1/inscriptions?limit=1", "/ordinals/v1/brc-20/tokens?limit=1",
	}
	stop := make(chan struct{})
	var clients sync.WaitGroup
	answered := make([]int, 3)
	var mu sync.Mutex
	shown := map[string]int{} // answers of each family
	for i := range answered {
		clients.Go(func() {
			last := map[string]int64{} // how many events the last answer of each family reflects
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				var status statusOf
				reply := k.Get("/extended")
				_ = json.Unmarshal([]byte(reply.Body), &status)
				if position := reply.Header.Get("Strata-Position"); !strings.Contains(position, fmt.Sprintf("height=%d; index_block_hash=%s", status.Tip.Height, status.Tip.Block)) {
					t.Errorf("the status shows block %d %s, at %s", status.Tip.Height, status.Tip.Block, position)
				}
				answered[i]++
				family := families[n%len(families)]
				other := k.Get(family)
				if other.Status != http.StatusOK {
					continue
				}
				mu.Lock()
				shown[family]++
				mu.Unlock()
				reflected := logOf(t, other)
				if reflected < last[family] {
					t.Errorf("%s is of %s, after one of %d events", family, other.Header.Get("Strata-Position"), last[family])
				}
				last[family] = reflected
				// A synthetic chain reorganises, so that heights may fall; the number of events that answers reflect never does.
				// Those of the ordinals feed have the block and the number of events of the feed.
				if !strings.HasPrefix(family, "/ordinals/") && reflected < logOf(t, reply) && !sameBlock(other, status.Tip.Block) {
					t.Errorf("%s is of %s, after the status was of %s", family, other.Header.Get("Strata-Position"), reply.Header.Get("Strata-Position"))
				}
			}
		})
	}
	for n := range posts {
		post()
		if n%4 == 0 {
			replay.Wait(t, log)
		}
	}
	replay.Wait(t, log)
	eventually.Holds(t, "each client has read", func() bool {
		var status statusOf
		_ = json.Unmarshal([]byte(k.Get("/extended").Body), &status)
		return status.Tip.Height > 0 && status.Tip.Height == status.Strata.Chain.Height
	})
	close(stop)
	clients.Wait()
	for i, n := range answered {
		if n == 0 {
			t.Errorf("client %d got no answers", i)
		}
	}
	for _, family := range families {
		if shown[family] == 0 {
			t.Errorf("%s was never answered: %s", family, k.Get(family).Body)
		}
	}
}

// sameBlock reports whether an answer is of a block, whatever the number of events that its projections were told of.
func sameBlock(r apitest.Reply, block string) bool {
	return strings.Contains(r.Header.Get("Strata-Position"), "index_block_hash="+block)
}

// synthchainAccount returns the sender of a mined transaction.
func synthchainAccount(t testing.TB, k *apitest.Keeper) string {
	t.Helper()
	var page struct {
		Results []struct {
			Sender string `json:"sender_address"`
		}
	}
	eventually.Holds(t, "a transaction is mined", func() bool {
		apitest.DecodeJSON(t, k.Get("/extended/v1/tx?limit=1").Body, &page)
		return len(page.Results) > 0
	})
	return page.Results[0].Sender
}

// All requests that wait for a position are woken by one watch: they need no connection while they wait, and their answer is
// built once, and kept.
func TestMinPositionIsOneWaiter(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	pool, turns := apitest.CountedPool(t, s.Pool, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	k := apitest.NewKeeper(t, pool, readapi.Config{WatchInterval: time.Hour})
	before := k.Reads()
	const clients = 100
	var waiting sync.WaitGroup
	target := "/extended/v2/blocks?min_position=162"
	statuses := make([]int, clients)
	for i := range clients {
		waiting.Go(func() { statuses[i] = k.Get(target).Status })
	}
	check.Equal(t, fmt.Sprintf("beside %d requests that wait, another one", clients), k.Get("/extended/v2/blocks?limit=3").Status, http.StatusOK)
	for range 2 {
		s.Advance("chain")
		s.Advance("balances")
	}
	waiting.Wait()
	for i, status := range statuses {
		check.Equal(t, fmt.Sprintf("client %d", i), status, http.StatusOK)
	}
	if n := turns.During(func() { k.Get(target) }); n > 2 {
		t.Errorf("the answer is kept, and took %d round trips", n)
	}
	if n := k.Reads() - before; n > 3 {
		t.Errorf("the answer to %d requests was built %d times", clients, n)
	}
}
