package follow_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/metric"
	"strata/projections"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
)

// A projection that is far behind waits while the disk has little space, and goes on when there is more.
func TestBuildWaitsForSpace(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 200)...)
	var tight atomic.Bool
	tight.Store(true)
	registry := prometheus.NewRegistry()
	runner := follow.NewRunner(follow.Config{Log: log, Registry: registry, Interval: 50 * time.Millisecond, Tight: tight.Load}, projections.Chain(rig.Chain(t)))
	runner.TestSignals.Init()
	replay.StartRunner(t, runner)
	for range 2 {
		rig.WaitForNext(t, "the build waits", &runner.TestSignals.WaitingForSpace)
	}
	if position := rig.Status(t, log, "chain").Position; position != 0 {
		t.Errorf("it is at %d, want 0 while there is no space", position)
	}
	eventually.Holds(t, "the lag is measured", func() bool {
		lag, _ := metric.Sum(t, registry, "strata_projection_lag_events")
		return lag == 200
	})
	tight.Store(false)
	began := time.Now()
	replay.Wait(t, log)
	t.Logf("fault: little space on the disk; a build waited at position 0, and had folded %d events %s after there was more",
		rig.Status(t, log, "chain").Position, time.Since(began).Round(time.Millisecond))
}
