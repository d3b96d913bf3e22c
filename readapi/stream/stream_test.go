package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// The chain moves: blocks, forks, reorganisations of Bitcoin, late parents. Clients that come and go follow it from the
// beginning, from where they were each time. What each of them has in the end is the canonical chain, and of somebody or
// something just what the lists of accounts say, and of the mempool what waits. Who subscribes over a WebSocket and stays is
// told the same from then on.
func TestStreamsWhileTheChainMoves(t *testing.T) {
	t.Parallel()
	const posts = 150
	config := synthchain.Everything(11, synthchain.V40)
	config.ForkProbability, config.LateParentProbability, config.BitcoinReorgProbability, config.SigningSample = 0.25, 0.08, 0.08, 1000
	made := synthchain.New(config)
	history := replay.Take(posts, made.Next)
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), balances.New(nil), accounts.New(), mempool.New())
	replay.Append(t, log, history[:posts/2]...)
	replay.Wait(t, log)
	wake := eventstore.NewWake(log.Pool(), follow.Channel, time.Second, nil)
	defer wake.Stop()
	k, server := apitest.NewLive(t, apitest.Readers(t, log.Pool()), readapi.Config{Signal: wake.C})

	var principals, contracts, topics []string
	k.Column(&principals, `SELECT a.account FROM {accounts}.account_transaction x JOIN {accounts}.account a ON a.id = x.account GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 3`)
	k.Column(&contracts, `SELECT a.account FROM {accounts}.contract_event x JOIN {accounts}.account a ON a.id = x.contract GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`)
	k.Column(&topics, `SELECT name FROM {accounts}.contract_topic t JOIN {accounts}.account a ON a.id = t.contract WHERE a.account = $1 ORDER BY topic LIMIT 1`, contracts[0])
	followers := []*reconstruction{
		newReconstruction(t, "block", server+"/stream/v1/blocks"),
		newReconstruction(t, "block", server+"/stream/v1/blocks"),
		newReconstruction(t, "contract_event", server+"/stream/v1/contracts/"+contracts[0]+"/events"),
		newReconstruction(t, "mempool", server+"/stream/v1/mempool"),
		newReconstruction(t, "mempool", server+"/stream/v1/mempool"),
	}
	socket := followSocket(k, server, principals)
	for _, p := range principals {
		followers = append(followers, newReconstruction(t, "transaction", server+"/stream/v1/principals/"+p+"/transactions"),
			newReconstruction(t, "balance", server+"/stream/v1/principals/"+p+"/balances"))
	}
	if len(topics) > 0 {
		followers = append(followers, newReconstruction(t, "contract_event", server+"/stream/v1/contracts/"+contracts[0]+"/events?topic="+url.QueryEscape(topics[0])))
	}

	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var ended string // where all have to come
	var mu sync.Mutex
	var wait, waitForStates sync.WaitGroup
	for i, f := range followers {
		random := rand.New(rand.NewPCG(3, uint64(i)))
		if f.isState() { // it has no end
			waitForStates.Go(func() {
				for ctx.Err() == nil && !t.Failed() {
					f.follow(ctx, 1+random.IntN(map[string]int{"balance": 4, "mempool": 80}[f.kind]), func() bool { return false })
				}
			})
			continue
		}
		wait.Go(func() {
			for ctx.Err() == nil {
				f.follow(ctx, 1+random.IntN(12), func() bool {
					mu.Lock()
					defer mu.Unlock()
					return f.client.last == ended
				})
				mu.Lock()
				done := f.client.last == ended
				mu.Unlock()
				if done || t.Failed() {
					return
				}
			}
			t.Errorf("%s is at %q, and not at %q", f.client.url, f.client.last, ended)
		})
	}
	random := rand.New(rand.NewPCG(4, 4))
	for at := posts / 2; at < posts; {
		n := min(1+random.IntN(4), posts-at)
		replay.Append(t, log, history[at:at+n]...)
		at += n
		if random.IntN(2) == 0 {
			replay.Wait(t, log)
		}
	}
	replay.Wait(t, log)
	var last string
	must.Do(t, log.Pool().QueryRow(t.Context(), apitest.InSchemas(`SELECT 'log=' || source_seq || '; height=' || height || '; index_block_hash=0x' || encode(index_block_hash, 'hex') FROM {chain}.step ORDER BY step DESC LIMIT 1`)).Scan(&last))
	mu.Lock()
	ended = last
	mu.Unlock()
	wait.Wait()
	for _, f := range followers {
		if f.isState() && !t.Failed() {
			want := f.wantState(k)
			eventually.Holds(t, f.client.url+" says what is", func() bool { return f.current() == want })
		}
	}
	socket.check(k, log.Pool())
	stop()
	waitForStates.Wait()
	if t.Failed() {
		return
	}
	reverts, opened := 0, 0
	for _, f := range followers {
		reverts, opened = reverts+f.reverts, opened+f.client.opened
		f.check(k, log.Pool(), topics)
	}
	if reverts < 20 || opened < 3*len(followers) {
		t.Errorf("too little happened: %d reverts, %d connections", reverts, opened)
	}
	if got := k.Metric("strata_live_subscribers"); got > 0 {
		eventually.Holds(t, "all have left", func() bool { return k.Metric("strata_live_subscribers") == 0 })
	}
}

