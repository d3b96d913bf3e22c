package simulation

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/rig/replay"
	"strata/rig/simulation/blockstream"
	"strata/rig/simulation/redis"
)

// readers is the scene of clients that read while all else happens. Some ask only whether what they have has changed, some for what is
// no older than what they have seen, some past all caches; one follows the blocks.
type readers struct {
	quiet
	h       *History
	w       *World
	random  *rand.Rand
	paths   []string
	few     bool     // accounts are read, but these again and again
	named   []string // recipients of transfers that wait for ever
	stream  *blockstream.Client
	settles chan struct{} // closed once everything has been asked for a last time
	redis   *redis.Redis  // nil if the processes share no cache

	mu     sync.Mutex
	now    int // grows with each beginning and each end of a read
	reads  []read
	tagged map[string]string // path → the last ETag
}

// read is a request that has got an answer.
type read struct {
	process       int
	path, tag     string // If-None-Match
	uncached      bool
	least, atLast int64 // events of the log that the answer must reflect, and those that it says
	streamed      bool  // a stream has told of least, so that the request need not say it
	began, ended  int
	at            time.Time // when it ended
	last          bool      // asked when all was quiet
	Reply
}

// adminPort is the port of a process's administration API.
const adminPort = "3998"

// mixed are the paths whose answers are made of several projections: until all of these have caught up, the position is that of the one
// that is behind, and others may be ahead.
var mixed = regexp.MustCompile(`^/extended/(v1/(status|tx|address/.+/(balances|stx|assets))|v2/addresses/.+/transactions|v3/(transactions|principals/.+/balances/stx))`)

// readersAtOnce is the number of clients that read.
const readersAtOnce = 3

func newReaders(random *rand.Rand) Scene {
	return &readers{random: random, tagged: map[string]string{}}
}

// Plan implements Scene. If few accounts are read, many locks begin and end.
func (s *readers) Plan(p *plan) {
	p.chain.SponsoredShare, p.chain.MempoolProbability, p.chain.DropProbability = 0.3, 0.5, 0.3
	if s.few = s.random.IntN(2) == 0; !s.few || p.chain.AllEpochs {
		return
	}
	p.posts, p.hurry, p.chain.Microblocks = 80, false, false
	if p.chain.RewardCycle = 5; p.chain.Mix == (synthchain.Mix{}) {
		p.chain.Mix = synthchain.DefaultMix()
	}
	p.chain.Mix.Stacking = 40
}

// Arguments implements Scene.
func (s *readers) Arguments(w *World) []string {
	if s.redis == nil {
		return nil
	}
	address := net.JoinHostPort(w.network.host(250), "6379")
	go s.redis.Serve(w.listen(address))
	return []string{"--redis-url", "redis://" + address + "?pool_size=1000"} // go-redis lends the timers of those that wait to other worlds
}

// Begin implements Scene.
func (s *readers) Begin(w *World, h *History) {
	if random := rand.New(rand.NewPCG(h.Seed, 0x7265646973)); random.IntN(2) == 0 {
		s.redis = redis.New(random, w.Script.Count)
	}
	h.Senders[0].Posts = s.rivals(h.Senders[0].Posts)
	s.h, s.w, s.paths = h, w, s.choose(h)
	for n := range readersAtOnce {
		random := rand.New(rand.NewPCG(h.Seed, 0x726561+uint64(n)))
		go func() {
			for !h.sent() {
				select {
				case <-h.Senders[0].told: // what has been sent is perhaps not folded
				case <-time.After(time.Duration(random.IntN(1500)) * time.Millisecond):
				}
				s.readOne(random)
			}
		}()
	}
	random := rand.New(rand.NewPCG(h.Seed, 0x737365))
	s.stream = &blockstream.Client{
		HTTP: w.client, Processes: func() []int { return w.network.serving(APIPort) }, Tell: w.Script.tell, Count: w.Script.Count, Want: canonicalBlocks(h),
		URL: func(process int) string { return "http://" + net.JoinHostPort(w.network.host(process), APIPort) },
		Told: func(process int, id string) { // a read after the message shows the block
			s.ask(read{process: process, path: s.paths[random.IntN(len(s.paths))], uncached: true, least: eventsOf(id), streamed: true})
		},
	}
	go s.stream.Follow(w.T.Context(), random)
}

