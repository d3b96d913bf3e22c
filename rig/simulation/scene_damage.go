package simulation

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"strata/eventstore"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// damage is a scene in which what a node posts is damaged. The smallest unit is lost, which the quarantine names, and nothing else: the
// tables are those of a log from which the unit is cut out.
type damage struct {
	quiet
	random *rand.Rand
	known  harms
}

// harms are what is wrong with bodies, by path and body.
type harms map[string]harm

// harm is what is wrong with a body.
type harm struct {
	rest    []byte   // the body without what is lost; nil for all of it
	unit    bool     // something is lost
	pointer string   // of the wrong value, or of what is around it
	about   []string // what is lost of the ordinals feed is about these subjects
}

func newDamage(random *rand.Rand) Scene { return &damage{random: random, known: harms{}} }

// Quarantines implements Scene.
func (s *damage) Quarantines() bool { return true }

func (s *damage) Begin(w *World, h *History) {
	posts := slices.Clone(h.Senders[0].Posts)
	copies := s.random.IntN(2) == 0
	var second []replay.Post
	for i, post := range posts {
		if s.random.IntN(5) > 0 {
			continue
		}
		// With damaged copies besides, or if nothing about the chain is lost, the state is that of the model. A copy of which nothing is
		// lost would count, even one of a Bitcoin block that nobody follows any more.
		about := post.Path == "/new_block" || post.Path == "/new_burn_block"
		damaged, ok := s.hurt(post)
		if !ok {
			continue
		}
		w.Script.Count("damaged events")
		lost := about && s.known[key(damaged.Path, damaged.Body)].unit
		if copies && lost {
			second = append(second, damaged)
			continue
		}
		posts[i] = damaged
		h.Unknown = h.Unknown || lost
	}
	h.Senders[0].Posts = posts
	if len(second) > 0 {
		sender := h.send(w, second, s.random.IntN(2) == 0)
		for range second { // an intact one has come, or comes: a damaged copy changes nothing either way
			sender.after = append(sender.after, s.random.IntN(len(posts)))
		}
		slices.Sort(sender.after)
	}
}

func key(path string, body []byte) string { return path + " " + string(body) }

// hurt damages a post. It reports false for one that it leaves as it is.
func (s *damage) hurt(post replay.Post) (replay.Post, bool) {
	value, err := decoded(post.Body)
	if err != nil {
		return post, false
	}
	var harmed harm
	var body []byte
	object, isObject := value.(map[string]any)
	list, pointer := s.list(post.Path, value)
	switch what := s.random.IntN(10); {
	case !slices.Contains([]string{"/new_block", "/new_burn_block", "/new_microblocks", "/new_mempool_tx", "/drop_mempool_tx", "/attachments/new"}, post.Path):
		return post, false
	case what == 0:
		body, harmed = post.Body[:0], harm{unit: true}
	case what == 1:
		body, harmed = post.Body[:s.random.IntN(len(post.Body))], harm{unit: true} // the pointer is wherever the text ends
	case what == 2:
		body, harmed = append(bytes.Clone(post.Body), "{}"...), harm{unit: true}
	case what == 3 && isObject: // what nobody reads, and what is no UTF-8, or is there twice
		body = append([]byte(`{"of_tomorrow":[{"a":"`+"\xff\xc0"+`"},1e999],"of_tomorrow":null,`), bytes.TrimSpace(post.Body)[1:]...)
		harmed = harm{rest: post.Body}
	case what < 7 && post.Path == "/drop_mempool_tx": // a reason of a later version is as good as any
		object["reason"] = "Because"
		body = encoded(value)
		harmed = harm{rest: body}
	case what < 6 && post.Path == "/new_block":
		if pointer = s.twice(object); pointer == "" {
			return post, false
		}
		body, harmed = encoded(value), harm{unit: true, pointer: pointer}
	case list != nil && len(*list) > 0: // each stands for itself
		i := s.random.IntN(len(*list))
		left := slices.Delete(slices.Clone(*list), i, i+1)
		old := (*list)[i]
		pointer = fmt.Sprintf("%s/%d", pointer, i)
		if member, ok := old.(map[string]any); ok {
			name := []string{"attachment_index", "contract_id", "index_block_hash", "tx_id"}[s.random.IntN(4)]
			s.spoil(member, name)
			pointer += "/" + name
		} else {
			(*list)[i] = s.wrong()
		}
		body, harmed = encoded(value), harm{unit: true, pointer: pointer}
		*list = left
		harmed.rest = encoded(whole(post.Path, value, left))
	case isObject:
		names := map[string][]string{
			"/new_block":       {"index_block_hash", "block_hash", "parent_index_block_hash", "block_height", "burn_block_hash", "burn_block_height"},
			"/new_burn_block":  {"burn_block_hash", "burn_block_height"},
			"/new_microblocks": {"parent_index_block_hash"},
			"/drop_mempool_tx": {"dropped_txids"},
		}[post.Path]
		name := names[s.random.IntN(len(names))]
		pointer = "/" + name
		transactions, _ := object["transactions"].([]any)
		if len(transactions) > 0 && s.random.IntN(2) == 0 {
			i := s.random.IntN(len(transactions))
			object, name = transactions[i].(map[string]any), []string{"txid", "status"}[s.random.IntN(2)]
			pointer = fmt.Sprintf("/transactions/%d/%s", i, name)
		}
		s.spoil(object, name)
		body, harmed = encoded(value), harm{unit: true, pointer: pointer}
	default:
		return post, false
	}
	s.known[key(post.Path, body)] = harmed
	return replay.Post{Path: post.Path, Body: body}, true
}

