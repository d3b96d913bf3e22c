package apitest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// filled gives databases that are copies of one which fill has filled: to copy is quicker than to fill.
func filled(name string, fill func(s *Site)) *pgtest.Source {
	return pgtest.Template(name, func(ctx context.Context, url string) (err error) {
		if err := migrations.Up(ctx, url); err != nil {
			return err
		}
		pool, err := pgxpool.New(ctx, url)
		if err != nil {
			return err
		}
		defer pool.Close()
		defer func() {
			switch failed := recover().(type) {
			case nil:
			case filling:
				err = errors.New(string(failed))
			default:
				panic(failed)
			}
		}()
		t := &filler{ctx: ctx}
		defer t.end()
		fill(&Site{T: t, Pool: pool})
		return nil
	})
}

// filler stands in for a test where none is running: what would fail it ends the filling.
type filler struct {
	testing.TB
	ctx      context.Context
	cleanups []func()
}

type filling string // why it has failed

func (*filler) Helper() {}

func (f *filler) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }

func (f *filler) end() {
	for _, cleanup := range slices.Backward(f.cleanups) {
		cleanup()
	}
}

func (f *filler) Context() context.Context { return f.ctx }

func (*filler) Fatal(args ...any) { panic(filling(fmt.Sprint(args...))) }

func (*filler) Fatalf(format string, args ...any) { panic(filling(fmt.Sprintf(format, args...))) }
