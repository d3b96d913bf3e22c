package token_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections"
	"strata/projections/internal/body"
)

func raw(text []byte) json.RawMessage { return text }

// signed is a transaction of alice, made once.
var signed = alice.Did().Raw

// history makes up blocks and what comes from outside, for a world that folds each step as it comes.
type history struct {
	*world
	rt       *rapid.T
	oracle   oracle
	steps    []projections.Step
	deployed map[string][]string // by block
	orphans  []*fetch.Tip
	branch   int
	answered []fetch.Want
}

func (h *history) one(what string, choices int) int {
	return rapid.IntRange(0, choices-1).Draw(h.rt, what)
}

func pick[T any](h *history, what string, list []T) T { return list[h.one(what, len(list))] }

// event is something that a contract does, or that happens to one that is not there.
func (h *history) event() body.Event {
	contract := pick(h, "contract", slices.Sorted(maps.Keys(deployables)))
	id := uint64(h.one("id", 5))
	switch h.one("event", 7) {
	case 0, 1:
		return mintNFT(contract, id)
	case 2:
		return printSFT(contract, "sft_mint", number(id), 5)
	case 3:
		return printSFT(contract, "sft_burn", number(id), 5)
	case 4:
		return pick(h, "supply", []func(string) body.Event{mintFT, burnFT})(contract)
	}
	parts := []any{"update-mode", ascii(pick(h, "mode", []string{"standard", "dynamic", "dynamic", "frozen", "never"}))}
	if h.one("ttl", 2) == 0 {
		parts = append(parts, "ttl", number(600))
	}
	if h.one("single", 3) > 0 {
		parts = append(parts, "token-ids", ids(id, uint64(h.one("another id", 5))))
	}
	return announce(contract, pick(h, "class", []string{"nft", "nft", "sft", "ft"}), parts...)
}

func (h *history) block() {
	there := map[string]bool{}
	for _, name := range h.chain {
		for _, contract := range h.deployed[name] {
			there[contract] = true
		}
	}
	var transactions []body.Transaction
	var deploys []string
	for range h.one("transactions", 4) {
		tx := body.Transaction{Raw: signed}
		if contract := pick(h, "deploy", slices.Sorted(maps.Keys(deployables))); len(h.chain) < 3 || h.one("deploys", 3) == 0 {
			if there[contract] {
				continue
			}
			d := deployables[contract]
			there[contract], deploys = true, append(deploys, contract)
			tx = body.Transaction{Raw: d.raw, Members: map[string]any{"contract_interface": d.event}}
		}
		for range h.one("events", 4) {
			tx.Events = append(tx.Events, h.event())
		}
		transactions = append(transactions, tx)
	}
	b := h.on(strings.Repeat("x", h.branch+1), len(h.chain), transactions...)
	h.deployed[b.Name] = deploys
	h.apply(b)
}

func (h *history) reorganise() {
	depth := min(1+h.one("depth", 3), len(h.chain))
	old := slices.Clone(h.chain[len(h.chain)-depth:])
	h.orphans = append(h.orphans, h.tip())
	h.revert(depth)
	if h.one("comes back", 4) == 0 { // after a moment without it
		h.outsideWorld()
		for _, name := range old {
			h.again(name)
		}
		return
	}
	h.branch++
	for range depth {
		h.block()
	}
	h.block()
}

