package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"strata/internal/synth/synthchain"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// nodes is a scene in which a second node posts the same chain in another view, and perhaps one of another network its own chain.
type nodes struct {
	quiet
	random *rand.Rand
	less   int // percentage of the second node's blocks that lack something
	narrow map[string]bool
	other  *Sender // of another network; nil for none
}

func newNodes(random *rand.Rand) Scene {
	return &nodes{random: random, less: []int{0, 20, 100}[random.IntN(3)], narrow: map[string]bool{}}
}

// Quarantines implements Scene: the events of another network are there.
func (s *nodes) Quarantines() bool { return true }

func (s *nodes) Begin(w *World, h *History) {
	all := h.Senders[0].Posts
	var posts []replay.Post
	var after []int
	// One that may be ahead posts everything in order: which of two blocks comes first can decide which is canonical.
	behind := s.random.IntN(2) == 0
	lost := 0 // Stacks blocks to come that it does not post; it never loses Bitcoin blocks, for the last one decides the fork
	add := func(i int) {
		post := all[i]
		if lost > 0 && post.Path == "/new_block" {
			lost--
			w.Script.Count("blocks that one node lacks")
			return
		}
		if behind && s.random.IntN(15) == 0 {
			lost = 1 + s.random.IntN(6)
		}
		if post.Path == "/new_block" {
			post.Body = s.view(post.Body)
		}
		if posts = append(posts, post); behind {
			after = append(after, i+1)
		}
	}
	for i := range all {
		add(i)
		if s.random.IntN(2*len(all)) == 0 {
			w.Script.Count("nodes that post everything again")
			for again := range i + 1 {
				add(again)
			}
		}
	}
	if behind && len(h.cut.Without) == 0 && s.random.IntN(3) == 0 { // it syncs once more: there are no forks any more
		w.Script.Count("nodes that sync again")
		for _, post := range h.Chain.CanonicalPosts() {
			posts, after = append(posts, post), append(after, len(all))
		}
	}
	h.send(w, posts, s.random.IntN(2) == 0).after = after
	if s.random.IntN(3) == 0 {
		s.other = h.send(w, s.foreign(), s.random.IntN(2) == 0)
	}
}

// view returns a block as the second node posts it: with fewer events or interfaces, and in another order.
func (s *nodes) view(body []byte) []byte {
	var block map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&block); err != nil {
		panic(err)
	}
	succeeded := map[any]bool{}
	transactions, _ := block["transactions"].([]any)
	for _, tx := range transactions {
		tx := tx.(map[string]any)
		succeeded[tx["txid"]] = tx["status"] == "success"
	}
	narrow := false
	if s.random.IntN(100) < s.less {
		// The keys of its entry select some kinds of events, and an old node leaves out interfaces of contracts.
		kinds := map[string]bool{}
		events, _ := block["events"].([]any)
		left := []any{}
		for _, e := range events {
			e := e.(map[string]any)
			kind, _ := e["type"].(string)
			if strings.HasPrefix(kind, "stx_") { // one key selects all of them
				kind = "stx"
			}
			if _, ok := kinds[kind]; !ok {
				kinds[kind] = s.random.IntN(2) == 0
			}
			if kinds[kind] {
				left = append(left, e)
			} else if e["committed"] == true && succeeded[e["txid"]] {
				narrow = true
			}
		}
		block["events"] = left
		for _, tx := range transactions {
			tx := tx.(map[string]any)
			if tx["contract_interface"] != nil && s.random.IntN(2) == 0 {
				tx["contract_interface"] = nil
				narrow = narrow || succeeded[tx["txid"]]
			}
		}
	}
	// The order of events is that of a hash table.
	if items, ok := block["events"].([]any); ok {
		s.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	text, err := json.Marshal(block)
	if err != nil {
		panic(err)
	}
	if narrow {
		s.narrow[string(text)] = true
	}
	return text
}

// foreign returns events of a node of mainnet, from its genesis block on.
func (s *nodes) foreign() []replay.Post {
	c := synthchain.Everything(s.random.Uint64(), synthchain.Newest)
	c.Network, c.SigningSample, c.Accounts, c.TxPerBlock = synthchain.Mainnet, 1_000_000, 8, synthchain.Range{Max: 2}
	posts := replay.Take(5+s.random.IntN(20), synthchain.New(c).Next)
	for posts[0].Path != "/new_block" {
		posts = posts[1:]
	}
	return posts
}

func (s *nodes) Judge(j *judge) {
	got, want, other := map[string]string{}, map[string]string{}, map[string]string{}
	for _, e := range j.readLog() {
		switch {
		case s.other != nil && e.Source == s.other.source():
			if e.Path == "/new_block" || e.Path == "/new_burn_block" {
				other[fmt.Sprint(e.Seq)] = ""
			}
		case s.narrow[string(e.Body)]:
			want[fmt.Sprint(e.Seq)] = ""
		}
	}
	if j.modelled() {
		rig.Compare(j, "narrow copy", want, rig.Pairs(j, j.pool, schemas.In(`SELECT source_seq::text, '' FROM {chain}.narrow_copy`)))
	}
	for seq, reason := range rig.Pairs(j, j.pool, `SELECT seq::text, '' FROM strata.quarantine WHERE path IN ('/new_block', '/new_burn_block')`) {
		got[seq] = reason
	}
	rig.Compare(j, "event of another network", other, got)
	var strangers []string
	if s.other != nil {
		strangers = append(strangers, s.other.source())
	}
	if rows := replay.Texts(j, j.pool, `
		SELECT q.name || ': event ' || q.seq || ' to ' || e.path || ' of ' || e.source || ': ' || q.reason
		FROM strata.quarantine q JOIN log.event e USING (seq) WHERE e.source <> ALL ($1)`, append([]string{}, strangers...)); len(rows) > 0 {
		j.wrong("quarantined: %s", strings.Join(rows, "\n"))
	}
}