// list returns the list of an event whose elements stand for themselves; nil for others.
func (s *damage) list(path string, value any) (list *[]any, pointer string) {
	switch path {
	case "/new_mempool_tx", "/attachments/new":
		if all, ok := value.([]any); ok {
			return &all, ""
		}
	case "/drop_mempool_tx":
		if object, ok := value.(map[string]any); ok {
			if all, ok := object["dropped_txids"].([]any); ok {
				return &all, "/dropped_txids"
			}
		}
	}
	return nil, ""
}

// whole returns the value of an event with another list.
func whole(path string, value any, list []any) any {
	if path == "/drop_mempool_tx" {
		value.(map[string]any)["dropped_txids"] = list
		return value
	}
	return list
}

// twice repeats a transaction that somebody signed, or an event that counts, in a block. It returns where; empty if there is none.
func (s *damage) twice(block map[string]any) (pointer string) {
	transactions, _ := block["transactions"].([]any)
	succeeded := map[any]bool{}
	for _, tx := range transactions {
		member := tx.(map[string]any)
		succeeded[member["txid"]] = member["status"] == "success"
	}
	name, member := "transactions", "txid"
	fits := func(tx map[string]any) bool { // boot transactions are of an address of zeros
		raw, _ := tx["raw_tx"].(string)
		return len(raw) > 56 && strings.Trim(raw[16:56], "0") != ""
	}
	if s.random.IntN(2) == 0 {
		name, member = "events", "event_index"
		fits = func(event map[string]any) bool { return event["committed"] == true && succeeded[event["txid"]] }
	}
	all, _ := block[name].([]any)
	repeatable := slices.DeleteFunc(slices.Clone(all), func(of any) bool { return !fits(of.(map[string]any)) })
	if len(repeatable) == 0 {
		return ""
	}
	block[name] = append(all, repeatable[s.random.IntN(len(repeatable))])
	return fmt.Sprintf("/%s/%d/%s", name, len(all), member)
}

// spoil makes a required member wrong: a hash, a number, or a text.
func (s *damage) spoil(object map[string]any, name string) {
	old, _ := object[name].(string)
	switch what := s.random.IntN(5); {
	case what == 0:
		delete(object, name)
	case what == 1:
		object[name] = nil
	case what == 2 || old == "":
		object[name] = map[string]any{"of": "another type"}
	case what == 3 && strings.HasPrefix(old, "0x"):
		object[name] = old + "00"
	case what == 4 && strings.HasPrefix(old, "0x"):
		object[name] = old[:len(old)-1] + "g"
	default:
		object[name] = json.Number("1" + strings.Repeat("0", 30))
	}
}