// outsideWorld is a report or a wish.
func (h *history) outsideWorld() {
	if len(h.chain) == 0 {
		return
	}
	what := h.one("record", 10)
	if what == 0 {
		id := pick(h, "which", []string{"", "1", "2"})
		h.refresh(pick(h, "contract", slices.Sorted(maps.Keys(deployables))), id)
		return
	}
	_, wants := h.wants(pick(h, "kind", kinds))
	names := slices.Sorted(maps.Keys(wants))
	var want fetch.Want
	switch {
	case what == 1 && len(h.answered) > 0: // late
		want = pick(h, "late", h.answered)
	case len(names) == 0:
		return
	default:
		want = wants[pick(h, "want", names)].want
	}
	tip := h.tip()
	switch h.one("tip", 6) {
	case 0:
		tip = h.tipAt(1 + h.one("height", len(h.chain)))
	case 1:
		if len(h.orphans) > 0 {
			tip = pick(h, "orphan", h.orphans)
		}
	}
	r := h.reportOf(want, tip, fmt.Sprint("era ", h.one("era", 2)))
	if h.one("fails", 4) == 0 {
		bad := pick(h, "failure", []fetch.Exchange{down, status(500), status(404), status(429), has("nonsense")})
		for i := range r.Exchanges {
			bad.Call = r.Exchanges[i].Call
			r.Exchanges[i], r.Image = bad, nil
		}
	}
	h.answered = append(h.answered, want)
	h.take(r)
}

func (h *history) reportOf(want fetch.Want, tip *fetch.Tip, era string) *fetch.Report {
	at := tip
	if want.Kind != fetch.ContractRead {
		at = nil
	}
	return h.oracle.outside(want, at, era).report(want, tip, h.now)
}

// take folds a report. The event in which it stands has a number that is made from what it is about, so that the same
// report has the same one in another history.
func (w *world) take(r *fetch.Report) {
	w.t.Helper()
	seq := w.seq
	w.seq = 1_000_000 + int64(draw(1<<40, r.Want.Key()))
	w.record(r)
	w.seq = seq
}

// finish answers all that is wanted.
func (h *history) finish() {
	// What is wanted of a supply alone comes first: who reads all has it anew.
	for _, verb := range []string{"interface ", "supply ", ""} {
		if verb == "" && !h.oracle.steady {
			for _, contract := range slices.Sorted(maps.Keys(deployables)) {
				h.refresh(contract, "")
			}
		}
		for _, kind := range kinds {
			asked := map[string]bool{}
			for idle := false; !idle; {
				idle = true
				names, wants := h.wants(kind)
				for _, name := range names {
					s := wants[name]
					// A contract that is asked by the clock was asked already, unless that is from before.
					clock := s.want.Kind == fetch.ContractRead && s.priority == 4
					if !strings.HasPrefix(name, verb) || asked[name] && (s.attempts+s.waits > 0 || clock || verb != "") {
						continue
					}
					idle, asked[name] = false, true
					h.take(h.reportOf(s.want, h.tip(), "end"))
				}
			}
		}
	}
}

// compared are the columns that two histories have in common at their end, by table.
func (o oracle) compared() map[string]string {
	without := func(columns ...string) string { return " - ARRAY['" + strings.Join(columns, "','") + "']" }
	// What counts tokens makes known those that are not known yet. At which block depends on when it is asked.
	counted := `CASE WHEN token_id BETWEEN 1 AND (SELECT last_token_id FROM {schema}.contract c WHERE c.contract_id = x.contract_id)
		THEN ARRAY['height','source_seq'] ELSE ARRAY[]::text[] END`
	// A document in its URI is as old as the first report that led to it.
	inURI := ` - CASE WHEN uri LIKE 'data:%' THEN ARRAY['source_seq','fetched_at','failed_seq'] ELSE ARRAY[]::text[] END`
	columns := map[string]string{
		"block": "", "contract": "", "unrecognised": "", "token": " - " + counted, "document": inURI, "image": "", "reference": "", "notification": "",
		// When something is tried again, and how often it was tried, is of the history.
		"want":    without("source_seq", "due_at", "min_height", "attempts", "waits", "priority"),
		"counter": "",
	}
	if o.steady { // nothing is read again at the end, so that what is known may be of any block and report
		columns["contract"] += without("read_height", "read_seq", "read_at", "failed_seq")
		columns["token"] += without("read_height", "read_seq", "read_at", "failed_seq", "supply_seq")
	}
	return columns
}

