package balances_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/transaction"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// databases makes databases with the tables of the projection and of chain.
var databases = replay.Tables("balances", chain.Spec(), balances.Spec())

const (
	alice   = body.Account("alice")
	bob     = body.Account("bob")
	carol   = body.Account("carol")
	sponsor = body.Account("sponsor")
)

// world folds handmade blocks in one database transaction, which is never committed.
type world struct {
	t          *testing.T
	tx         pgx.Tx
	projection *balances.Balances
	posts      []replay.Post
	blocks     map[string]projections.Step
	step       int64
	// forgetful means that the projection reads everything from its tables again after each block.
	forgetful bool
}

// worlds runs a test in a world that keeps its state and in a forgetful one.
func worlds(t *testing.T, f func(t *testing.T, w *world)) {
	t.Parallel()
	for _, forgetful := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarted=%t", forgetful), func(t *testing.T) {
			t.Parallel()
			tx, err := databases.New(t).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
			f(t, &world{t: t, tx: tx, projection: balances.New(nil), blocks: map[string]projections.Step{}, forgetful: forgetful})
		})
	}
}

// apply applies blocks, all in one batch unless the world is forgetful.
func (w *world) apply(blocks ...body.Block) {
	w.t.Helper()
	var steps []projections.Step
	for _, b := range blocks {
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
		steps = append(steps, step)
	}
	w.fold(steps...)
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
		if _, err := w.projection.Fold(w.t.Context(), w.tx, w.step, chunk); err != nil {
			w.t.Fatal(err)
		}
		w.step += int64(len(chunk))
		if w.forgetful {
			w.projection.Forget()
		}
	}
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

// did returns a transaction that nobody signed, without fee and nonce, with these events.
func did(events ...body.Event) body.Transaction {
	return body.Transaction{Raw: body.Boot(coinbase), Events: events}
}

func mint(to string, amount uint64) body.Event {
	return body.Event{Type: "stx_mint_event", Data: map[string]any{"recipient": to, "amount": fmt.Sprint(amount)}}
}

func transfer(from, to string, amount uint64) body.Event {
	return body.Event{Type: "stx_transfer_event", Data: map[string]any{"sender": from, "recipient": to, "amount": fmt.Sprint(amount)}}
}

// holdings selects the holdings as text.
var holdings = schemas.In(`
	SELECT account || ' ' || asset || ' ' || balance || ' = ' || received || '-' || sent || '-' || fees || '+' || rewards || ' after ' || n
	FROM {balances}.holding ORDER BY account, asset`)

// of replaces the account name at the beginning of each line by its address, and sorts the lines.
func of(lines ...string) []string {
	for i, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		lines[i] = body.Account(name).Address() + " " + rest
	}
	slices.Sort(lines)
	return lines
}
