package version_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestSkip lets a projection stop for good at an event, and an operator skip it. The projection goes on without that event,
// the log and the quarantine say so, and the others have not noticed.
func TestSkip(t *testing.T) {
	t.Parallel()
	const blocks, poison = 30, 11
	log := replay.NewLog(t)
	r := &rig.Recorder{}
	r.BreakAt(poison, false)
	replay.Append(t, log, rig.Blocks(0, blocks)...)
	replay.Start(t, log, rig.Chain(t), balances.New(nil), r)
	eventually.Holds(t, "the recorder fails", func() bool { return rig.Status(t, log, "recorder").State == version.StateFailed })
	seq := rig.Query[int64](t, log, schemas.In(`SELECT source_seq FROM {chain}.step WHERE step = $1`), poison)

	if _, err := version.Skip(t.Context(), log, "recorder", seq+1, "a typo"); !errors.Is(err, version.ErrNotStopped) || !strings.Contains(err.Error(), "stopped at event 11") {
		t.Errorf("another event: got %v, want ErrNotStopped and where it has stopped", err)
	}
	if _, err := version.Skip(t.Context(), log, "balances", seq, "healthy"); !errors.Is(err, version.ErrNotStopped) {
		t.Errorf("a projection that runs: got %v, want ErrNotStopped", err)
	}
	if _, err := version.Skip(t.Context(), log, "recorder", seq, " "); err == nil {
		t.Error("skipped without a reason")
	}
	command := must.Get(version.Skip(t.Context(), log, "recorder", seq, "a bug of the recorder, see ticket 5"))(t)
	skipped := time.Now()
	if command != blocks+1 {
		t.Errorf("the command is event %d, want %d", command, blocks+1)
	}
	replay.Wait(t, log)
	eventually.Holds(t, "the recorder is live", func() bool { return rig.Status(t, log, "recorder").State == version.StateLive })
	lived := time.Since(skipped)
	if n := rig.Query[int](t, log, `SELECT count(*) FROM recorder_v1.recorded`); n != blocks-1 {
		t.Errorf("got %d steps, want all but one of %d", n, blocks)
	}
	reason := rig.Query[string](t, log, `SELECT reason FROM strata.quarantine WHERE name = 'recorder' AND seq = $1`, seq)
	if !strings.Contains(reason, "ticket 5") || !strings.Contains(reason, "poisoned") || !strings.Contains(reason, "event 31") {
		t.Errorf("the quarantine says %q", reason)
	}
	body := rig.Query[string](t, log, `SELECT convert_from(body, 'UTF8') FROM log.delivery WHERE path = 'strata:skip'`)
	for _, part := range []string{`"projection":"recorder"`, `"seq":11`, `"rules":1`, "ticket 5", "poisoned"} {
		if !strings.Contains(body, part) {
			t.Errorf("the log says %s, want %s in it", body, part)
		}
	}
	if s := rig.Status(t, log, "balances"); s.Position != blocks || s.Error != nil || s.Quarantined != 0 {
		t.Errorf("balances: got %+v", s)
	}
	t.Logf("fault: code that fails at event %d of %d; %s after the command to skip it, %d were folded",
		seq, blocks, lived.Round(time.Millisecond), rig.Query[int](t, log, `SELECT count(*) FROM recorder_v1.recorded`))
}
