package register_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	"strata/domain/schema"
	"strata/domain/shard"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/internal/register"
)

// writer writes the register as followers do, and remembers what it wrote.
type writer struct {
	t        testing.TB
	pool     *pgxpool.Pool
	random   *rand.Rand
	versions map[string]*version // by schema
	active   map[string]*version // by name
}

// version is a version of a projection. What it did at a position it does again when it comes there again.
type version struct {
	name     string
	number   int
	commits  []commit
	position int // how many of the commits its rows reflect
}

// commit is what a fold changed.
type commit struct {
	shards     []int32
	everything bool
	old        bool // by a program from before the journal of changes, so that everything may have changed
}

func newWriter(t testing.TB, pool *pgxpool.Pool, seed uint64) *writer {
	return &writer{t: t, pool: pool, random: rand.New(rand.NewPCG(seed, 1)), versions: map[string]*version{}, active: map[string]*version{}}
}

func schemaName(name string, number int) string {
	return schema.Schema{Name: name, Version: number}.String()
}

func (w *writer) exec(query string, arguments ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(context.Background(), query, arguments...); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
}

func (w *writer) transact(queries func(b *pgx.Batch)) {
	w.t.Helper()
	b := &pgx.Batch{}
	queries(b)
	must.Do(w.t, pgx.BeginFunc(context.Background(), w.pool, func(tx pgx.Tx) error { return tx.SendBatch(context.Background(), b).Close() }))
}

// register makes a version, which takes the place of one that had its number.
func (w *writer) register(name string, number int) *version {
	w.t.Helper()
	v := &version{name: name, number: number}
	w.versions[schemaName(name, number)] = v
	w.transact(func(b *pgx.Batch) {
		b.Queue(`INSERT INTO strata.projection (name, version, input) VALUES ($1, $2, CASE WHEN $1 = 'chain' THEN 'log' ELSE 'chain_v1' END)`, name, number)
	})
	if w.active[name] == nil {
		w.activate(v)
	}
	return v
}

func (w *writer) activate(v *version) {
	w.t.Helper()
	w.active[v.name] = v
	w.exec(`INSERT INTO strata.active (name, version) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET version = excluded.version`, v.name, v.number)
}

// drop leaves the changes where they are, as nobody who drops a version has to know of them.
func (w *writer) drop(v *version) {
	w.t.Helper()
	delete(w.versions, schemaName(v.name, v.number))
	w.transact(func(b *pgx.Batch) {
		if w.active[v.name] == v {
			delete(w.active, v.name)
			b.Queue(`DELETE FROM strata.active WHERE name = $1`, v.name)
		}
		b.Queue(`DELETE FROM strata.projection WHERE name = $1 AND version = $2`, v.name, v.number)
	})
}

// advance applies the next item: of these shards, or of what it likes.
func (w *writer) advance(v *version, shards ...int32) {
	w.t.Helper()
	if v.position == len(v.commits) {
		c := commit{shards: shards}
		if len(shards) == 0 {
			c = w.newCommit()
		}
		v.commits = append(v.commits, c)
	}
	v.position++
	w.transact(func(b *pgx.Batch) {
		v.queuePlace(b)
		v.queueChange(b, v.position)
	})
}

// queueChange adds the row of what a version has changed at a position, if anything.
func (v *version) queueChange(b *pgx.Batch, position int) {
	if shards := v.commits[position-1].shards; len(shards) > 0 {
		b.Queue(`
			INSERT INTO strata.change (epoch, position, shards)
			SELECT epoch, $3, $4 FROM strata.projection WHERE name = $1 AND version = $2`, v.name, v.number, position, shard.Encode(shards))
	}
}

func (w *writer) newCommit() (c commit) {
	n := w.random.IntN(6) // now and then a block touches nothing
	switch w.random.IntN(12) {
	case 0:
		return commit{everything: true, old: w.random.IntN(2) == 0}
	case 1:
		n = 3000
	}
	touched := map[int32]bool{}
	for range n {
		number := w.random.Int32N(shard.Count)
		if w.random.IntN(2) == 0 { // some are touched again and again
			number = 250 + w.random.Int32N(12)
		}
		if !touched[number] {
			touched[number] = true
			c.shards = append(c.shards, number)
		}
	}
	return c
}

