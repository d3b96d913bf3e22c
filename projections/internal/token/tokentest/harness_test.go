package tokentest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections"
	tables "strata/projections/internal/token"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

var kinds = []token.Kind{token.FT, token.SFT, token.NFT}

// versions is the number of versions that a test may fold side by side in one transaction.
const versions = 4

func specs(versions int) (all []projections.Spec) {
	for _, kind := range kinds {
		for version := range versions {
			all = append(all, tables.Spec(kind, version+1))
		}
	}
	return all
}

// world folds hand-made blocks and records into the projections of all kinds, in one transaction that is never
// committed.
type world struct {
	t           replay.TB
	tx          pgx.Tx
	projections []*tables.Projection
	outside     *outside
	now         time.Time // when reports are finished
	chain       []string  // names of the canonical blocks
	blocks      map[string]projections.Step
	seq, step   int64
	// forgetful makes the projections forget their state after each step.
	forgetful bool
	// folded, if set, gets all steps before they are folded; after is called afterwards.
	folded func(steps []projections.Step)
	after  func()
	// touched holds what the last fold of a single step touched, by kind.
	touched map[token.Kind]*projections.Touched
}

func newWorld(t replay.TB, tx pgx.Tx, version int) *world {
	w := &world{
		t: t, tx: tx, outside: newOutside(), now: time.Unix(1_800_000_000, 0).UTC(),
		blocks: map[string]projections.Step{}, touched: map[token.Kind]*projections.Touched{},
	}
	for _, kind := range kinds {
		w.projections = append(w.projections, tables.New(kind, version, nil))
	}
	return w
}

// worlds runs a test in two worlds, of which one is forgetful.
func worlds(t *testing.T, f func(t *testing.T, w *world)) {
	t.Parallel()
	pool := databases.lend(t)
	for _, forgetful := range []bool{false, true} { // not in parallel, because they share the tables
		t.Run(fmt.Sprintf("restarted=%t", forgetful), func(t *testing.T) {
			w := newWorld(t, replay.Begin(t, pool), 1)
			w.forgetful = forgetful
			f(t, w)
		})
	}
}

// each runs tests in two worlds each.
func each(t *testing.T, tests map[string]func(w *world)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			worlds(t, func(_ *testing.T, w *world) { test(w) })
		})
	}
}

// mine applies a new block with these transactions.
func (w *world) mine(transactions ...body.Transaction) {
	w.t.Helper()
	w.apply(w.next(transactions...))
}

// next returns a block on top of the newest one.
func (w *world) next(transactions ...body.Transaction) body.Block {
	return w.on("a", len(w.chain), transactions...)
}

// on returns the block of a branch above a height. Its parent is the canonical block at that height or, if there is
// none, the branch's own.
func (w *world) on(branch string, height int, transactions ...body.Transaction) body.Block {
	b := body.Block{Name: fmt.Sprintf("%s%d", branch, height+1), Burn: fmt.Sprintf("%da", 101+height), Parent: body.Genesis, Transactions: transactions,
		Members: map[string]any{"block_time": w.now.Unix()}}
	switch {
	case height > len(w.chain):
		b.Parent = fmt.Sprintf("%s%d", branch, height)
	case height > 0:
		b.Parent = w.chain[height-1]
	}
	return b
}

// apply folds blocks.
func (w *world) apply(blocks ...body.Block) {
	w.t.Helper()
	var steps []projections.Step
	for _, b := range blocks {
		w.seq++
		step := foldtest.BlockStep(w.t, w.seq, b)
		w.blocks[b.Name] = step
		steps = append(steps, step)
		w.chain = append(w.chain, b.Name)
	}
	w.fold(steps...)
}

// revert reverts the newest blocks.
func (w *world) revert(n int) {
	w.t.Helper()
	for range n {
		step := w.blocks[w.chain[len(w.chain)-1]]
		step.Kind, step.Block = projections.Revert, nil
		w.chain = w.chain[:len(w.chain)-1]
		w.fold(step)
	}
}

// again applies a reverted block once more, because of a later event.
func (w *world) again(name string) {
	w.t.Helper()
	w.chain = append(w.chain, name)
	w.seq++
	step := w.blocks[name]
	step.SourceSeq = w.seq
	w.fold(step)
}

// record folds a report or a refresh request.
func (w *world) record(r projections.Record) {
	w.t.Helper()
	w.seq++
	step := projections.Step{Kind: projections.TakeRecord, Height: -1, BlockSeq: w.seq, SourceSeq: w.seq, Record: r}
	if tip := w.tip(); tip != nil {
		step.Height, step.IndexBlockHash = tip.Height, tip.IndexBlockHash
	}
	w.fold(step)
}

// tip returns the newest block; nil if there is none.
func (w *world) tip() *fetch.Tip {
	if len(w.chain) == 0 {
		return nil
	}
	return w.tipAt(len(w.chain))
}

// tipAt returns the canonical block at a height.
func (w *world) tipAt(height int) *fetch.Tip {
	step := w.blocks[w.chain[height-1]]
	return &fetch.Tip{Height: step.Height, IndexBlockHash: step.IndexBlockHash}
}

func (w *world) refresh(contract, id string) {
	w.t.Helper()
	w.record(&fetch.Refresh{Contract: contract, TokenID: id, RequestedAt: w.now})
}

// rest lets a contract rest from now on.
func (w *world) rest(contract string, length time.Duration) {
	w.t.Helper()
	w.record(&fetch.Rest{Contract: contract, DecidedAt: w.now, Until: w.now.Add(length)})
}

