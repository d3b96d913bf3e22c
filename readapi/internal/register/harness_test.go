package register_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/shard"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/readapi/internal/register"
)

var databases = pgtest.Template("migrated", migrations.Up)

// run lets a watch run until the test ends, or the end is asked for.
func run(t testing.TB, config register.WatchConfig) (watch *register.Watch, stop func()) {
	t.Helper()
	watch = register.NewWatch(config)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		watch.Run(ctx)
	}()
	stop = func() {
		t.Helper()
		cancel()
		eventually.Receive(t, "the watch ends with its context", done)
	}
	t.Cleanup(stop)
	return watch, stop
}

// read reads the register in a transaction, with the shards of these projections.
func read(t testing.TB, pool *pgxpool.Pool, projections ...string) *register.State {
	t.Helper()
	b := &pgx.Batch{}
	b.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	state := register.Queue(b, projections, nil)
	b.Queue(`COMMIT`)
	must.Do(t, pool.SendBatch(t.Context(), b).Close())
	return state
}

// portrait is all that a state says, to compare it with others, and with itself at a later time.
type portrait struct {
	// register is what State.Digest is of.
	register string
	rest     string
	changed  map[string][]int64 // by active projection; of each shard
}

func portray(t testing.TB, s *register.State) portrait {
	t.Helper()
	p := portrait{rest: fmt.Sprint(s.LogSize, s.Digest, s.LogHeader()), changed: map[string][]int64{}}
	text := must.Get(json.Marshal(s.Versions))(t)
	p.register = string(text)
	for _, v := range s.Versions {
		p.rest += fmt.Sprint("; ", v.Schema(), " ", v.Header())
		if v.Active != (s.Active(v.Name) == v) {
			t.Errorf("%s is active: %t, but the state has another active version", v.Schema(), v.Active)
		}
		if !v.Active {
			continue
		}
		changed := make([]int64, shard.Count)
		for number := range changed {
			changed[number] = v.Changed(int32(number))
		}
		p.changed[v.Name] = changed
	}
	if least := s.LeastAdvanced(); least != nil {
		p.rest += "; least advanced " + least.Schema()
	}
	p.rest += fmt.Sprintf("; archive %x", s.Archive)
	return p
}

// differs says where p is not q; empty when they are equal.
func (p portrait) differs(q portrait) string {
	var differences []string
	if p.register != q.register {
		differences = append(differences, fmt.Sprintf("versions %s, and %s", p.register, q.register))
	}
	if p.rest != q.rest {
		differences = append(differences, fmt.Sprintf("%s, and %s", p.rest, q.rest))
	}
	for name, changed := range p.changed {
		other, ok := q.changed[name]
		for number := 0; ok && number < len(changed); number++ {
			if changed[number] != other[number] {
				differences = append(differences, fmt.Sprintf("%s, shard %d: changed at %d, and %d", name, number, changed[number], other[number]))
				break
			}
		}
	}
	return strings.Join(differences, "; ")
}
