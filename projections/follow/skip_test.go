package follow_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/transaction"
	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
)

// keyed is a projection with a key that what nobody signed can violate: each id of a transaction once. It refuses a block that is
// not on its tip.
type keyed struct {
	version int   // 0 for the first one
	broken  int64 // a height with transactions at which the code fails; 0 for none
	at      int64 // where it knows that its rows stand; 0 if it does not
}

func (p *keyed) Spec() projections.Spec {
	return projections.Spec{Schema: projections.Schema{Name: "keyed", Version: max(p.version, 1)}, Records: []projections.RecordKind{projections.Mempool}, Tables: `
		CREATE TABLE {schema}.block (height bigint PRIMARY KEY, id bytea NOT NULL);
		CREATE TABLE {schema}.id (txid bytea PRIMARY KEY, height bigint NOT NULL);`}
}

func (p *keyed) Forget() { p.at = 0 }

func (p *keyed) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &keyed{version: spec.Version, broken: p.broken}
}

func (p *keyed) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if p.at > 0 && p.at != after {
		return projections.Outcome{}, fmt.Errorf("it has not forgotten step %d, and its rows stand at %d", p.at, after)
	}
	p.at = steps[len(steps)-1].Number
	sql := p.Spec().SQL
	for _, s := range steps {
		var tip []byte
		if err := tx.QueryRow(ctx, sql(`SELECT id FROM {schema}.block ORDER BY height DESC LIMIT 1`)).Scan(&tip); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return projections.Outcome{}, err
		}
		batch := &pgx.Batch{}
		switch s.Kind {
		case projections.Apply:
			if tip != nil && string(tip) != string(s.Block.ParentIndexBlockHash[:]) {
				return projections.Outcome{}, fmt.Errorf("block %d is not on the tip", s.Height)
			}
			if p.broken > 0 && s.Height == p.broken && len(s.Block.Transactions) > 0 {
				return projections.Outcome{}, errors.New("a bug")
			}
			batch.Queue(sql(`INSERT INTO {schema}.block VALUES ($1, $2)`), s.Height, s.IndexBlockHash[:])
			for i := range s.Block.Transactions {
				batch.Queue(sql(`INSERT INTO {schema}.id VALUES ($1, $2)`), s.Block.Transactions[i].TxID[:], s.Height)
			}
		case projections.Revert:
			if string(tip) != string(s.IndexBlockHash[:]) {
				return projections.Outcome{}, fmt.Errorf("block %d is not the tip", s.Height)
			}
			batch.Queue(sql(`DELETE FROM {schema}.id WHERE height >= $1`), s.Height)
			batch.Queue(sql(`DELETE FROM {schema}.block WHERE height >= $1`), s.Height)
		case projections.TakeRecord:
			for _, a := range s.Record.(*projections.Announcement).Transactions {
				batch.Queue(sql(`INSERT INTO {schema}.id VALUES ($1, -1)`), a.ID[:])
			}
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return projections.Outcome{}, err
		}
	}
	return projections.Outcome{}, nil
}

// bootBlock returns a block with transactions that nobody signed, whose ids are of the names.
func bootBlock(name, parent string, ids ...string) replay.Post {
	b := body.Block{Name: name, Parent: parent, Burn: "100a"}
	raw := body.Boot(&transaction.TokenTransfer{Recipient: body.Account("anybody").Principal()})
	for _, id := range ids {
		b.Transactions = append(b.Transactions, body.Transaction{Raw: raw, Members: map[string]any{"txid": body.TxID(id, 0)}})
	}
	return b.Post()
}

// keyedRows returns the ids that the projection has, by the names that the test knows, and the heights of its blocks.
func keyedRows(t *testing.T, log *eventstore.Log, names ...string) (ids, blocks string) {
	t.Helper()
	var found []string
	for _, name := range names {
		id := body.TxID(name, 0)
		if rig.Query[bool](t, log, `SELECT EXISTS (SELECT FROM keyed_v1.id WHERE txid = $1)`, id[:]) {
			found = append(found, name)
		}
	}
	blocks = rig.Query[string](t, log, `SELECT coalesce(string_agg(height::text, ' ' ORDER BY height), '') FROM keyed_v1.block`)
	return strings.Join(found, " "), blocks
}

