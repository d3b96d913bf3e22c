package serve

import (
	"log/slog"
	"testing"
	"time"

	"strata/cmd/strata/internal/audit"
	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/replay"
)

var _ readapi.TransparencyLog = shownLog{}

// The API gets the proofs of the transparency log.
func TestShownLog(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pool := replay.Databases.New(t)
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	for range 3 {
		must.Get(log.Append(ctx, eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/x", Body: eventstore.NewBody([]byte("x"))}))(t)
	}
	opened := must.Get(new(audit.Flags).OpenLog(ctx, log, nil, t.TempDir(), true, slog.New(slog.DiscardHandler)))(t)
	if signed, err := opened.Sign(ctx); !signed || err != nil {
		t.Fatalf("sign: got %v (%v)", signed, err)
	}
	shown := shownLog{opened}
	if proof, err := shown.ProveInclusion(ctx, 2, 0); err != nil || proof.Index != 1 || proof.Size != 3 {
		t.Errorf("got %+v (%v), want index 1 of 3", proof, err)
	}
	if proof, err := shown.ProveConsistency(ctx, 2, 0); err != nil || proof.To != 3 {
		t.Errorf("got %+v (%v), want to 3", proof, err)
	}
	if _, err := shown.ProveInclusion(ctx, 4, 0); err == nil {
		t.Error("event 4 of 3 was proven")
	}
}
