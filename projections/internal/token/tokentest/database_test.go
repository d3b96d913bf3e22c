package tokentest

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/pgtest"
	"strata/rig/replay"
)

// Tests roll back what they write, so that they can use a database one after the other. Creating one takes longer than
// most tests.
var (
	databases  = &stock{source: replay.Tables("tokens", specs(1)...)}
	sideBySide = &stock{source: replay.Tables("tokens side by side", specs(versions)...)}
)

// stock lends databases to tests, and creates one when none is free.
type stock struct {
	source *pgtest.Source
	mutex  sync.Mutex
	free   []*pgxpool.Pool
	made   []*owner
}

// lend lends a database to a test until its end.
func (s *stock) lend(t *testing.T) *pgxpool.Pool {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.free) == 0 {
		o := &owner{name: fmt.Sprint("stock", len(s.made))}
		s.made = append(s.made, o)
		s.free = append(s.free, s.source.New(o))
	}
	pool := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	t.Cleanup(func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.free = append(s.free, pool)
	})
	return pool
}

// end drops all databases.
func (s *stock) end() (failed bool) {
	for _, o := range s.made {
		failed = o.end() || failed
	}
	return failed
}

// owner owns a database that outlives the test for which it was created.
type owner struct {
	testing.TB // nil: pgtest calls only the methods below
	name       string
	cleanups   []func()
	failed     bool
}

func (o *owner) Helper()                   {}
func (o *owner) Name() string              { return o.name }
func (o *owner) Cleanup(f func())          { o.cleanups = append(o.cleanups, f) }
func (o *owner) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }
func (o *owner) Errorf(f string, a ...any) {
	o.failed = true
	fmt.Fprintf(os.Stderr, f+"\n", a...)
}

func (o *owner) end() (failed bool) {
	for _, f := range slices.Backward(o.cleanups) {
		f()
	}
	return o.failed
}

// checks is the number of random histories, unless a flag sets another. Each of them takes a while.
const checks = 10

func TestMain(m *testing.M) {
	replay.Histories(checks)
	code := m.Run()
	if first, second := databases.end(), sideBySide.end(); first || second {
		code = 1
	}
	os.Exit(code)
}
