package follow_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/eventually"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/projections/pox"
	"strata/rig"
	"strata/rig/replay"
)

// TestOneLeadsAll starts two processes at the same time, several times, and expects one of them to lead all projections:
// only then they fold in one transaction.
func TestOneLeadsAll(t *testing.T) {
	t.Parallel()
	for range 3 {
		log := replay.NewLogApart(t)
		registries := []*prometheus.Registry{prometheus.NewRegistry(), prometheus.NewRegistry()}
		for _, registry := range registries {
			config := follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry}
			replay.Follow(t, config, projections.Chain(rig.Chain(t), balances.New(nil), mempool.New(), pox.New()))
		}
		eventually.Holds(t, "all are members in one process", func() bool {
			first, second := rig.Metric(t, registries[0], "strata_projection_on_board"), rig.Metric(t, registries[1], "strata_projection_on_board")
			return first == 3 && second == 0 || first == 0 && second == 3
		})
		replay.Append(t, log, rig.Blocks(0, 10)...)
		replay.Wait(t, log)
	}
}

// TestStandbyOpensNoConnections lets a process stand by: it looks again and again whether the leader is gone, and the database starts
// no process for that.
func TestStandbyOpensNoConnections(t *testing.T) {
	t.Parallel()
	log := replay.NewLogApart(t)
	registries := []*prometheus.Registry{prometheus.NewRegistry(), prometheus.NewRegistry()}
	for _, registry := range registries {
		config := follow.Config{Log: log, Registry: registry}
		replay.Follow(t, config, projections.Chain(rig.Chain(t), balances.New(nil), mempool.New(), pox.New()))
	}
	eventually.Holds(t, "one leads", func() bool {
		return rig.Metric(t, registries[0], "strata_projection_on_board")+rig.Metric(t, registries[1], "strata_projection_on_board") == 3
	})
	sessions := func() (n int64) {
		t.Helper()
		if err := log.Pool().QueryRow(t.Context(), `SELECT sessions FROM pg_stat_database WHERE datname = current_database()`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	time.Sleep(2 * time.Second) // until what was opened at the start is counted
	before := sessions()
	time.Sleep(3 * time.Second) // in which four versions are tried six times each
	if opened := sessions() - before; opened > 4 {
		t.Errorf("%d connections were opened", opened)
	}
}
