package migrations_test

import (
	"sync"
	"testing"

	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// Several processes migrate an empty database at the same time.
func TestUpAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			if err := migrations.Up(t.Context(), url); err != nil {
				t.Error(err)
			}
		})
	}
	processes.Wait()
	if exists, err := migrations.Exists(t.Context(), url); err != nil || !exists {
		t.Errorf("got a log: %v, %v", exists, err)
	}
}
