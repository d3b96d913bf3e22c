package folding_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/folding"
	"strata/domain/ordinals"
	"strata/eventstore"
	"strata/eventstore/history"
	"strata/eventstore/transparency"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/rig/replay"
)

// digests returns a digest of the rows of each table of the versions that are registered, and what their register says.
func digests(t *testing.T, pool *pgxpool.Pool) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range pgtest.Values[string](t, pool, `
		SELECT format('%I.%I', schemaname, tablename) FROM pg_tables t JOIN strata.projection p ON t.schemaname = p.name || '_v' || p.version
		UNION ALL SELECT 'strata.quarantine'`) {
		all[table] = pgtest.Value[string](t, pool, `SELECT count(*) || ' ' || md5(coalesce(string_agg(r.one, ' ' ORDER BY r.one), '')) FROM (SELECT (to_jsonb(t) - 'quarantined_at')::text AS one FROM `+table+` t) r`)
	}
	rows, _ := pool.Query(t.Context(), `
		SELECT name, concat_ws(' ', version, rules, input, state, position, log_seq, block_height, index_block_hash, burn_block_height, history_from, unfinished, indexed) FROM strata.projection`)
	var name, said string
	must.Get(pgx.ForEachRow(rows, []any{&name, &said}, func() error { all[name] = said; return nil }))(t)
	// Keys, indexes and triggers are back.
	for _, made := range pgtest.Values[string](t, pool, `
		SELECT indexdef FROM pg_indexes WHERE schemaname ~ '_v[0-9]+$'
		UNION ALL SELECT tgname || ' ' || tgrelid::regclass || ' ' || tgenabled::text FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
		WHERE NOT tgisinternal AND c.relnamespace::regnamespace::text ~ '_v[0-9]+$'
		UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace::regnamespace::text ~ '_v[0-9]+$'`) {
		all[made] = "made"
	}
	return all
}

// Tables that are brought from a history have the rows that they had there, and a fold goes on from them as if it had made them.
func TestBring(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	lines := must.Get(folding.Lines("recommended", logger, nil))(t)
	config := synthchain.Everything(12, synthchain.V40)
	config.Network, config.SigningSample, config.Accounts, config.Maturity = synthchain.Mainnet, 1000, 16, 6
	config.Mix = synthchain.DefaultMix()
	config.Mix.Naming, config.Mix.Registry = 10, 60
	chain, feed := synthchain.New(config), synthordinals.New(synthordinals.Everything(11, ordinals.Regtest))
	source := replay.NewLogApart(t)
	grow := func(log *eventstore.Log, posts []replay.Post) {
		replay.Append(t, log, posts...)
		replay.RunLines(t, log, lines...)
	}
	grow(source, append(replay.Take(40, feed.Next), replay.Take(250, chain.Next)...))

	dir := t.TempDir()
	key := must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "key"), "example.org/stacks"))(t)
	publisher := &history.Publisher{
		Log: source, Key: key, Dir: history.NewDir(dir), Network: "mainnet", ChainID: 1, Logger: logger, Tables: folding.CopyTables(source.Pool(), logger),
		Transparency: must.Get(transparency.New(transparency.Config{Pool: source.Pool(), Key: key}))(t),
		Chain: func(context.Context, *history.Dir, history.Layer) (history.Layer, error) {
			return history.Layer{Last: -1}, nil
		},
		Heights: func(context.Context, int64, int64) ([]int64, error) { return nil, nil },
	}
	must.Get(publisher.Publish(t.Context()))(t)
	want := digests(t, source.Pool())
	if len(want) < 300 {
		t.Fatalf("got %d tables, indexes and constraints", len(want))
	}
	server := httptest.NewServer(history.Handler(dir))
	t.Cleanup(server.Close)
	opened := must.Get(history.Open(t.Context(), must.Get(history.OpenSource(server.URL))(t), history.Trust{Key: key.VerifierKey()}))(t)
	if len(opened.Tables) != len(lines.Definitions()) {
		t.Errorf("got the tables of %d projections, want %d", len(opened.Tables), len(lines.Definitions()))
	}

	target := replay.NewLogApart(t)
	options := folding.BringOptions{Logger: logger, DataDir: t.TempDir()}
	must.Do(t, folding.Bring(t.Context(), target, opened, options))
	if states := pgtest.Values[int64](t, target.Pool(), `SELECT position FROM strata.projection WHERE position > 0`); len(states) != len(opened.Tables) {
		t.Fatalf("only %d projections have a position", len(states))
	}
	same := func(when string, want map[string]string) {
		t.Helper()
		got := digests(t, target.Pool())
		for name, w := range want {
			if got[name] != w {
				t.Errorf("%s: %s is %q, want %q", when, name, got[name], w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d tables, indexes and constraints, want %d", when, len(got), len(want))
		}
	}
	grow(target, nil) // makes the indexes for readers
	same("after the load", want)
	must.Do(t, folding.Bring(t.Context(), target, opened, options)) // again
	more := append(replay.Take(150, chain.Next), replay.Take(20, feed.Next)...)
	grow(source, more)
	grow(target, more)
	same("after more events", digests(t, source.Pool()))

	// Tables of other rules, and tables that are not there, are left to be folded.
	other := *opened.Manifest
	other.Tables = nil
	for _, set := range opened.Tables {
		set.State = []byte(strings.Replace(string(set.State), `"rules":`, `"rules":10`, 1))
		other.Tables = append(other.Tables, set)
	}
	folded := replay.NewLogApart(t)
	changed := *opened
	changed.Manifest = &other
	must.Do(t, folding.Bring(t.Context(), folded, &changed, options))
	if n := pgtest.Value[int](t, folded.Pool(), `SELECT count(*)::int FROM strata.projection`); n != 0 {
		t.Errorf("%d projections were loaded", n)
	}
	damaged := *opened.Manifest
	damaged.Tables = append([]history.TableSet(nil), opened.Tables...)
	files := append([]history.TableFile(nil), damaged.Tables[0].Files...)
	files[0].Table = "no_such_table"
	damaged.Tables[0].Files = files
	changed.Manifest = &damaged
	must.Do(t, folding.Bring(t.Context(), folded, &changed, options))
	if names := pgtest.Values[string](t, folded.Pool(), `SELECT name FROM strata.projection WHERE (input ~ 'chain' OR name = 'chain') AND position > 0`); len(names) > 0 {
		t.Errorf("without the tables of chain, %v were loaded", names)
	}
}
