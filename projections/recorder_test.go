package projections_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/transaction"
	"strata/eventstore"
	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/internal/body"
)

// recorder is a projection that writes down which steps it was given, once each, and fails when it is told to.
type recorder struct {
	writer string // who wrote a row, where several run

	mu    sync.Mutex
	fault func(step int64) error // nil: none
	folds [][]int64              // the steps of each call
}

var errPoison = errors.New("the well is poisoned\x00")

func (r *recorder) Spec() projections.Spec {
	return projections.Spec{Name: "recorder", Version: 1, Tables: `
		CREATE TABLE {schema}.recorded (step bigint PRIMARY KEY, height bigint NOT NULL, kind int NOT NULL, writer text NOT NULL);`}
}

func (r *recorder) Forget() {}

func (r *recorder) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	r.mu.Lock()
	fault := r.fault
	var numbers []int64
	for _, s := range steps {
		numbers = append(numbers, s.Number)
	}
	r.folds = append(r.folds, numbers)
	r.mu.Unlock()
	if numbers[0] != after+1 {
		return projections.Outcome{}, fmt.Errorf("step %d comes after %d", numbers[0], after)
	}
	for _, s := range steps {
		_, err := tx.Exec(ctx, `INSERT INTO recorder_v1.recorded VALUES ($1, $2, $3, $4)`, s.Number, s.Height, s.Kind, r.writer)
		if err != nil {
			return projections.Outcome{}, err
		}
		if fault != nil {
			if err := fault(s.Number); err != nil {
				return projections.Outcome{}, err
			}
		}
	}
	return projections.Outcome{}, nil
}

// breakAt lets the recorder fail at a step; 0 heals it.
func (r *recorder) breakAt(step int64, panics bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault = func(number int64) error {
		if number != step {
			return nil
		}
		if panics {
			panic(errPoison)
		}
		return errPoison
	}
}

// alone is how often a step was given alone.
func (r *recorder) alone(step int64) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, fold := range r.folds {
		if slices.Equal(fold, []int64{step}) {
			n++
		}
	}
	return n
}

// largest is the size of the largest batch.
func (r *recorder) largest() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, fold := range r.folds {
		n = max(n, len(fold))
	}
	return n
}

// line are the posts of a chain without forks: genesis and n-1 blocks, of heights from to from+n-1.
func line(from, n int) []replay.Post {
	coinbase := []body.Transaction{{Raw: body.Account("miner").Sign(0, 0, &transaction.Coinbase{})}}
	name := func(height int) string {
		if height == 0 {
			return body.Genesis
		}
		return fmt.Sprintf("a%d", height)
	}
	posts := make([]replay.Post, n)
	for i := range posts {
		height := from + i
		posts[i] = body.Block{Name: name(height), Parent: name(height - 1), Burn: "100a", Transactions: coinbase}.Post()
	}
	return posts
}

func recommended(t *testing.T) *chain.Chain {
	t.Helper()
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// status of a projection in the register.
func status(t *testing.T, log *eventstore.Log, name string) projections.Status {
	t.Helper()
	all, err := projections.Statuses(t.Context(), log.Pool())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("projection %s is not registered", name)
	return projections.Status{}
}

// eventually waits until what is true, and fails the test when it takes more than some seconds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	const limit = 20 * time.Second
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// checkRecorded expects the steps 1 to n, applies of the heights 0 to n-1, each once.
func checkRecorded(t *testing.T, log *eventstore.Log, n int64) {
	t.Helper()
	var count, first, last, wrong int64
	err := log.Pool().QueryRow(t.Context(), `
		SELECT count(*), coalesce(min(step), 0), coalesce(max(step), 0), count(*) FILTER (WHERE kind <> 1 OR height <> step - 1)
		FROM recorder_v1.recorded`).Scan(&count, &first, &last, &wrong)
	if err != nil {
		t.Fatal(err)
	}
	if count != n || first != min(n, 1) || last != n || wrong != 0 {
		t.Errorf("recorded %d steps from %d to %d, of which %d are wrong; want 1 to %d", count, first, last, wrong, n)
	}
}
