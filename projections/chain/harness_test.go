package chain_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgfault"
	"strata/projections"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// databases makes databases with the projection's tables.
var databases = replay.Tables("chain", chain.Spec())

// known maps hashes, in hex, to the names that tests use.
var known sync.Map

func remember(stacks, burn string) {
	if stacks != "" {
		id := body.ID(stacks)
		known.Store(hex.EncodeToString(id[:]), stacks)
	}
	if burn != "" {
		id, consensus := body.BurnHash(burn), body.Consensus(burn)
		known.Store(hex.EncodeToString(id[:])+hex.EncodeToString(consensus[:]), burn)
		known.Store(hex.EncodeToString(id[:]), strings.TrimRight(burn, "'"))
	}
}

// coinbase is a signed transaction.
var coinbase = body.Account("miner").Sign(0, 0, &transaction.Coinbase{})

// stacks announces a block with one transaction.
func stacks(name, parent, burn string, change ...func(*body.Block)) replay.Post {
	remember(name, "")
	remember(parent, "")
	b := body.Block{Name: name, Parent: parent, Burn: burn, Transactions: []body.Transaction{{Raw: coinbase}}}
	for _, f := range change {
		f(&b)
	}
	return b.Post()
}

func genesis(change ...func(*body.Block)) replay.Post {
	return stacks(body.Genesis, "", "1a", change...)
}

func empty(b *body.Block) { b.Transactions = nil }
func old(b *body.Block)   { b.Old = true }

// with sets members of the block's JSON body.
func with(members map[string]any) func(*body.Block) {
	return func(b *body.Block) { b.Members = members }
}

// extended lets the block begin with an extension of its tenure that has seen the Bitcoin block view.
func extended(view string) func(*body.Block) {
	return func(b *body.Block) {
		change := &transaction.TenureChange{
			ConsensusHash: body.Consensus(b.Burn), PrevConsensusHash: body.Consensus(b.Burn),
			BurnViewConsensusHash: body.Consensus(view), Cause: transaction.TenureExtended,
		}
		b.Transactions = []body.Transaction{{Raw: body.Account("miner").Sign(1, 0, change)}}
	}
}

// bitcoin announces a Bitcoin block with a link to its parent.
func bitcoin(name, parent string) replay.Post {
	remember("", name)
	return body.BurnBlock{Name: name, Parent: parent}.Post()
}

// oldBitcoin announces a Bitcoin block without its parent and sortition, as old nodes do.
func oldBitcoin(name string) replay.Post {
	remember("", name)
	return body.BurnBlock{Name: name, Old: true}.Post()
}

// state is the content of the tables, with names for hashes.
type state struct {
	chain string // canonical blocks from the bottom
	steps string // +name for apply, -name for revert
	gaps  string // missing blocks
	burn  string // followed Bitcoin blocks
	// quarantined are events with the field at fault, such as "2/block_height".
	quarantined string
}

// batchings are ways to fold the same events, which must all have the same result.
var batchings = []struct {
	name   string
	size   int
	forget bool
	piece  int // as SetPiece has it; 0 for the default
}{
	{"in one batch", 1 << 20, false, 0},
	{"one by one", 1, false, 0},
	{"one by one, with a restart after each", 1, true, 0},
	{"two by two, with a restart after each", 2, true, 0},
	{"in small pieces", 1 << 20, false, 3},
	{"in small pieces, with a restart after each", 2, true, 3},
}

// check folds posts in each batching and compares the tables with want. Empty steps and burn are not compared. Whichever request the
// database refuses, the fold says so.
func check(t *testing.T, pool *pgxpool.Pool, rule chain.Rule, want state, posts ...replay.Post) {
	t.Helper()
	inBatchings(t, pool, rule, posts, func(tx pgx.Tx, batching string) {
		got := read(t, tx)
		for _, part := range []struct {
			name, got, want string
			always          bool
		}{
			{"canonical chain", got.chain, want.chain, true},
			{"steps", got.steps, want.steps, false},
			{"missing blocks", got.gaps, want.gaps, true},
			{"followed Bitcoin blocks", got.burn, want.burn, false},
			{"quarantine", got.quarantined, want.quarantined, true},
		} {
			if part.got != part.want && (part.always || part.want != "") {
				t.Errorf("%s, %s:\n got %s\nwant %s", batching, part.name, part.got, part.want)
			}
		}
		checkSteps(t, tx)
	})
	refusing, fault := pgfault.New(t, pool, pgfault.Refused)
	for _, before := range []int{0, len(posts) - 1} {
		replay.InTx(t, refusing, func(tx pgx.Tx) {
			c, items := must.Get(chain.New(rule, nil))(t), replay.Decode(t, posts)
			if before > 0 {
				must.Get(c.Fold(t.Context(), tx, 0, items[:before]))(t)
			}
			for n, refused := 1, true; refused; n++ {
				replay.InTx(t, tx, func(tx pgx.Tx) {
					c.Forget()
					var err error
					_, refused, _ = fault.During(n, func() { _, err = c.Fold(t.Context(), tx, int64(before), items[before:]) })
					if refused != (err != nil) {
						t.Errorf("request %d is refused: %t, and the fold of %d events returns %v", n, refused, len(posts)-before, err)
					}
				})
			}
		})
	}
}