// rivals returns posts with more announcements: of transfers that nobody mines, sponsored or not, of which several have the same nonce.
func (s *readers) rivals(posts []replay.Post) (all []replay.Post) {
	var known []*transaction.Transaction
	for _, post := range posts {
		all = append(all, post)
		var announced []string
		if post.Path == "/new_mempool_tx" && json.Unmarshal(post.Body, &announced) == nil {
			raw, _ := hex.DecodeString(announced[0][2:])
			if t, err := transaction.Decode(raw); err == nil {
				if _, ok := t.Payload.(*transaction.TokenTransfer); ok && len(known) < 3 {
					known = append(known, t)
				}
			}
		}
		if len(known) == 0 || s.random.IntN(4) > 0 {
			continue
		}
		rival, other := *known[s.random.IntN(len(known))], known[s.random.IntN(len(known))].Payload.(*transaction.TokenTransfer)
		rival.Payload = &transaction.TokenTransfer{Recipient: other.Recipient, Amount: 1 + s.random.Uint64N(1000)}
		rival.Origin.Nonce += 25
		pays := &rival.Origin
		if rival.Sponsor != nil {
			sponsor := *rival.Sponsor
			sponsor.Nonce += 25
			pays, rival.Sponsor = &sponsor, &sponsor
		}
		pays.Fee = 1000 + uint64(len(all)) + s.random.Uint64N(8) // mostly more than all before
		s.named = append(s.named, other.Recipient.String())
		all = append(all, replay.Post{Path: "/new_mempool_tx", Body: fmt.Appendf(nil, `["0x%x"]`, rival.Encode())})
	}
	return all
}