// reconstruction is what a client makes of what it is told.
type reconstruction struct {
	t       testing.TB
	kind    string // of what it follows
	client  *streamClient
	chain   []string        // index block hashes, of a stream of blocks
	have    map[string]bool // block and what of it
	reverts int

	mu      sync.Mutex
	balance string
	waiting map[string]bool // ids of transactions
}

// isState says that a stream says what is, and has no end that is known.
func (f *reconstruction) isState() bool { return f.kind == "balance" || f.kind == "mempool" }

func (f *reconstruction) current() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kind == "mempool" {
		return strings.Join(slices.Sorted(maps.Keys(f.waiting)), " ")
	}
	return f.balance
}

// wantState is what there is in the end.
func (f *reconstruction) wantState(k *apitest.Keeper) string {
	if f.kind == "mempool" {
		return strings.Join(k.Waiting(), " ")
	}
	principal := strings.Split(f.client.url[strings.Index(f.client.url, "/stream"):], "/")[4]
	return strings.Replace(k.Get("/extended/v1/address/"+principal+"/balances").Body, "{", `{"principal":"`+principal+`",`, 1)
}

func newReconstruction(t testing.TB, kind, target string) *reconstruction {
	t.Helper()
	return &reconstruction{t: t, kind: kind, client: &streamClient{t: t, url: target, last: "log=0"}, have: map[string]bool{}, waiting: map[string]bool{}}
}

// follow takes so many events, and leaves; or stays when all has been told.
func (f *reconstruction) follow(ctx context.Context, n int, done func() bool) {
	s := f.client.open(ctx)
	if s == nil {
		return
	}
	defer s.close()
	defer context.AfterFunc(ctx, s.close)()
	for i := 0; i < n; {
		if done() {
			return
		}
		e, ok := s.next()
		if !ok {
			if ctx.Err() == nil {
				f.t.Errorf("%s ended by itself", f.client.url)
			}
			return
		}
		if e.name != "" {
			i++
		}
		f.take(e)
	}
}