// inBatchings folds posts in each batching, on empty tables each time, and calls f with its name.
func inBatchings(t *testing.T, pool *pgxpool.Pool, rule chain.Rule, posts []replay.Post, f func(tx pgx.Tx, batching string)) {
	t.Helper()
	for _, batching := range batchings {
		replay.InTx(t, pool, func(tx pgx.Tx) {
			foldInPieces(t, tx, rule, batching.piece, replay.Decode(t, posts), func() (int, bool) { return batching.size, batching.forget })
			f(tx, batching.name)
		})
	}
}

// foldAll folds items in batches. next returns the size of each batch, and whether the projection restarts after it.
func foldAll(t *testing.T, tx pgx.Tx, rule chain.Rule, items []projections.LogItem, next func() (size int, forget bool)) {
	t.Helper()
	foldInPieces(t, tx, rule, 0, items, next)
}

// foldInPieces is like foldAll, with a limit for the blocks that one Fold changes for an event.
func foldInPieces(t *testing.T, tx pgx.Tx, rule chain.Rule, piece int, items []projections.LogItem, next func() (size int, forget bool)) {
	t.Helper()
	c := must.Get(chain.New(rule, nil))(t)
	if piece > 0 {
		c.SetPiece(piece)
		c.SetCache(1) // so that only the tip and the root are kept in between
	}
	for position := 0; position < len(items); {
		size, forget := next()
		end := min(position+size, len(items))
		outcome := must.Get(c.Fold(t.Context(), tx, int64(position), items[position:end]))(t)
		position = end - outcome.Left
		if forget {
			c.Forget()
		}
	}
}

// read reads the state from the tables.
func read(t *testing.T, tx pgx.Tx) state {
	t.Helper()
	names := func(query string) string {
		list := replay.Texts(t, tx, query)
		for i, text := range list {
			sign, id, _ := strings.Cut(text, " ")
			name, ok := known.Load(id)
			if !ok {
				name = id
			}
			list[i] = sign + name.(string)
		}
		return strings.Join(list, " ")
	}
	return state{
		chain: names(schemas.In(`
			SELECT ' ' || encode(b.index_block_hash, 'hex')
			FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq ORDER BY c.height`)),
		steps: names(schemas.In(`
			SELECT CASE kind WHEN 1 THEN '+' ELSE '-' END || ' ' || encode(index_block_hash, 'hex') FROM {chain}.step WHERE kind <> 0 ORDER BY step`)),
		gaps: names(schemas.In(`SELECT ' ' || encode(parent_index_block_hash, 'hex') FROM {chain}.gap ORDER BY height, source_seq`)),
		burn: names(schemas.In(`
			SELECT ' ' || encode(burn_block_hash, 'hex') || encode(consensus_hash, 'hex')
			FROM {chain}.burn_block WHERE canonical ORDER BY height, source_seq`)),
		quarantined: strings.Join(replay.Texts(t, tx, `SELECT seq || pointer FROM strata.quarantine ORDER BY seq, pointer`), " "),
	}
}

// checkSteps replays the steps on a stack: steps must be numbered without gaps, each apply must build on the top, each
// revert must remove the top, and in the end the stack must equal the table of canonical blocks.
func checkSteps(t replay.TB, tx pgx.Tx) {
	t.Helper()
	rows, err := tx.Query(t.Context(), schemas.In(`
		SELECT s.step, s.kind, s.height, s.index_block_hash, coalesce(b.parent_index_block_hash, ''), s.block_seq
		FROM {chain}.step s LEFT JOIN {chain}.block b USING (index_block_hash) ORDER BY s.step`))
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		id     string
		height int64
		seq    int64
	}
	var (
		stack               []entry
		number, height, seq int64
		kind                int
		id, parent          []byte
		last                int64
		problems            []string
		problem             = func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
		canonical, replayed []string
		canonicalSQL        = schemas.In(`SELECT height || ' ' || block_seq FROM {chain}.canonical ORDER BY height`)
		describe            = func(e entry) string { return fmt.Sprintf("%d %d", e.height, e.seq) }
		_, scanned          = pgx.ForEachRow(rows, []any{&number, &kind, &height, &id, &parent, &seq}, func() error {
			if number != last+1 {
				problem("step %d follows step %d", number, last)
			}
			last = number
			if kind == 0 { // a record
				return nil
			}
			var top entry
			if len(stack) > 0 {
				top = stack[len(stack)-1]
			}
			if kind < 0 {
				if len(stack) == 0 || top.id != string(id) || top.seq != seq {
					problem("step %d reverts %x, which is not the top", number, id)
				}
				stack = stack[:max(len(stack)-1, 0)]
				return nil
			}
			if len(stack) > 0 && (top.id != string(parent) || top.height >= height) {
				problem("step %d applies %x at height %d, which does not stand on the top", number, id, height)
			}
			stack = append(stack, entry{string(id), height, seq})
			return nil
		})
	)
	if scanned != nil {
		t.Fatal(scanned)
	}
	for _, e := range stack {
		replayed = append(replayed, describe(e))
	}
	canonical = replay.Texts(t, tx, canonicalSQL)
	if strings.Join(canonical, ", ") != strings.Join(replayed, ", ") {
		problem("the steps end in blocks %v, but the canonical blocks are %v", replayed, canonical)
	}
	for _, p := range problems {
		t.Errorf("%s", p)
	}
}
