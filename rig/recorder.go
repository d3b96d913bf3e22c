package rig

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/projections"
)

// Recorder is a projection that records which steps it was given, and fails when it is told to.
type Recorder struct {
	mu    sync.Mutex
	fault func(step int64) error // nil: none
	folds [][]int64              // the steps of each call
}

var errPoison = errors.New("the well is poisoned\x00")

// Spec implements projections.Projection.
func (r *Recorder) Spec() projections.Spec {
	return projections.Spec{Schema: projections.Schema{Name: "recorder", Version: 1}, Tables: `
		CREATE TABLE {schema}.recorded (step bigint PRIMARY KEY, height bigint NOT NULL, kind int NOT NULL);`}
}

// Forget implements projections.Projection.
func (r *Recorder) Forget() {}

// Fold implements projections.Projection.
func (r *Recorder) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
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
		_, err := tx.Exec(ctx, `INSERT INTO recorder_v1.recorded VALUES ($1, $2, $3)`, s.Number, s.Height, s.Kind)
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

// BreakAt makes the recorder fail at a step, with an error or a panic; step 0 repairs it.
func (r *Recorder) BreakAt(step int64, panics bool) {
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

// Folds returns the steps of each call of Fold.
func (r *Recorder) Folds() [][]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.folds)
}

// Alone returns how often a step was folded alone.
func (r *Recorder) Alone(step int64) (n int) {
	for _, fold := range r.Folds() {
		if slices.Equal(fold, []int64{step}) {
			n++
		}
	}
	return n
}

// Largest returns the size of the largest batch.
func (r *Recorder) Largest() (n int) {
	for _, fold := range r.Folds() {
		n = max(n, len(fold))
	}
	return n
}

// CheckRecorded expects the recorder to have folded the steps 1 to n, each once: applies of the heights 0 to n-1.
func CheckRecorded(t *testing.T, log *eventstore.Log, n int64) {
	t.Helper()
	var count, first, last, wrong int64
	must.Do(t, log.Pool().QueryRow(t.Context(), `
		SELECT count(*), coalesce(min(step), 0), coalesce(max(step), 0), count(*) FILTER (WHERE kind <> 1 OR height <> step - 1)
		FROM recorder_v1.recorded`).Scan(&count, &first, &last, &wrong))
	if count != n || first != min(n, 1) || last != n || wrong != 0 {
		t.Errorf("recorded %d steps from %d to %d, of which %d are wrong; want 1 to %d", count, first, last, wrong, n)
	}
}