func (f *reconstruction) take(e streamEvent) {
	var body struct {
		IndexBlockHash       string `json:"index_block_hash"`
		ParentIndexBlockHash string `json:"parent_index_block_hash"`
		BlockHash            string `json:"block_hash"`
		Hash                 string
		Height               int64
		TxID                 string `json:"tx_id"`
		Canonical            bool
		Event                struct {
			TxID       string `json:"tx_id"`
			EventIndex int    `json:"event_index"`
		}
		STX json.RawMessage
	}
	if e.name != "" {
		if err := json.Unmarshal([]byte(e.data), &body); err != nil {
			f.t.Errorf("%s: %v in %q", f.client.url, err, e.data)
		}
	}
	if f.kind == "mempool" {
		f.takeWaiting(e)
		return
	}
	switch e.name {
	case "":
	case "revert":
		f.reverts++
		if f.kind == "block" {
			if n := len(f.chain); n == 0 || f.chain[n-1] != body.IndexBlockHash {
				f.t.Errorf("%s: takes back %s, and has %v", f.client.url, body.IndexBlockHash, f.chain)
				return
			}
			f.chain = f.chain[:len(f.chain)-1]
		}
		for key := range f.have {
			if strings.HasPrefix(key, body.Hash) || strings.HasPrefix(key, body.IndexBlockHash) {
				delete(f.have, key)
			}
		}
	case f.kind:
		switch f.kind {
		case "block":
			if n := len(f.chain); n > 0 && f.chain[n-1] != body.ParentIndexBlockHash {
				f.t.Errorf("%s: %s is on %s, and not on %s", f.client.url, body.IndexBlockHash, body.ParentIndexBlockHash, f.chain[n-1])
			}
			f.chain = append(f.chain, body.IndexBlockHash)
		case "transaction":
			if !body.Canonical {
				f.t.Errorf("%s: %s is not canonical", f.client.url, body.TxID)
			}
			f.have[body.BlockHash+" "+body.TxID] = true
		case "contract_event":
			f.have[fmt.Sprint(body.IndexBlockHash, " ", body.Event.TxID, " ", body.Event.EventIndex)] = true
		case "balance":
			f.mu.Lock()
			f.balance = e.data
			f.mu.Unlock()
		}
	default:
		f.t.Errorf("%s: got %+v", f.client.url, e)
	}
}

// takeWaiting takes what a stream of the mempool says.
func (f *reconstruction) takeWaiting(e streamEvent) {
	var tx struct {
		ID     string `json:"tx_id"`
		Status string `json:"tx_status"`
	}
	if e.name != "" {
		if err := json.Unmarshal([]byte(e.data), &tx); err != nil {
			f.t.Errorf("%s: %v in %q", f.client.url, err, e.data)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.name {
	case "":
	case "reset":
		clear(f.waiting)
	case "transaction":
		delete(f.waiting, tx.ID)
		if tx.Status == "pending" {
			f.waiting[tx.ID] = true
		}
	case "mined":
		delete(f.waiting, tx.ID)
	default:
		f.t.Errorf("%s: got %+v", f.client.url, e)
	}
}

// check compares with the tables.
func (f *reconstruction) check(k *apitest.Keeper, pool *pgxpool.Pool, topics []string) {
	f.t.Helper()
	var want, got []string
	parts := strings.Split(strings.TrimPrefix(f.client.url[strings.Index(f.client.url, "/stream"):], "/stream/v1/"), "/")
	switch f.kind {
	case "block":
		k.Column(&want, `SELECT '0x' || encode(index_block_hash, 'hex') FROM {chain}.canonical JOIN {chain}.block b ON b.source_seq = block_seq ORDER BY b.height`)
		got = f.chain
	case "transaction":
		k.Column(&want, `
			SELECT '0x' || encode(b.block_hash, 'hex') || ' 0x' || encode(t.txid, 'hex')
			FROM {accounts}.account_transaction x JOIN {accounts}.account a ON a.id = x.account
			JOIN {accounts}.transaction n ON n.n = x.tx JOIN {chain}.transaction t ON t.source_seq = n.source_seq AND t.tx_index = n.tx_index
			JOIN {chain}.block b ON b.source_seq = t.source_seq WHERE a.account = $1`, parts[1])
	case "contract_event":
		topic := ""
		if strings.Contains(parts[2], "?") {
			topic = topics[0]
		}
		k.Column(&want, `
			SELECT '0x' || encode(b.index_block_hash, 'hex') || ' 0x' || encode(t.txid, 'hex') || ' ' || x.event_index
			FROM {accounts}.contract_event x JOIN {accounts}.account a ON a.id = x.contract
			LEFT JOIN {accounts}.contract_topic named ON named.contract = x.contract AND named.topic = x.topic
			JOIN {accounts}.transaction n ON n.n = x.tx JOIN {chain}.transaction t ON t.source_seq = n.source_seq AND t.tx_index = n.tx_index
			JOIN {chain}.block b ON b.source_seq = t.source_seq WHERE a.account = $1 AND ($2 = '' OR named.name = $2)`, parts[1], topic)
	case "balance", "mempool":
		return
	}
	if f.kind == "transaction" || f.kind == "contract_event" {
		for key := range f.have {
			got = append(got, key)
		}
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) || len(want) < 1 {
		f.t.Errorf("%s: got %d\n%s\nwant %d\n%s", f.client.url, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
}