// back shows a version as it was at an earlier position, as a replica does that has not come further.
func (w *writer) back(v *version, position int) {
	w.t.Helper()
	v.position = position
	w.transact(func(b *pgx.Batch) {
		v.queuePlace(b)
		v.queueChanges(b, w.random.IntN(position+1))
	})
}

// summarize replaces what a version has changed up to a position by a summary; 0 for none.
func (w *writer) summarize(v *version, position int) {
	w.t.Helper()
	w.transact(func(b *pgx.Batch) { v.queueChanges(b, position) })
}

// queueChanges writes all that a version has changed, as a summary up to a position and a row for each after it.
func (v *version) queueChanges(b *pgx.Batch, summarized int) {
	for _, table := range []string{"change", "change_summary"} {
		b.Queue(`DELETE FROM strata.`+table+` USING strata.projection p WHERE p.name = $1 AND p.version = $2 AND p.epoch = `+table+`.epoch`, v.name, v.number)
	}
	if summarized > 0 {
		positions := &[shard.Count]int64{}
		for i, c := range v.commits[:summarized] {
			for _, number := range c.shards {
				positions[number] = int64(i) + 1
			}
		}
		b.Queue(`
			INSERT INTO strata.change_summary (epoch, position, positions)
			SELECT epoch, $3, $4 FROM strata.projection WHERE name = $1 AND version = $2`, v.name, v.number, summarized, shard.EncodePositions(positions))
	}
	for position := summarized + 1; position <= v.position; position++ {
		v.queueChange(b, position)
	}
}

// changed is when shards changed, and from where on that is known.
func (v *version) changed() (shards map[int32]int64, from int64) {
	shards = map[int32]int64{}
	for i, c := range v.commits[:v.position] {
		if c.everything {
			from = int64(i) + 1
		}
		for _, number := range c.shards {
			shards[number] = int64(i) + 1
		}
	}
	return shards, from
}

// logSeq of its position: several positions may be of one event.
func (v *version) logSeq() int64 { return int64(v.position+1) / 2 }

func (v *version) queuePlace(b *pgx.Batch) {
	_, from := v.changed()
	to := v.position
	if v.position > 0 && v.commits[v.position-1].old {
		from, to = 0, v.position-1
	}
	var height, burnHeight *int64
	var indexBlock, block []byte
	if v.position > 1 { // there may be items before the first block
		h, burn, id := int64(v.position)*10, int64(v.position)*100, hash.Hash32{byte(v.position)}
		height, burnHeight, indexBlock, block = &h, &burn, id[:], append([]byte{1}, id[1:]...)
	}
	b.Queue(`
		UPDATE strata.projection
		SET position = $3, log_seq = $4, block_height = $5, burn_block_height = $6, index_block_hash = $7, block_hash = $8, changes_from = $9, changes_to = $10
		WHERE name = $1 AND version = $2`,
		v.name, v.number, v.position, v.logSeq(), height, burnHeight, indexBlock, block, from, to)
}

// check compares a state with what was written.
func (w *writer) check(s *register.State) {
	w.t.Helper()
	check.Equal(w.t, "versions", len(s.Versions), len(w.versions))
	for _, got := range s.Versions {
		want := w.versions[schemaName(got.Name, got.Number)]
		if want == nil {
			w.t.Errorf("%s was dropped", got.Schema())
			continue
		}
		if got.Position != int64(want.position) || got.LogSeq != want.logSeq() || (got.Height != nil) != (want.position > 1) || got.Active != (w.active[got.Name] == want) {
			w.t.Errorf("got %+v, want position %d", got, want.position)
		}
		if !got.Active {
			continue
		}
		shards, from := want.changed()
		for number := range int32(shard.Count) {
			if at := max(from, shards[number]); got.Changed(number) != at {
				w.t.Errorf("%s, shard %d: changed at %d, want %d", got.Schema(), number, got.Changed(number), at)
				break
			}
		}
	}
}
