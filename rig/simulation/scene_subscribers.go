package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"strata/rig/subscriber"
)

// subscribers is the scene of those who get messages posted, at endpoints that refuse, hang, and lose what they have answered.
type subscribers struct {
	quiet
	random *rand.Rand
	h      *History
	w      *World
	asked  time.Time // when the process was last asked how far it is
	settle chan bool

	mu   sync.Mutex // of all below
	calm bool
	all  []*subscribed
}

// subscribed is one of them.
type subscribed struct {
	filter string
	wants  func(block json.RawMessage) bool // whether the filter matches something in a block
	id     string                           // of the subscription; empty until there is one
	folded subscriber.Folded
	seen   map[string]string // message by id
	faults int               // of the message that comes next
}

func newSubscribers(random *rand.Rand) Scene {
	return &subscribers{random: random, all: []*subscribed{
		{filter: `{"kind": "block"}`, wants: func(json.RawMessage) bool { return true }},
		{filter: `{"kind": ["stx_transfer", "stx_mint"]}`, wants: hasEvent("stx_transfer_event", "stx_mint_event")},
		{filter: `{"all": [{"kind": "transaction"}, {"not": {"kind": "transaction", "status": "success"}}]}`, wants: hasFailed},
	}}
}

// blockBody is what the scene knows of the body of a block.
type blockBody struct {
	Hash         string `json:"index_block_hash"`
	Transactions []struct {
		ID     string `json:"txid"`
		Status string
	}
	Events []struct {
		Type      string
		TxID      string
		Committed bool
	}
}

// hasEvent reports for a block whether a successful transaction has an event of such a type that counts.
func hasEvent(types ...string) func(json.RawMessage) bool {
	return func(text json.RawMessage) bool {
		var b blockBody
		_ = json.Unmarshal(text, &b)
		successful := map[string]bool{}
		for _, tx := range b.Transactions {
			successful[tx.ID] = tx.Status == "success"
		}
		for _, e := range b.Events {
			if e.Committed && slices.Contains(types, e.Type) && successful[e.TxID] {
				return true
			}
		}
		return false
	}
}

func hasFailed(text json.RawMessage) bool {
	var b blockBody
	_ = json.Unmarshal(text, &b)
	for _, tx := range b.Transactions {
		if tx.Status != "success" {
			return true
		}
	}
	return false
}

const (
	endpointHost     = 251       // of the world
	faultsInTurn     = 3         // of a message: the pauses after more of them are long
	endpointPatience = time.Hour // of the clock of the world, when the last pause has ended
)

// Arguments implements Scene.
func (*subscribers) Arguments(*World) []string {
	return []string{"--roles", "subscriptions", "--subscription-allow", "127.0.0.0/8"}
}

// Patience implements Scene.
func (*subscribers) Patience() time.Duration { return endpointPatience }

// Begin implements Scene.
func (s *subscribers) Begin(w *World, h *History) {
	s.h, s.w = h, w
	address := net.JoinHostPort(w.network.host(endpointHost), "80")
	w.Serve(address, s)
	for n, one := range s.all {
		one.seen = map[string]string{}
		go s.subscribe(one, fmt.Sprintf("http://%s/%d", address, n))
	}
}

// subscribe subscribes to all blocks as soon as there is one. Without an answer nobody knows whether that succeeded, so that the names of
// subscriptions are looked up before the next try.
func (s *subscribers) subscribe(one *subscribed, url string) {
	body, err := json.Marshal(map[string]any{"name": url, "filter": json.RawMessage(one.filter), "url": url, "start": map[string]int{"height": 0}})
	if err != nil {
		panic(err)
	}
	for s.w.T.Context().Err() == nil {
		if all, ok := s.listed(); ok {
			for _, known := range all {
				if known.Name == url {
					s.mu.Lock()
					one.id = known.ID
					s.mu.Unlock()
					return
				}
			}
			header := http.Header{"Content-Type": {"application/json"}}
			_, _ = s.w.askAny(context.Background(), time.Minute, http.MethodPost, adminPort, "/subscriptions/v1", header, body)
		}
		select {
		case <-s.w.T.Context().Done():
		case <-time.After(time.Second):
		}
	}
}

