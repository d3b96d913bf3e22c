package simulation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	domain "strata/domain/ordinals"
	"strata/eventstore"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/brc20"
	"strata/projections/inscriptions"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// ordinals is a scene in which an indexer posts its feed beside the node, and strangers try to, without its token.
type ordinals struct {
	quiet
	random *rand.Rand
	feed   *synthordinals.Feed
	token  string
	read   bool
	// strangers is how often somebody posts without the token, who learns the statuses of the answers.
	strangers int
	statuses  chan int

	damaged    harms    // posts with an operation that can't be read
	incomplete []string // inscriptions and tokens of which the API says that something could not be read
}

func newOrdinals(random *rand.Rand) Scene {
	pick := func(of ...int) int { return of[random.IntN(len(of))] }
	share := func(of ...float64) float64 { return of[random.IntN(len(of))] }
	c := synthordinals.Everything(random.Uint64(), domain.Regtest)
	c.Accounts, c.Live = pick(4, 8, 16), pick(16, 60, 500) // few, so that sats move often
	c.Reveals, c.Transfers, c.Tokens = synthordinals.Range{Max: pick(1, 3)}, synthordinals.Range{Max: pick(1, 3)}, synthordinals.Range{Max: pick(0, 2, 5)}
	c.ReinscriptionShare, c.SharedOutputShare = share(0.15, 0.8), share(0.3, 0.6)
	c.RollbackProbability, c.MaxRollbackDepth = share(0, 0.08, 0.3), pick(1, 3, 6)
	c.UnknownRollbackProbability = share(0.03, 0.3)
	c.GapProbability, c.DuplicateProbability = share(0, 0.04, 0.2), share(0, 0.08, 0.3)
	c.SecondDeploys = c.Seed%3 == 0
	s := &ordinals{random: random, feed: synthordinals.New(c), statuses: make(chan int, mostStrangers), damaged: harms{}}
	if random.IntN(2) == 0 {
		s.token = fmt.Sprintf("token-%d", random.IntN(1000))
	}
	return s
}

// Quarantines implements Scene.
func (s *ordinals) Quarantines() bool { return len(s.damaged) > 0 }

// mostStrangers is how often a stranger posts in a history at most.
const mostStrangers = 3

func (s *ordinals) Arguments(*World) []string {
	if s.token == "" {
		return nil
	}
	return []string{"--ordhook-token", s.token}
}

func (s *ordinals) Begin(w *World, h *History) {
	posts := replay.Take([]int{4, 12, 30}[s.random.IntN(3)], s.feed.Next)
	if s.random.IntN(3) == 0 {
		for i := range posts {
			posts[i].Path = "/ordhook/payload"
		}
	}
	if random := rand.New(rand.NewPCG(h.Seed, 0x64616d616765)); random.IntN(3) == 0 {
		s.damage(w, random, posts)
	}
	sender := h.send(w, posts, s.random.IntN(2) == 0)
	sender.Header = http.Header{"Content-Type": {"application/json"}}
	if s.token != "" {
		sender.Header.Set("Authorization", "Bearer "+s.token)
	}
}

// damage damages operations of a few posts.
func (s *ordinals) damage(w *World, random *rand.Rand, posts []replay.Post) {
	for range 1 + random.IntN(3) {
		i := random.IntN(len(posts))
		if _, ok := s.damaged[key(posts[i].Path, posts[i].Body)]; ok {
			continue
		}
		if post, harmed, ok := damageOperation(random, posts[i]); ok {
			w.Script.Count("damaged operations")
			posts[i], s.damaged[key(post.Path, post.Body)] = post, harmed
		}
	}
}

