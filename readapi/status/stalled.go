package status

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/readapi/internal/engine"
)

// stallLimit is how long a projection may make no progress while something waits, before the server is not ready. A process
// that stands by takes over after about as long.
const stallLimit = 30 * time.Second

// queueStalls adds queries for how many seconds the active versions have made no progress while something waited. An item of
// the input that is younger than that has waited for less. The results are by the name of the projection; no row: nothing waits.
func queueStalls(b *engine.Batch) map[string]*engine.Result[float64] {
	stalls := map[string]*engine.Result[float64]{}
	for _, v := range b.Snapshot.State.Versions {
		if !v.Active {
			continue
		}
		next := `log.event e WHERE e.seq = $3 + 1`
		if v.Input != "log" {
			next = pgx.Identifier{v.Input, "step"}.Sanitize() + ` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $3 + 1`
		}
		stalls[v.Name] = engine.Query(b, func(seconds *float64) []any { return []any{seconds} }, `
			SELECT {}, extract(epoch FROM now() - greatest(e.received_at, (
			           SELECT p.updated_at FROM strata.projection p WHERE p.name = $1 AND p.version = $2)))::float8
			FROM `+next, v.Name, v.Number, v.Position)
	}
	return stalls
}

// stallMessage returns why a projection that lags is not ready, if it stands still for too long.
func stallMessage(stall *engine.Result[float64], lag int64) (message string, stalled bool) {
	if stall == nil || lag == 0 {
		return "", false
	}
	seconds, ok := stall.First()
	if !ok || seconds < stallLimit.Seconds() {
		return "", false
	}
	return fmt.Sprintf("It has made no progress for %.0f s, and its lag is %d: no process follows it, or the one that does is frozen. Start a process with the role projector; one that stands by takes over.",
		seconds, lag), true
}