// outcome is all that two histories with the same canonical blocks and the same answers at the end have in common.
func (h *history) outcome(kind token.Kind) (rows []string) {
	for _, table := range dumped {
		columns := h.oracle.compared()[table]
		where := ""
		if table == "counter" {
			where = " WHERE n <> 0"
		}
		for _, row := range h.rows(kind, `SELECT (to_jsonb(x)`+columns+`)::text FROM {schema}.`+table+` x`+where+` ORDER BY 1`) {
			rows = append(rows, table+" "+row)
		}
	}
	return rows
}

// checkCounters compares what is counted with what is there.
func (w *world) checkCounters(what string) {
	w.t.Helper()
	for _, kind := range kinds {
		w.check(what+": counters of "+string(kind), kind, `
			WITH counted AS (
				SELECT 'contracts' AS name, count(*) AS n FROM {schema}.contract
				UNION ALL SELECT 'tokens', count(*) FROM {schema}.token
				UNION ALL SELECT 'pending', count(*) FROM {schema}.want WHERE attempts = 0
				UNION ALL SELECT 'failed', count(*) FROM {schema}.want WHERE attempts > 0 AND severity < 2
				UNION ALL SELECT 'invalid', count(*) FROM {schema}.want WHERE attempts > 0 AND severity = 2
			)
			(SELECT name || ' ' || n FROM {schema}.counter WHERE n <> 0 EXCEPT SELECT name || ' ' || n FROM counted WHERE n <> 0)
			UNION ALL (SELECT name || ' ' || n FROM counted WHERE n <> 0 EXCEPT SELECT name || ' ' || n FROM {schema}.counter WHERE n <> 0)`)
	}
}

// TestHistories makes up histories with reorganisations, and with records that come late, fail, or are of blocks that
// are gone, and checks at their end, when all that is wanted was answered:
//
//   - the rows are those of the canonical blocks alone with the same answers;
//   - however the steps are cut into batches, and however often the projection forgets, all rows are the same;
//   - counters count, and stretches cut the lists into ranges that they count.
func TestHistories(t *testing.T) {
	t.Parallel()
	pool := sideBySide.lend(t)
	rapid.Check(t, func(rt *rapid.T) {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		o := oracle{steady: rapid.Bool().Draw(rt, "steady")}
		start := func(version int) *history {
			w := newWorld(rt, tx, version)
			return &history{world: w, rt: rt, oracle: o, deployed: map[string][]string{}}
		}

		live := start(1)
		live.folded = func(steps []projections.Step) { live.steps = append(live.steps, steps...) }
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			switch n := live.one("step", 12); {
			case n < 4 || len(live.chain) < 2:
				live.block()
			case n == 4:
				live.reorganise()
			default:
				live.outsideWorld()
			}
		}
		live.checkCounters("live")
		live.checkLists("live")
		middle := len(live.steps)
		live.finish()

		alone := start(2)
		alone.chain = slices.Clone(live.chain)
		alone.blocks = live.blocks
		var canonical []projections.Step
		for _, name := range live.chain {
			canonical = append(canonical, live.blocks[name])
		}
		alone.fold(canonical...)
		alone.finish()
		for _, kind := range kinds {
			compare(rt, "history, and canonical blocks alone: "+string(kind), live.outcome(kind), alone.outcome(kind))
		}

		batches, forgetful := start(3), start(4)
		forgetful.forgetful = true
		for _, w := range []*history{batches, forgetful} {
			rest := slices.Clone(live.steps)
			for done := 0; done < len(rest); {
				size := 1
				if w == batches {
					size = min(1+w.one("size", 12), len(rest)-done)
				}
				w.fold(rest[done : done+size]...)
				if done += size; done >= middle && done-size < middle {
					w.checkLists("folded again")
				}
			}
			for _, kind := range kinds {
				compare(rt, fmt.Sprintf("folded again, forgetting %t: %s", w.forgetful, kind), w.dump(kind), live.dump(kind))
			}
			w.checkLists("at the end")
		}
		live.checkCounters("at the end")
		live.checkLists("at the end")
	})
}