// An event that the database refuses, because it contradicts itself or what came before, is skipped by itself: only for the
// projection whose key it violates, and while others follow in the same transaction or alone. What stands on it goes on, and so does
// its revert.
func TestSkipByItself(t *testing.T) {
	t.Parallel()
	tx := body.Account("somebody").Sign(1, 100, &transaction.TokenTransfer{Recipient: body.Account("anybody").Principal()})
	announce := replay.Post{Path: "/new_mempool_tx", Body: []byte(`["0x` + hex.EncodeToString(tx) + `"]`)}
	posts := []replay.Post{
		bootBlock(body.Genesis, "", "a"), bootBlock("a1", body.Genesis, "b"),
		bootBlock("a2", "a1", "c", "d", "c"),           // event 3
		bootBlock("a3", "a2", "e"), announce, announce, // event 6
		bootBlock("a4", "a3", "f", "a"), // event 7
		bootBlock("a5", "a4", "g"),
	}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for name, atOnce := range map[string]bool{"in bulk": true, "at the tip": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, registry, other := replay.NewLog(t), prometheus.NewRegistry(), &rig.Recorder{}
			if atOnce {
				replay.Append(t, log, posts...)
				replay.Run(t, log, rig.Chain(t)) // so that the followers find all steps
			}
			replay.Follow(t, follow.Config{Log: log, Registry: registry}, projections.Chain(rig.Chain(t), &keyed{}, other))
			if !atOnce {
				for _, post := range posts {
					eventually.Holds(t, "the followers fold with chain", func() bool { return rig.Metric(t, registry, "strata_projection_on_board") == 2 })
					replay.Append(t, log, post)
					replay.Wait(t, log)
				}
			}
			replay.Wait(t, log)
			if ids, blocks := keyedRows(t, log, names...); ids != "a b e g" || blocks != "0 1 2 3 4 5" {
				t.Errorf("got ids %s in blocks %s, want all ids but those of the skipped blocks, and all blocks", ids, blocks)
			}
			if n := rig.Query[int](t, log, `SELECT count(*) FROM recorder_v1.recorded`); n != len(posts) {
				t.Errorf("the other projection has folded %d steps, want all %d", n, len(posts))
			}
			entries := rig.Query[string](t, log, `SELECT string_agg(name || ' ' || seq || ' ' || path, ', ' ORDER BY seq) FROM strata.quarantine`)
			if want := "keyed 3 /new_block, keyed 6 /new_mempool_tx, keyed 7 /new_block"; entries != want {
				t.Errorf("in quarantine: got %s, want %s", entries, want)
			}
			if reason := rig.Query[string](t, log, `SELECT reason FROM strata.quarantine WHERE seq = 3`); !strings.Contains(reason, "skipped") || !strings.Contains(reason, "id_pkey") {
				t.Errorf("the reason is %q", reason)
			}
			if s := rig.Status(t, log, "keyed"); s.State == version.StateFailed || s.Quarantined != 3 {
				t.Errorf("got %+v", s)
			}
			if skipped := rig.Metric(t, registry, "strata_projection_skipped_events_total"); skipped != 3 {
				t.Errorf("%v events were counted, want 3", skipped)
			}
			verify := func() {
				t.Helper()
				if wrong := rig.WrongRows(t, log, projections.Lines{projections.Chain(rig.Chain(t), &keyed{})}); len(wrong) > 0 {
					t.Errorf("the log gives other rows: %q", wrong)
				}
			}
			verify()

			replay.Append(t, log, bootBlock("b2", "a1", "h"), bootBlock("b9", "b2", "i", "c"))
			replay.Wait(t, log)
			if ids, blocks := keyedRows(t, log, names...); ids != "a b c h i" || blocks != "0 1 2 9" {
				t.Errorf("after a reorganisation: got ids %s in blocks %s", ids, blocks)
			}
			verify()
		})
	}
}

// Where much is refused, the fault is not that of the events: the projection stops, as it does at a bug.
func TestSkipsEnd(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	posts := []replay.Post{bootBlock(body.Genesis, "", "a")}
	for i, parent := 1, body.Genesis; i <= 30; i++ {
		name := fmt.Sprint("a", i)
		posts = append(posts, bootBlock(name, parent, "a"))
		parent = name
	}
	replay.Append(t, log, posts...)
	replay.Start(t, log, rig.Chain(t), &keyed{})
	eventually.Holds(t, "the projection stops", func() bool { return rig.Status(t, log, "keyed").State == version.StateFailed })
	if s := rig.Status(t, log, "keyed"); s.Position != 17 || !strings.Contains(*s.Error, "id_pkey") {
		t.Errorf("got %+v, want a stop after 16 skipped events", s)
	}
}

// An event that an operator lets a projection skip leaves an empty block, too: the next one stands on it.
func TestCommandedSkipKeepsTheBlock(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, bootBlock(body.Genesis, "", "a"), bootBlock("a1", body.Genesis, "b"), bootBlock("a2", "a1", "c"))
	replay.Start(t, log, rig.Chain(t), &keyed{broken: 1})
	eventually.Holds(t, "the projection stops", func() bool { return rig.Status(t, log, "keyed").State == version.StateFailed })
	must.Get(version.Skip(t.Context(), log, "keyed", 2, "a bug"))(t)
	replay.Wait(t, log)
	if ids, blocks := keyedRows(t, log, "a", "b", "c"); ids != "a c" || blocks != "0 1 2" {
		t.Errorf("got ids %s in blocks %s", ids, blocks)
	}
	if wrong := rig.WrongRows(t, log, projections.Lines{projections.Chain(rig.Chain(t), &keyed{broken: 1})}); len(wrong) > 0 {
		t.Errorf("a rebuild, which goes past the event by itself, gives other rows: %q", wrong)
	}
}
