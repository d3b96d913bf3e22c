package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"strata/internal/pause"
	"strata/internal/testkit/serverrig"
)

const (
	// readerPause is the time that a reader waits between two requests.
	readerPause = 40 * time.Millisecond
	// readerPatience bounds a request of a reader. A server that answers later does not answer.
	readerPatience = 30 * time.Second
	// failedPause is the time that a reader waits after a request that failed. It does not ask a server that is away as fast as it can.
	failedPause = 100 * time.Millisecond
)

// readers counts what readers of one kind got.
type readers struct {
	*soak
	mu       sync.Mutex
	answers  int
	latency  []time.Duration // of useful answers
	failures map[string]int
	examples map[string]string // of failures that nothing excuses
}

// run lets count readers ask until ctx is done.
func (r *readers) run(ctx context.Context, count int, wait time.Duration, seed uint64, known *scout, choose func(*subjects, *rand.Rand) string) {
	r.failures, r.examples = map[string]int{}, map[string]string{}
	client := &http.Client{Timeout: readerPatience, Transport: &http.Transport{MaxIdleConnsPerHost: count, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for ; ctx.Err() == nil; pause.For(ctx, wait/2+rand.N(wait+1)) {
				if n := known.found.Load(); n != nil && !r.read(ctx, client, choose(n, random)) {
					pause.For(ctx, failedPause)
				}
			}
		})
	}
	group.Wait()
}

// read makes a request, and reads its whole answer. It reports whether there was a useful one.
func (r *readers) read(ctx context.Context, client *http.Client, target string) bool {
	from := time.Now()
	answer, err := serverrig.AskBy(ctx, client, http.MethodGet, r.api+target, nil, nil)
	if ctx.Err() != nil {
		return true // the soak ended the request
	}
	to := time.Now()
	why, excused := r.class(answer, from, to)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers++
	if why == "" {
		r.latency = append(r.latency, to.Sub(from))
		return true
	}
	r.failures[why]++
	if !excused && r.examples[why] == "" {
		r.examples[why] = fmt.Sprintf("%s at %.2fs after %s: %v %.200s", target, from.Sub(r.began).Seconds(), to.Sub(from).Round(time.Millisecond), err, answer.Body)
	}
	return false
}

const (
	overloaded = "too many requests wait for the database" // says the gate of the reads
	crowded    = "503 with Retry-After: too many reads waited for the database"
	later      = "503 with Retry-After, although the server could answer"
	// crowdedShare is the share of the reads that may be refused because attackers, and all others on the machine, leave the
	// database too little time.
	crowdedShare = 0.001
)

// class says why an answer is not useful, and whether a server that works well may answer so. A block that a fork has replaced is not found.
func (s *soak) class(answer serverrig.Reply, from, to time.Time) (why string, excused bool) {
	refused := answer.Status == http.StatusServiceUnavailable && answer.RetryAfter()
	switch {
	case (answer.Status == http.StatusOK || answer.Status == http.StatusNotFound) && len(answer.Body) > 0:
		return "", true
	case (refused || answer.Status == 0) && s.wasDown(from, to):
		return "the server was killed, and not ready again", true
	case refused && strings.Contains(string(answer.Body), overloaded):
		return crowded, true // reportReaders bounds how many
	case refused:
		return later, false
	case answer.Status == 0:
		return "no answer, although the process was alive", false
	}
	return fmt.Sprintf("status %d", answer.Status), false
}

// subjects are the newest blocks, transactions and accounts. Readers ask for them.
type subjects struct {
	height                  int64
	blocks, txIDs, accounts []string
}

// scout keeps the subjects up to date, through the API itself.
type scout struct {
	api   string
	found atomic.Pointer[subjects]
}

func (s *scout) run(ctx context.Context) {
	ask := func(path string, into any) bool { return serverrig.Read(ctx, 10*time.Second, s.api+path, into) == nil }
	for ; ctx.Err() == nil; pause.For(ctx, time.Second) {
		var blocks struct {
			Results []struct {
				Height int64
				Hash   string
			}
		}
		var transactions struct {
			Results []struct {
				TxID   string `json:"tx_id"`
				Sender string `json:"sender_address"`
			}
		}
		if !ask("/extended/v2/blocks?limit=20", &blocks) || !ask("/extended/v1/tx?limit=50", &transactions) ||
			len(blocks.Results) == 0 || blocks.Results[0].Height < 1 || len(transactions.Results) == 0 {
			continue
		}
		n := &subjects{height: blocks.Results[0].Height}
		for _, b := range blocks.Results {
			n.blocks = append(n.blocks, b.Hash)
		}
		for _, t := range transactions.Results {
			n.txIDs, n.accounts = append(n.txIDs, t.TxID), append(n.accounts, t.Sender)
		}
		s.found.Store(n)
	}
}

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

// target returns what a reader asks for next: mostly the read tables, sometimes the node.
func (n *subjects) target(random *rand.Rand) string {
	block, tx := "/extended/v2/blocks/"+pick(random, n.blocks), pick(random, n.txIDs)
	address := "/extended/v1/address/" + pick(random, n.accounts)
	return pick(random, []string{ // what comes twice or more is asked for as much more often
		"/extended/v1/status", "/extended/v2/blocks?limit=20", block, block, fmt.Sprintf("/extended/v2/blocks/%d", 1+random.Int64N(n.height)),
		"/extended/v2/blocks/latest/transactions?limit=20", "/extended/v1/tx/" + tx, "/extended/v1/tx/" + tx, "/extended/v1/tx/mempool?limit=20",
		address + "/balances", address + "/balances", address + "/transactions?limit=20", address + "/stx", "/extended/v1/search/" + tx,
		"/extended/v2/burn-blocks?limit=10", "/extended/v1/stx_supply", "/v2/info", "/metadata/v1/ft?limit=20",
	})
}

// costly returns a read that nobody has made before and that no cache has: a balance at a block of the past, a search, a page far down.
func (n *subjects) costly(random *rand.Rand) string {
	account := pick(random, n.accounts)
	return pick(random, []string{
		fmt.Sprintf("/extended/v1/address/%s/balances?until_block=%d", account, 1+random.Int64N(n.height)),
		fmt.Sprintf("/extended/v1/address/%s/transactions_with_transfers?limit=20&offset=%d", account, random.IntN(500)),
		fmt.Sprintf("/extended/v1/search/0x%064x", random.Uint64()),
		fmt.Sprintf("/extended/v1/tx?limit=50&offset=%d", random.Int64N(1+3*n.height)),
	})
}
