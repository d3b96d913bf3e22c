package accounts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/transaction"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
)

// TestMain lowers the number of random histories, as each folds chain too.
func TestMain(m *testing.M) {
	replay.Histories(6)
	m.Run()
}

// databases makes databases with the tables of the projection and of chain.
var databases = replay.Tables("accounts", chain.Spec(), accounts.Spec())

const (
	alice   = body.Account("alice")
	bob     = body.Account("bob")
	carol   = body.Account("carol")
	sponsor = body.Account("sponsor")
)

// begin begins a database transaction that is never committed.
func begin(t testing.TB) pgx.Tx {
	t.Helper()
	tx, err := databases.New(t).Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// world folds handmade blocks in one database transaction.
type world struct {
	t          *testing.T
	tx         pgx.Tx
	projection *accounts.Accounts
	posts      []replay.Post
	blocks     map[string]projections.Step
	step       int64
	outcome    projections.Outcome // of the last fold
	// forgetful means that the projection reads everything from its tables again after each block.
	forgetful bool
}

func newWorld(t *testing.T, forgetful bool) *world {
	return &world{t: t, tx: begin(t), projection: accounts.New(), blocks: map[string]projections.Step{}, forgetful: forgetful}
}

// worlds runs a test in a world that keeps its state and in a forgetful one.
func worlds(t *testing.T, f func(t *testing.T, w *world)) {
	t.Parallel()
	for _, forgetful := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarted=%t", forgetful), func(t *testing.T) {
			t.Parallel()
			f(t, newWorld(t, forgetful))
		})
	}
}

// apply applies blocks, all in one batch unless the world is forgetful.
func (w *world) apply(blocks ...body.Block) {
	w.t.Helper()
	var steps []projections.Step
	for _, b := range blocks {
		steps = append(steps, w.announce(b))
	}
	w.fold(steps...)
}

// announce returns the step that applies a block.
func (w *world) announce(b body.Block) projections.Step {
	w.t.Helper()
	post := b.Post()
	w.posts = append(w.posts, post)
	seq := int64(len(w.posts))
	item := replay.Decode(w.t, []replay.Post{post})[0]
	if item.Err != nil {
		w.t.Fatal(item.Err)
	}
	item.Block.Seq = seq
	step := projections.Step{
		Kind: projections.Apply, Height: int64(item.Block.Height), IndexBlockHash: item.Block.IndexBlockHash,
		BlockSeq: seq, SourceSeq: seq, Block: item.Block,
	}
	w.blocks[b.Name] = step
	return step
}

// revert reverts blocks, the newest first.
func (w *world) revert(names ...string) {
	w.t.Helper()
	var steps []projections.Step
	for _, name := range names {
		step := w.blocks[name]
		step.Kind, step.Block = projections.Revert, nil
		steps = append(steps, step)
	}
	w.fold(steps...)
}

func (w *world) fold(steps ...projections.Step) {
	w.t.Helper()
	for i := range steps {
		steps[i].Number = w.step + int64(i) + 1
	}
	size := len(steps)
	if w.forgetful {
		size = 1
	}
	for chunk := range slices.Chunk(steps, size) {
		outcome, err := w.projection.Fold(w.t.Context(), w.tx, w.step, chunk)
		if err != nil {
			w.t.Fatal(err)
		}
		w.outcome = outcome
		w.step += int64(len(chunk))
		if w.forgetful {
			w.projection.Forget()
		}
	}
	check(w.t, w.tx)
}

// check runs the checks of the projection.
func check(t testing.TB, tx pgx.Tx) {
	t.Helper()
	for _, c := range accounts.New().Checks() {
		if wrong := violations(t, tx, c); len(wrong) > 0 {
			t.Errorf("check %q fails for %s", c.Name, wrong[0])
		}
	}
}

// violations returns up to three rows that violate a check.
func violations(t testing.TB, tx pgx.Tx, c projections.Check) []string {
	t.Helper()
	return replay.Texts(t, tx, `SELECT row_to_json(wrong)::text FROM (`+accounts.Spec().SQL(c.SQL)+`) wrong LIMIT 3`)
}

// want compares the rows of a query, which must have one text column, with the expected ones.
func (w *world) want(what, query string, want ...string) {
	w.t.Helper()
	if got := replay.Texts(w.t, w.tx, query); !slices.Equal(got, want) {
		w.t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// coinbase is a payload without any effect of its own.
var coinbase = &transaction.Coinbase{}

// block returns the block at a height of branch a.
func block(height int, transactions ...body.Transaction) body.Block {
	return body.Block{
		Name: fmt.Sprintf("a%d", height), Parent: fmt.Sprintf("a%d", height-1), Burn: fmt.Sprintf("%da", 100+height),
		Transactions: transactions,
	}
}

// did returns a transaction of the boot address, without fee and nonce, with these events.
func did(events ...body.Event) body.Transaction {
	return body.Transaction{Raw: body.Boot(coinbase), Events: events}
}

func event(kind string, data map[string]any) body.Event { return body.Event{Type: kind, Data: data} }

func mint(to string, amount uint64) body.Event {
	return event("stx_mint_event", map[string]any{"recipient": to, "amount": fmt.Sprint(amount)})
}

func burn(from string, amount uint64) body.Event {
	return event("stx_burn_event", map[string]any{"sender": from, "amount": fmt.Sprint(amount)})
}

func transfer(from, to string, amount uint64) body.Event {
	return event("stx_transfer_event", map[string]any{"sender": from, "recipient": to, "amount": fmt.Sprint(amount)})
}

func transferWithMemo(from, to string, amount uint64, memo string) body.Event {
	e := transfer(from, to, amount)
	e.Data["memo"] = fmt.Sprintf("%x", memo)
	return e
}

// withNames replaces the addresses of accounts by their names.
func withNames(lines []string) []string {
	for _, a := range []body.Account{alice, bob, carol, sponsor} {
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], a.Address(), string(a))
		}
	}
	return lines
}

// wantNamed is like want, with names in place of the addresses of accounts.
func (w *world) wantNamed(what, query string, want ...string) {
	w.t.Helper()
	if got := withNames(replay.Texts(w.t, w.tx, query)); !slices.Equal(got, want) {
		w.t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