// Act lets a stranger post now and then.
func (s *ordinals) Act(w *World, h *History) bool {
	if s.token == "" || s.strangers == mostStrangers || s.random.IntN(300) > 0 {
		return false
	}
	s.strangers++
	path := []string{"/payload", "/ordhook/payload", "//payload", "/payload/", "/ordhook//payload"}[s.random.IntN(5)]
	header := []http.Header{nil, {"Authorization": {"Bearer " + s.token + "0"}}, {"Authorization": {"Basic " + s.token}}}[s.random.IntN(3)]
	posts := h.Senders[1].Posts
	body := posts[s.random.IntN(len(posts))].Body
	host := byte(len(h.Senders) + 1)
	w.Script.Count("strangers")
	go func() {
		r, err := w.askAny(context.WithValue(context.Background(), senderKey{}, host), time.Minute, http.MethodPost, observerPort, path, header, body)
		if err == nil {
			s.statuses <- r.Status
		}
	}()
	return true
}

// Settle reads what the API says once all is folded.
func (s *ordinals) Settle(w *World, h *History) bool {
	if s.read || len(w.behind()) > 0 || len(h.Wrong) > 0 {
		return true
	}
	s.read = true
	want := s.feed.Expected()
	var status struct {
		Height uint64 `json:"block_height"`
	}
	h.get(w, "/ordinals/v1", &status)
	tip, _ := want.Tip()
	if at := cmp.Or(tip.Height, beforeFirst); status.Height != at {
		h.wrong("the API says that the feed is at %d, want %d", status.Height, at)
	}
	if len(s.damaged) > 0 {
		s.incomplete = append(incomplete(w, h, "/ordinals/v1/inscriptions"), incomplete(w, h, "/ordinals/v1/brc-20/tokens")...)
		return true
	}
	owned := map[string]int{}
	for _, i := range want.Inscriptions {
		if a := i.Current.Address; a != nil && *a != "" {
			owned[*a]++
		}
	}
	var list struct {
		Total int `json:"total"`
	}
	h.get(w, "/ordinals/v1/inscriptions?limit=1", &list)
	if list.Total != len(want.Inscriptions) {
		h.wrong("the API says that there are %d inscriptions, want %d", list.Total, len(want.Inscriptions))
	}
	addresses := slices.Sorted(maps.Keys(owned))
	for range min(2, len(addresses)) {
		address := addresses[s.random.IntN(len(addresses))]
		h.get(w, "/ordinals/v1/inscriptions?limit=1&address="+address, &list)
		if list.Total != owned[address] {
			h.wrong("the API says that %s has %d inscriptions, want %d", address, list.Total, owned[address])
		}
		var balances struct {
			Results []struct {
				Ticker        string
				Available     string `json:"available_balance"`
				Transferrable string `json:"transferrable_balance"`
			}
		}
		h.get(w, "/ordinals/v1/brc-20/balances/"+address+"?limit=60", &balances)
		got := map[string]string{}
		for _, b := range balances.Results {
			got[strings.ToLower(b.Ticker)] = units(b.Available) + " and " + units(b.Transferrable)
		}
		for holding, b := range want.Balances {
			if balance := fmt.Sprintf("%s and %s", b.Available, b.Transferrable); holding.Address == address && b.Total().Sign() > 0 && got[holding.Ticker] != balance {
				h.wrong("the API says that %s has %s units of %s, want %s", address, got[holding.Ticker], holding.Ticker, balance)
			}
		}
	}
	return true
}

// incomplete returns the inscriptions or tokens of a list of which something could not be read.
func incomplete(w *World, h *History, path string) (all []string) {
	const limit = 60
	for offset, total := 0, 1; offset < total; offset += limit {
		var page struct {
			Total   int
			Results []struct {
				ID         string
				Incomplete bool
			}
		}
		h.get(w, fmt.Sprintf("%s?limit=%d&offset=%d", path, limit, offset), &page)
		for _, r := range page.Results {
			if r.Incomplete {
				all = append(all, r.ID)
			}
		}
		total = page.Total
	}
	return all
}

// units returns a decimal number as one of units of 10^-18.
func units(decimal string) string {
	n, ok := new(big.Rat).SetString(decimal)
	if !ok {
		return decimal
	}
	return n.Mul(n, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))).RatString()
}

