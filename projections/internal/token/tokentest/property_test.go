package tokentest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/foldtest"
)

func raw(text []byte) json.RawMessage { return text }

// signed is a transaction of alice, signed once for all tests.
var signed = alice.Did().Raw

// history generates random blocks and records, and folds each step at once.
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

// event generates an event of a contract, or of one that was not deployed.
func (h *history) event() body.Event {
	contract := pick(h, "contract", slices.Sorted(maps.Keys(deployables)))
	id := uint64(h.one("id", 5))
	switch h.one("event", 7) {
	case 0, 1:
		return mintNFT(contract, id)
	case 2:
		return printSFT(contract, "sft_mint", value.Uint(id), 5)
	case 3:
		return printSFT(contract, "sft_burn", value.Uint(id), 5)
	case 4:
		return pick(h, "supply", []func(string) body.Event{mintFT, burnFT})(contract)
	}
	parts := []any{"update-mode", value.Text(pick(h, "mode", []string{"standard", "dynamic", "dynamic", "frozen", "never"}))}
	if h.one("ttl", 2) == 0 {
		parts = append(parts, "ttl", value.Uint(600))
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
	if h.one("comes back", 4) == 0 { // the old branch comes back after a record
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

// outsideWorld folds a random report or refresh request.
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
	if what == 2 {
		h.rest(pick(h, "contract", slices.Sorted(maps.Keys(deployables))), time.Duration(1+h.one("hours", 48))*time.Hour)
		return
	}
	_, wants := h.wants(pick(h, "kind", kinds))
	names := slices.Sorted(maps.Keys(wants))
	var want fetch.Want
	switch {
	case what == 1 && len(h.answered) > 0: // a second, late report
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
	if _, problem := r.ResourceBody(); problem == nil && want.Kind != fetch.ContractInterface && h.one("unchanged", 3) == 0 {
		unchanged(r, seqOf(want)+1)
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

// take folds a report. The number of its event depends only on the want, so that it is the same in another history.
func (w *world) take(r *fetch.Report) {
	w.t.Helper()
	seq := w.seq
	w.seq = seqOf(r.Want)
	w.record(r)
	w.seq = seq
}

// seqOf returns the number before that of the event of a want's report.
func seqOf(want fetch.Want) int64 { return 1_000_000 + int64(draw(1<<40, want.Key())) }

// finish answers all open wants.
func (h *history) finish() {
	// Wants for a supply alone come first, because a read of all properties includes the supply.
	for _, verb := range []string{"interface ", "supply ", ""} {
		if verb == "" && !h.oracle.steady {
			for _, contract := range slices.Sorted(maps.Keys(deployables)) {
				h.refresh(contract, "")
			}
		}
		for _, kind := range kinds {
			requested := map[string]bool{}
			for idle := false; !idle; {
				idle = true
				names, wants := h.wants(kind)
				for _, name := range names {
					s := wants[name]
					// A dynamic token's want stays open after its answer, so each is answered at most once here.
					clock := s.want.Kind == fetch.ContractRead && s.priority == 4
					if !strings.HasPrefix(name, verb) || requested[name] && (s.attempts+s.waits > 0 || clock || verb != "") {
						continue
					}
					idle, requested[name] = false, true
					h.take(h.reportOf(s.want, h.tip(), "end"))
				}
			}
		}
	}
}

// compared returns, by table, the SQL that removes the columns in which two histories may differ at their end.
func (o oracle) compared() map[string]string {
	without := func(columns ...string) string { return " - ARRAY['" + strings.Join(columns, "','") + "']" }
	// A read of the last token id creates tokens. At which block depends on the time of the read.
	counted := `CASE WHEN token_id BETWEEN 1 AND (SELECT last_token_id FROM {schema}.contract c WHERE c.contract_id = x.contract_id)
		THEN ARRAY['height','source_seq'] ELSE ARRAY[]::text[] END`
	// A data document has the time of the first report that led to it.
	inURI := ` - CASE WHEN uri LIKE 'data:%' THEN ARRAY['source_seq','fetched_at','failed_seq'] ELSE ARRAY[]::text[] END`
	columns := map[string]string{
		"block": "", "contract": "", "unrecognised": "", "token": without("checked_seq", "in_vain") + " - " + counted,
		"document": without("checked_seq", "in_vain") + inURI, "image": without("checked_seq", "in_vain"), "reference": "", "notification": "",
		// The times and the numbers of attempts depend on the history.
		// So does which of several contracts was the first to want a document.
		"want":    without("wanted_by", "source_seq", "due_at", "min_height", "attempts", "waits", "priority"),
		"counter": "",
	}
	if o.steady { // finish reads nothing again, so rows may come from any block and report
		columns["contract"] += without("read_height", "read_seq", "read_at", "failed_seq")
		columns["token"] += without("read_height", "read_seq", "read_at", "failed_seq", "supply_seq")
	}
	return columns
}

// outcome returns the rows that must be equal for two histories with the same canonical blocks and the same final
// answers.
func (h *history) outcome(kind token.Kind) (rows []string) {
	for _, table := range dumped {
		if table == "rest" {
			continue // only one of the histories has rests
		}
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

// checkCounters compares the counters with the numbers of rows.
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

// TestHistories generates histories with reorganisations, and with records that come late, fail, or are of reverted
// blocks. When all wants have been answered at the end, it checks these properties:
//
//   - the rows equal those of a history of the canonical blocks alone with the same answers;
//   - all rows are the same however the steps are split into batches, and however often the projection forgets its state;
//   - counters and stretches count the right numbers of rows.
func TestHistories(t *testing.T) {
	t.Parallel()
	pool := sideBySide.lend(t)
	rapid.Check(t, func(rt *rapid.T) {
		tx := must.Get(pool.Begin(t.Context()))(t)
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
			foldtest.Compare(rt, "history, and canonical blocks alone: "+string(kind), live.outcome(kind), alone.outcome(kind))
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
				foldtest.Compare(rt, fmt.Sprintf("folded again, forgetting %t: %s", w.forgetful, kind), w.dump(kind), live.dump(kind))
			}
			w.checkLists("at the end")
		}
		live.checkCounters("at the end")
		live.checkLists("at the end")
	})
}