// listedSubscription is a subscription as the API has it.
type listedSubscription struct {
	ID, Name, State, Reason string
	Lag                     int64 `json:"lag_steps"`
	Pending                 int64
}

func (s *subscribers) listed() (all []listedSubscription, ok bool) {
	reply, err := s.w.askAny(context.Background(), time.Minute, http.MethodGet, adminPort, "/subscriptions/v1", nil, nil)
	var list struct{ Results []listedSubscription }
	if err != nil || reply.Status != http.StatusOK || json.Unmarshal(reply.Body, &list) != nil {
		return nil, false
	}
	return list.Results, true
}

// ServeHTTP is the endpoint of all of them.
func (s *subscribers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var n int
	if _, scanned := fmt.Sscanf(r.URL.Path, "/%d", &n); scanned != nil || err != nil || n >= len(s.all) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	hangs, lost, status := s.take(s.all[n], r.Header.Get("webhook-id"), string(text))
	time.Sleep(hangs)
	if lost {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
}

// take takes a message, and says what becomes of the answer.
func (s *subscribers) take(one *subscribed, id, text string) (hangs time.Duration, lost bool, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := -1
	if before := one.seen[id]; !s.calm && one.faults < faultsInTurn && s.random.IntN(4) == 0 {
		one.faults++
		s.w.Script.Count("faults of endpoints")
		if fault = s.random.IntN(5); fault < 2 {
			return 0, false, []int{http.StatusInternalServerError, http.StatusTooManyRequests}[fault]
		}
	} else if before == "" {
		one.faults = 0
	}
	switch before := one.seen[id]; {
	case before == "":
		one.seen[id] = text
		if err := one.folded.Take(id, []byte(text)); err != nil {
			s.h.wrong("a subscriber to %s: %v", one.filter, err)
		}
		s.w.Script.Count("messages")
	case before != text:
		s.h.wrong("a subscriber to %s gets %s with other bytes: %s\n%s", one.filter, id, before, text)
	}
	switch fault {
	case 2:
		return time.Minute, false, http.StatusOK
	case 3, 4:
		return 0, true, 0
	}
	return 0, false, http.StatusNoContent
}

// Settle implements Scene. All is delivered once a process says so.
func (s *subscribers) Settle(w *World, h *History) bool {
	if len(canonicalBlocks(h)) == 0 { // nobody can subscribe from the first block on
		return true
	}
	s.mu.Lock()
	s.calm = true
	s.mu.Unlock()
	if s.settle == nil && time.Since(s.asked) > time.Second {
		settle := make(chan bool, 1)
		s.asked, s.settle = time.Now(), settle
		go func() {
			all, ok := s.listed()
			for _, one := range all {
				if one.State == "paused" {
					s.h.wrong("the subscription %s is paused: %s", one.Name, one.Reason)
				}
				ok = ok && one.Lag == 0 && one.Pending == 0
			}
			settle <- ok && len(all) == len(s.all) && len(w.behind()) == 0
		}()
	}
	select {
	case done := <-s.settle:
		s.settle = nil
		return done
	default:
		return false
	}
}

// Judge implements Scene. Who folds the messages has what the canonical chain has.
func (s *subscribers) Judge(j *judge) {
	if len(j.cut.Without) > 0 {
		return
	}
	for _, one := range s.all {
		var want []string
		for _, post := range s.h.Chain.CanonicalPosts() {
			var b blockBody
			if post.Path == "/new_block" && json.Unmarshal(post.Body, &b) == nil && one.wants(post.Body) {
				want = append(want, b.Hash)
			}
		}
		if !slices.Equal(one.folded.Blocks, want) {
			j.wrong("%d messages of %s lead to %d blocks, and the canonical chain has %d:\n%v\n%v", one.folded.Sequence, one.filter, len(one.folded.Blocks), len(want), one.folded.Blocks, want)
		}
	}
}