// choose returns what the clients read: lists, and things that will be there, or were until a fork.
func (s *readers) choose(h *History) []string {
	paths := []string{
		"/extended/v1/status", "/extended/v2/blocks?limit=5", "/extended/v2/blocks/latest", "/extended/v3/blocks?limit=3", "/extended/v1/tx?limit=4",
		"/extended/v3/transactions?limit=4", "/extended/v2/burn-blocks?limit=3", "/extended/v1/stx_supply", "/extended/v1/tx/mempool", "/extended/v2/pox/cycles",
		"/extended/v3/tokens/stx/holders?limit=5", "/v1/namespaces",
	}
	pick := func(all []string) string { return all[s.random.IntN(len(all))] }
	want := h.Chain.Expected()
	if s.few {
		return s.chooseFew(want.Locks)
	}
	accounts := slices.Sorted(maps.Keys(want.Balances))
	var blocks, transactions []string
	for _, post := range h.Senders[0].Posts {
		var block struct {
			Height       int64  `json:"block_height"`
			Hash         string `json:"index_block_hash"`
			Transactions []struct {
				ID string `json:"txid"`
			}
		}
		if post.Path != "/new_block" || json.Unmarshal(post.Body, &block) != nil {
			continue
		}
		blocks = append(blocks, strconv.FormatInt(block.Height, 10), block.Hash)
		for _, t := range block.Transactions {
			transactions = append(transactions, t.ID)
		}
	}
	if len(accounts) > 0 {
		for _, format := range []string{"v1/address/%s/balances", "v1/address/%s/nonces", "v1/address/%s/stx", "v2/addresses/%s/transactions?limit=3",
			"v1/address/%s/assets?limit=3", "v3/principals/%s/balances/stx", "v2/addresses/%s/balances/ft?limit=3"} {
			for range 3 {
				paths = append(paths, fmt.Sprintf("/extended/"+format, pick(accounts)))
			}
		}
	}
	for range 2 {
		if len(blocks) > 0 {
			b := pick(blocks)
			paths = append(paths, "/extended/v2/blocks/"+b, "/extended/v2/blocks/"+b+"/transactions", "/extended/v3/blocks/"+b)
			if !strings.HasPrefix(b, "0x") {
				paths = append(paths, "/extended/v1/block/by_height/"+b)
			}
		}
		if len(transactions) > 0 {
			t := pick(transactions)
			paths = append(paths, "/extended/v1/tx/"+t, "/extended/v3/transactions/"+t)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// chooseFew returns what the clients read of few accounts: of those whose locks end first, and of those that are to get transfers.
func (s *readers) chooseFew(locks map[string]synthchain.Lock) []string {
	locked := slices.SortedFunc(maps.Keys(locks), func(a, b string) int { return cmp.Or(cmp.Compare(locks[a].Until, locks[b].Until), cmp.Compare(a, b)) })
	s.random.Shuffle(len(s.named), func(i, j int) { s.named[i], s.named[j] = s.named[j], s.named[i] })
	paths := []string{"/extended/v2/blocks/latest"}
	for _, account := range slices.Concat(locked[:min(len(locked), 2)], s.named[:min(len(s.named), 2)]) {
		paths = append(paths, "/extended/v1/address/"+account+"/stx")
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// readOne asks a process for something.
func (s *readers) readOne(random *rand.Rand) {
	processes := s.w.network.serving(APIPort)
	if len(processes) == 0 {
		return
	}
	r := read{process: processes[random.IntN(len(processes))], path: s.paths[random.IntN(len(s.paths))]}
	kind := random.IntN(8)
	switch kind {
	case 0, 1:
		r.tag = "any" // that there is
	case 2:
		r.least = s.seen()
	case 3, 4, 5, 6:
		for _, sender := range s.h.Senders {
			r.least += sender.acknowledged.Load()
		}
	}
	if kind > 3 { // what may be kept, and at once what is there
		s.ask(r)
		r.uncached = true
	}
	s.ask(r)
}

// seen returns the last position that any client has seen.
func (s *readers) seen() (position int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.reads {
		position = max(position, r.atLast)
	}
	return position
}

func (s *readers) ask(r read) {
	header, port, path := http.Header{}, APIPort, r.path
	s.mu.Lock()
	s.now++
	r.began = s.now
	if r.tag != "" {
		if r.tag = s.tagged[r.path]; r.tag != "" {
			header.Set("If-None-Match", r.tag)
		}
	}
	s.mu.Unlock()
	if r.uncached {
		port = adminPort
		header.Set("Strata-Projection", fmt.Sprintf("chain=%d", specs()[0].Version)) // reads of a chosen version are not cached
	}
	if r.least > 0 && !r.streamed {
		header.Set("Strata-Position", fmt.Sprintf("log=%d", r.least))
	}
	reply, err := s.w.Ask(context.Background(), time.Minute, http.MethodGet, r.process, port, path, header, nil)
	if err != nil {
		s.w.Script.tell("%d %s: %v", r.process, path, err)
		return
	}
	r.Reply = reply
	r.atLast = eventsOf(reply.Header.Get("Strata-Position"))
	s.w.Script.Count("reads")
	if reply.Status == http.StatusNotModified {
		s.w.Script.Count("reads of what has not changed")
	}
	s.w.Script.tell("%d %s with %v: %d %s %s", r.process, path, header, reply.Status, reply.Header.Get("Strata-Position"), reply.Header.Get("ETag"))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now++
	r.ended, r.at = s.now, time.Now()
	s.reads = append(s.reads, r)
	if tag := reply.Header.Get("ETag"); tag != "" && reply.Status == http.StatusOK {
		s.tagged[r.path] = tag
	}
}

// eventsOf returns the number of events that a position reflects.
func eventsOf(position string) int64 {
	events, _, _ := strings.Cut(strings.TrimPrefix(position, "log="), ";")
	n, _ := strconv.ParseInt(events, 10, 64)
	return n
}

// Settle implements Scene. Once everything is folded, each process is asked for everything again, with and without caches.
func (s *readers) Settle(w *World, h *History) bool {
	if s.settles == nil {
		if len(w.behind()) > 0 {
			return false
		}
		s.settles = make(chan struct{})
		if s.redis != nil {
			s.redis.Calm()
		}
		go func() {
			defer close(s.settles)
			time.Sleep(2 * time.Second) // a poll that sees the last change, at the latest
			for _, process := range w.network.serving(APIPort) {
				for _, path := range s.paths {
					s.ask(read{process: process, path: path, last: true})
					s.ask(read{process: process, path: path, last: true, tag: "any"})
					s.ask(read{process: process, path: path, last: true, uncached: true})
				}
			}
		}()
	}
	select {
	case <-s.settles:
		return len(h.cut.Without) > 0 || s.stream.Complete()
	default:
		return false
	}
}

// Judge implements Scene.
func (s *readers) Judge(j *judge) {
	for _, wrong := range s.stream.Wrong {
		j.wrong("%s", wrong)
	}
	if len(j.cut.Without) == 0 && !s.stream.Complete() {
		j.wrong("the stream of blocks leads to %d blocks, and the canonical chain has %d:\n%v\n%v", len(s.stream.Chain), len(s.stream.Want), s.stream.Chain, s.stream.Want)
	}
	stored := j.readLog()
	var steps []int64 // the events that the projections of the chain have to know of
	for _, seq := range replay.Texts(j.TB, j.pool, `SELECT DISTINCT source_seq FROM `+specs()[0].String()+`.step`) {
		n, _ := strconv.ParseInt(seq, 10, 64)
		steps = append(steps, n)
	}
	slices.SortFunc(s.reads, func(a, b read) int { return cmp.Compare(a.began, b.began) })
	type content struct{ body, of string }
	tagged, at, last := map[string]content{}, map[string]content{}, map[string]content{}
	same := func(of map[string]content, key, body, by, rule string) {
		before, ok := of[key]
		if !ok {
			of[key] = content{body, by}
		} else if before.body != body {
			j.wrong("%s: %s\n%s: %.600s\n%s: %.600s", rule, key, before.of, before.body, by, body)
		}
	}
	for _, r := range s.reads {
		by := fmt.Sprintf("read %d of process %d", r.began, r.process)
		switch r.Status {
		case http.StatusOK, http.StatusNotModified, http.StatusNotFound, http.StatusServiceUnavailable:
		default:
			j.wrong("%s of %s: the status is %d: %.500s", by, r.path, r.Status, r.Body)
		}
		if r.Status == http.StatusServiceUnavailable {
			continue
		}
		// A projection says the last event of which it has to know.
		more := func(event int64) bool { return event > r.atLast && event <= r.least }
		if r.Header.Get("Strata-Position") != "" && slices.ContainsFunc(steps, more) {
			j.wrong("%s of %s reflects %d events, and was to reflect %d", by, r.path, r.atLast, r.least)
		}
		body := fmt.Sprintf("%d %s", r.Status, r.Body)
		tag := r.Header.Get("ETag")
		if r.Status == http.StatusNotModified {
			have, ok := tagged[r.path+" "+r.tag]
			if !ok || tag != r.tag {
				j.wrong("%s of %s says that %s is still true, with the tag %s", by, r.path, r.tag, tag)
				continue
			}
			body = have.body
		} else if tag != "" {
			same(tagged, r.path+" "+tag, body, by, "one tag has two bodies")
		}
		whole := int(r.atLast) >= len(stored) || stored[r.atLast].ReceivedAt.After(r.at) // no projection is ahead of the position
		whole = whole && !strings.HasSuffix(r.path, "/status")                           // which also says whether versions are still being built
		if position := r.Header.Get("Strata-Position"); position != "" && (whole || !mixed.MatchString(r.path)) {
			same(at, r.path+" at "+position, body, by, "one position has two answers")
		}
		if r.last {
			same(last, r.path, body, by, "when all is quiet, there are two answers")
		}
	}
	s.judgeOrder(j)
}

// judgeOrder checks that positions behave like a register that only grows: a read that begins after another one of the same process
// has ended does not reflect less.
func (s *readers) judgeOrder(j *judge) {
	ended := slices.SortedFunc(slices.Values(s.reads), func(a, b read) int { return cmp.Compare(a.ended, b.ended) })
	reached, next := map[string]read{}, 0
	for _, r := range s.reads {
		for ; next < len(ended) && ended[next].ended < r.began; next++ {
			e := ended[next]
			key := fmt.Sprint(e.process, " ", e.path)
			// A read without caches may be ahead of what its process has heard of.
			if e.Status != http.StatusServiceUnavailable && !e.uncached && e.atLast > reached[key].atLast {
				reached[key] = e
			}
		}
		before, ok := reached[fmt.Sprint(r.process, " ", r.path)]
		if position := r.Header.Get("Strata-Position"); ok && position != "" && r.Status != http.StatusServiceUnavailable && before.atLast > r.atLast {
			j.wrong("process %d goes back: %s reflects %d events in read %d, and %d in read %d", r.process, r.path, before.atLast, before.began, r.atLast, r.began)
		}
	}
}

// canonicalBlocks returns the hashes of the blocks that are canonical in the end.
func canonicalBlocks(h *History) (hashes []string) {
	for _, post := range h.Chain.CanonicalPosts() {
		var block struct {
			Hash string `json:"index_block_hash"`
		}
		if post.Path == "/new_block" && json.Unmarshal(post.Body, &block) == nil {
			hashes = append(hashes, block.Hash)
		}
	}
	return hashes
}