// wrong returns what is neither a transaction nor the id of one.
func (s *damage) wrong() any {
	return []any{nil, json.Number("17"), true, []any{"0x00"}, map[string]any{}, "0x8080", "0x808080000", "zz", "", "0x" + strings.Repeat("00", 33)}[s.random.IntN(10)]
}

func decoded(body []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// apart are columns that say how long an event is, and where in it something is: they differ once a unit is cut out.
var apart = []string{"pointer", "size", "block_size", "body_size"}

func (s *damage) Judge(j *judge) { j.dropped(s.known.judge(j, "chain", apart...)) }

// judge checks that what is lost is in quarantine of a projection, nothing else is, and the tables are those of the log without it,
// which it returns.
func (h harms) judge(j *judge, of string, without ...string) (rest []eventstore.Event) {
	want := map[int64]string{} // pointers, by event
	for _, e := range j.readLog() {
		if harmed, ok := h[key(e.Path, e.Body)]; ok {
			if e.Body = harmed.rest; harmed.rest == nil {
				e.Path = "/lost"
			}
			if e.Size = int64(len(e.Body)); harmed.unit {
				want[e.Seq] = harmed.pointer
			}
		}
		rest = append(rest, e)
	}
	for _, q := range rig.Rows[quarantined](j, j.pool, `SELECT name, seq, pointer FROM strata.quarantine`) {
		if at, ok := want[q.Seq]; !ok || q.Name != of || !strings.HasPrefix(q.Pointer+"/", at+"/") {
			j.wrong("quarantined by %s, though nothing is wrong there: event %d at %s", q.Name, q.Seq, q.Pointer)
		}
		delete(want, q.Seq)
	}
	for seq, at := range want {
		j.wrong("not in quarantine: event %d at %s", seq, at)
	}
	tx := j.begin()
	defer replay.End(j.TB, tx)
	if err := fold(context.Background(), tx, rest); err != nil {
		j.wrong("the log without what is damaged can't be folded: %v", err)
		return rest
	}
	specs := specs()
	got, clean := j.dump(j.pool, specs, without...), j.dump(tx, specs, without...)
	for table := range got {
		if strings.HasSuffix(table, ".unknown_field") {
			delete(got, table)
			delete(clean, table)
		}
	}
	j.compare("the log without what is damaged", clean, got)
	return rest
}

// quarantined is what a projection could not read.
type quarantined struct {
	Name, Pointer string
	Seq           int64
}

// dropped checks that a transaction that no block has waits no more once a node has dropped it, whatever its reason was.
func (j *judge) dropped(events []eventstore.Event) {
	gone := map[string]bool{} // by transaction
	var mined []string
	for _, e := range events {
		var announced []string
		var other struct {
			Dropped      []string `json:"dropped_txids"`
			Transactions []struct{ TxID string }
		}
		switch e.Path {
		case "/new_mempool_tx":
			_ = json.Unmarshal(e.Body, &announced)
		case "/drop_mempool_tx", "/new_block":
			_ = json.Unmarshal(e.Body, &other)
		}
		for _, raw := range announced {
			serialised, _ := hex.DecodeString(strings.TrimPrefix(raw, "0x"))
			delete(gone, fmt.Sprintf("0x%x", sha512.Sum512_256(serialised)))
		}
		for _, id := range other.Dropped {
			gone[id] = true
		}
		for _, tx := range other.Transactions {
			mined = append(mined, tx.TxID)
		}
	}
	for _, id := range replay.Texts(j, j.pool, schemas.In(`SELECT '0x' || encode(txid, 'hex') FROM {mempool}.transaction WHERE status = 'pending'`)) {
		if gone[id] && !slices.Contains(mined, id) {
			j.wrong("%s waits in the mempool, though it was dropped", id)
		}
	}
}
