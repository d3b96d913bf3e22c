package folding_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/folding"
	domain "strata/domain/ordinals"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/rig/replay"
)

// seedsEnv is the environment variable with the number of histories to make up; default one of each generation.
const seedsEnv = "STRATA_TEST_SEEDS"

// TestRestarts folds the items of made-up histories with each projection in one batch, and again in batches of random sizes, with a
// projection that knows nothing after some of them. What a projection keeps in memory between batches must not show in any row.
func TestRestarts(t *testing.T) {
	short.Skip(t, "folds a history some fifty times")
	t.Parallel()
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv(seedsEnv)); err == nil {
		seeds = n
	}
	var specs []projections.Spec
	for _, d := range lines(t).Definitions() {
		specs = append(specs, d.Spec)
	}
	pool := replay.Tables("restarts", specs...).New(t)
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V30, synthchain.V40} {
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprintf("%v/%d", generation, seed), func(t *testing.T) {
				config := synthchain.Everything(seed, generation)
				config.ForkProbability, config.LateParentProbability, config.BitcoinReorgProbability = 0.25, 0.1, 0.08
				config.Network, config.SigningSample, config.Maturity, config.RewardCycle, config.NakamotoFromHeight = synthchain.Mainnet, 1000, 6, 10, 5
				config.Mix = synthchain.DefaultMix()
				config.Mix.Naming, config.Mix.Registry = 10, 60
				chain, feed := synthchain.New(config), synthordinals.New(synthordinals.Everything(seed, domain.Regtest))
				posts := replay.Take(250, chain.Next)
				var payloads []projections.LogItem
				for seq := range int64(40) {
					payload := must.Get(domain.Decode(feed.Next().Body))(t)
					payloads = append(payloads, projections.LogItem{Seq: seq + 1, Feed: payload})
				}
				c, all := newCutter(t, pool, seed), lines(t)
				c.chain(t, all[0], replay.Decode(t, posts))
				c.feed(t, all[1], payloads)
			})
		}
	}
	t.Run("two Bitcoin blocks at one height", func(t *testing.T) {
		newCutter(t, pool, 1).chain(t, lines(t)[0], replay.Decode(t, replay.Archive(t, "cases", "two-bitcoin-blocks-at-one-height.tsv")))
	})
}

func lines(t *testing.T) projections.Lines {
	t.Helper()
	return must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
}

// cutter folds within a transaction, in random parts.
type cutter struct {
	tx     pgx.Tx
	random *rand.Rand
}

// newCutter begins a transaction, which is rolled back when the test ends.
func newCutter(t *testing.T, pool *pgxpool.Pool, seed uint64) cutter {
	t.Helper()
	tx := must.Get(pool.Begin(t.Context()))(t)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	return cutter{tx, rand.New(rand.NewPCG(seed, 1))}
}

// chain checks the line of chain.
func (c cutter) chain(t *testing.T, line projections.Line, items []projections.LogItem) {
	t.Helper()
	compareCuts(t, c, line.Leader, items)
	for _, p := range line.Followers.(projections.ChainFollowers) {
		steps := readSteps(t, c.tx, line.Leader, `step, kind, coalesce(record, 0), height, index_block_hash, block_seq, source_seq`, func(row pgx.CollectableRow) (s projections.Step, err error) {
			err = row.Scan(&s.Number, &s.Kind, &s.RecordKind, &s.Height, &s.IndexBlockHash, &s.BlockSeq, &s.SourceSeq)
			item := items[s.BlockSeq-1]
			switch {
			case s.Kind == projections.Apply:
				s.Block = item.Block
			case slices.Contains(p.Spec().Records, s.RecordKind) && item.Record != nil:
				s.Record = item.Record
			case slices.Contains(p.Spec().Records, s.RecordKind):
				s.Record = item.Payload
			}
			return s, err
		})
		compareCuts(t, c, p, steps)
	}
}

// feed checks the line of the ordinals feed.
func (c cutter) feed(t *testing.T, line projections.Line, items []projections.LogItem) {
	t.Helper()
	compareCuts(t, c, line.Leader, items)
	steps := readSteps(t, c.tx, line.Leader, `step, kind, height, block_hash, block_seq, block_index, source_seq`, func(row pgx.CollectableRow) (s projections.FeedStep, err error) {
		err = row.Scan(&s.Number, &s.Kind, &s.Height, &s.BlockHash, &s.BlockSeq, &s.BlockIndex, &s.SourceSeq)
		if s.Kind == projections.Apply {
			s.Block = &items[s.BlockSeq-1].Feed.Apply[s.BlockIndex]
		}
		return s, err
	})
	for _, p := range line.Followers.(projections.FeedFollowers) {
		compareCuts(t, c, p, steps)
	}
}

func readSteps[T any](t *testing.T, tx pgx.Tx, leader projections.Projection[projections.LogItem], columns string, scan pgx.RowToFunc[T]) []T {
	t.Helper()
	rows := must.Get(tx.Query(t.Context(), `SELECT `+columns+` FROM `+leader.Spec().Table("step")+` ORDER BY step`))(t)
	steps := must.Get(pgx.CollectRows(rows, scan))(t)
	if len(steps) == 0 {
		t.Fatalf("%s has written no step", leader.Spec())
	}
	return steps
}

// compareCuts folds the items in one batch, and in two other ways. It leaves the rows of the last one.
func compareCuts[T projections.Item](t *testing.T, c cutter, p projections.Projection[T], items []T) {
	t.Helper()
	definition := projections.Define(p, "")
	var tables []string
	for _, table := range replay.Texts(t, c.tx, `SELECT tablename::text FROM pg_tables WHERE schemaname = $1`, p.Spec().String()) {
		if !slices.Contains(definition.BuildDependent, table) {
			tables = append(tables, table)
		}
	}
	fold := func(next func() (size int, restart bool)) (rows []string) {
		for _, table := range slices.Concat(tables, definition.BuildDependent) {
			must.Get(c.tx.Exec(t.Context(), `TRUNCATE `+p.Spec().Table(table)))(t)
		}
		start := func() projections.Projection[T] { return p.(projections.Rebuildable[T]).WithSpec(p.Spec()) }
		running := start()
		for position := 0; position < len(items); {
			size, restart := next()
			end := min(position+size, len(items))
			outcome := must.Get(running.Fold(t.Context(), c.tx, int64(position), items[position:end]))(t)
			position = end - outcome.Left
			if restart {
				running = start()
			}
		}
		for _, table := range tables {
			rows = append(rows, replay.Texts(t, c.tx, fmt.Sprintf(`SELECT '%s ' || r::text FROM %s r`, table, p.Spec().Table(table)))...)
		}
		slices.Sort(rows)
		return rows
	}
	whole := fold(func() (int, bool) { return len(items), false })
	if len(whole) == 0 {
		t.Errorf("%s has no rows", p.Spec())
	}
	for _, restarts := range []int{3, 0} { // of four batches
		parts := fold(func() (int, bool) { return 1 + c.random.IntN(20), c.random.IntN(4) < restarts })
		for _, difference := range []struct {
			what      string
			has, have []string
		}{{"in one batch only", whole, parts}, {"in parts only", parts, whole}} {
			for _, row := range difference.has {
				if _, found := slices.BinarySearch(difference.have, row); !found {
					t.Errorf("%s, with %d restarts of 4, %s: %.300s", p.Spec(), restarts, difference.what, row)
				}
			}
		}
	}
}