// Judge implements Scene.
func (s *ordinals) Judge(j *judge) {
	close(s.statuses)
	for status := range s.statuses {
		if status != http.StatusForbidden && status != http.StatusServiceUnavailable {
			j.wrong("a stranger got the status %d", status)
		}
	}
	senders := map[string]bool{}
	for _, sender := range j.Senders {
		senders[sender.source()] = true
	}
	stored := j.readLog()
	for _, e := range stored {
		if !senders[e.Source] {
			j.wrong("event %d of the log is from %s, who has no token", e.Seq, e.Source)
		}
	}
	want := s.feed.Expected()
	applied := map[string]string{}
	for _, b := range want.Blocks {
		applied[fmt.Sprint(b.Height)] = b.Hash.String()
	}
	rig.Compare(j, "block of the feed", applied, rig.Pairs(j, j.pool, schemas.In(`SELECT height::text, '0x' || encode(block_hash, 'hex') FROM {ordinals}.block`)))
	if len(s.damaged) > 0 {
		s.judgeDamaged(j, stored)
		return
	}
	rig.CheckInscriptions(j, j.pool, &want, mostOfPart)
	rig.CheckBRC20(j, j.pool, brc20.Spec(), &want)
	// The canonical blocks alone.
	tx := j.begin()
	defer replay.End(j.TB, tx)
	var events []eventstore.Event
	for i, post := range s.feed.CanonicalPosts() {
		events = append(events, eventstore.Event{Seq: int64(i + 1), Path: post.Path, Body: post.Body, Size: int64(len(post.Body))})
	}
	if err := fold(context.Background(), tx, events); err != nil {
		j.wrong("the canonical blocks of the feed alone can't be folded: %v", err)
		return
	}
	// Positions in the log differ.
	specs := []projections.Spec{inscriptions.Spec(), brc20.Spec()}
	without := []string{"source_seq", "block_index", "content_at"}
	j.compare("the canonical feed alone", j.dump(tx, specs, without...), j.dump(j.pool, specs, without...))
}

// judgeDamaged checks that what can't be read of the feed is lost alone, and that the API says so of what it is about.
func (s *ordinals) judgeDamaged(j *judge, stored []eventstore.Event) {
	s.damaged.judge(j, "ordinals", "size", "block_size", "content_digest", "content_at", "operation")
	applied := replay.Texts(j, j.pool, schemas.In(`SELECT source_seq || '/apply/' || block_index || '/' FROM {ordinals}.block`))
	lost := []string{}
	for _, e := range stored {
		harmed := s.damaged[key(e.Path, e.Body)]
		if slices.ContainsFunc(applied, func(block string) bool { return strings.HasPrefix(fmt.Sprint(e.Seq, harmed.pointer), block) }) {
			lost = append(lost, harmed.about...)
		}
	}
	want := replay.Texts(j, j.pool, schemas.In(`
		SELECT id FROM {inscriptions}.inscription i WHERE ARRAY['inscription:' || id, 'sat:' || sat] && $1 OR EXISTS (
			SELECT FROM {inscriptions}.location l WHERE l.sat = i.sat AND (l.height, l.tx_index) >= (i.height, i.tx_index)
			AND 'satpoint:' || concat_ws(':', encode(output_txid, 'hex'), vout, sat_offset) = ANY ($1))
		UNION ALL SELECT id FROM {brc20}.token WHERE 'brc20:' || ticker = ANY ($1) AND height IS NOT NULL`), lost)
	slices.Sort(want)
	slices.Sort(s.incomplete)
	if diff := difference(s.incomplete, want); diff != "" {
		j.wrong("what the API says is incomplete is not what is about lost operations: %s", diff)
	}
}

// beforeFirst is the height that the API names while there is no block with inscriptions.
const beforeFirst = 767430

// mostOfPart is how many entries a list has at most that has no parts.
const mostOfPart = 1024