// later lets so much time go by that a notification counts at once.
func (w *world) later() { w.now = w.now.Add(time.Hour) }

// unchanged makes a report say that it brought what the report at an event did.
func unchanged(r *fetch.Report, seq int64) {
	last, _ := r.Last()
	r.Exchanges = []fetch.Exchange{{Gateway: last.Gateway, Status: last.Status, Unchanged: &fetch.Unchanged{Seq: seq}}}
	r.Image = nil
}

// fold folds steps into all kinds, in one batch unless the world is forgetful.
func (w *world) fold(steps ...projections.Step) {
	w.t.Helper()
	for i := range steps {
		steps[i].Number = w.step + int64(i) + 1
	}
	if w.folded != nil {
		w.folded(slices.Clone(steps))
	}
	size := len(steps)
	if w.forgetful {
		size = 1
	}
	for chunk := range slices.Chunk(steps, size) {
		for i, projection := range w.projections {
			outcome, err := projection.Fold(context.Background(), w.tx, w.step, chunk)
			if err != nil {
				w.t.Fatalf("%s: %v", kinds[i], err)
			}
			w.touched[kinds[i]] = outcome.Touched
			if w.forgetful {
				projection.Forget()
			}
		}
		w.step += int64(len(chunk))
	}
	if w.after != nil {
		w.after()
	}
}

// rows returns the rows of a query with one text column, in the schema of a kind.
func (w *world) rows(kind token.Kind, query string, args ...any) []string {
	w.t.Helper()
	return replay.Texts(w.t, w.tx, w.projection(kind).Spec().SQL(query), args...)
}

func (w *world) projection(kind token.Kind) *tables.Projection {
	return w.projections[slices.Index(kinds, kind)]
}

// check compares the rows of a query with what is expected.
func (w *world) check(what string, kind token.Kind, query string, want ...string) {
	w.t.Helper()
	foldtest.Compare(w.t, what, w.rows(kind, query), want)
}

// openWant is a row of table want.
type openWant struct {
	want                       fetch.Want
	due                        time.Time
	attempts, waits            int
	priority, severity, reason int
	minHeight                  *int64
	sourceSeq                  int64
}

// wants returns the open wants of a kind by their names, and the names in order.
func (w *world) wants(kind token.Kind) (names []string, rows map[string]openWant) {
	w.t.Helper()
	found, err := w.tx.Query(context.Background(), w.projection(kind).Spec().SQL(`
		SELECT want, due_at, attempts, waits, priority, severity, reason, min_height, source_seq FROM {schema}.want`))
	if err != nil {
		w.t.Fatal(err)
	}
	rows = map[string]openWant{}
	var s openWant
	var text string
	if _, err := pgx.ForEachRow(found, []any{&text, &s.due, &s.attempts, &s.waits, &s.priority, &s.severity, &s.reason, &s.minHeight, &s.sourceSeq}, func() error {
		s.want = fetch.Want{}
		if err := json.Unmarshal([]byte(text), &s.want); err != nil {
			return err
		}
		name := about(s.want)
		names = append(names, name)
		rows[name] = s
		return s.want.Validate()
	}); err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(names)
	return names, rows
}

// checkWants compares the names of the open wants with what is expected.
func (w *world) checkWants(what string, kind token.Kind, want ...string) {
	w.t.Helper()
	names, _ := w.wants(kind)
	foldtest.Compare(w.t, "wants "+what, names, want)
}

// openWant returns the open want with a name.
func (w *world) openWant(kind token.Kind, name string) openWant {
	w.t.Helper()
	names, rows := w.wants(kind)
	s, ok := rows[name]
	if !ok {
		w.t.Fatalf("%s: no open want %s, only\n%s", kind, name, strings.Join(names, "\n"))
	}
	return s
}

// about names a want: "read punks 4", "supply usdc", "last punks", "interface usdc", "document URI", "image URI".
func about(want fetch.Want) string {
	_, name, _ := strings.Cut(want.Contract, ".")
	switch want.Kind {
	case fetch.ContractInterface:
		return "interface " + name
	case fetch.ContractRead:
	default:
		return string(want.Kind) + " " + want.URI
	}
	verb := "read"
	if len(want.Calls) == 1 {
		switch want.Calls[0].Function {
		case "get-last-token-id":
			verb = "last"
		case "get-total-supply":
			verb = "supply"
		}
	}
	name = verb + " " + name
	if id := token.IDOf(want.Calls); id != nil {
		name += " " + id.String()
	}
	return name
}

func itoa(n int) string { return strconv.Itoa(n) }

// dumped lists the tables whose rows do not depend on how steps are split into batches. Stretches do depend on it.
var dumped = []string{"block", "contract", "unrecognised", "token", "document", "image", "reference", "want", "rest", "notification", "counter"}

// dump returns all rows of a kind as JSON, in an order that does not depend on their positions on disk.
func (w *world) dump(kind token.Kind) (rows []string) {
	w.t.Helper()
	for _, table := range dumped {
		where := ""
		if table == "counter" {
			where = " WHERE n <> 0" // a count of 0 equals no row
		}
		for _, row := range w.rows(kind, `SELECT to_jsonb(x)::text FROM {schema}.`+table+` x`+where+` ORDER BY 1`) {
			rows = append(rows, table+" "+row)
		}
	}
	return rows
}
