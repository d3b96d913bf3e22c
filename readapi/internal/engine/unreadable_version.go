package engine

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"strata/readapi/internal/register"
)

// During a rolling upgrade, processes of the old and the new build serve at the same time. Before the new build's
// versions become active, the new processes can't interpret the active rows; afterwards the old processes can't. A
// process answers 503 wherever it would need rows that it can't interpret, so that a load balancer tries another process.
// Rules whose rows its reads understand all the same (Config.Readable) are answered from: mostly those of the last release.
// It still serves cached answers, and answers that don't need such rows.

// foreignError returns the error for a request that needs rows built by other code than this process has.
func foreignError(v *register.Version, rules int) error {
	who := fmt.Sprintf("ask one that runs the older program, until a version with rules %d is active", rules)
	if v.Rules > rules {
		who = "ask one that runs the newer program"
	}
	return &Error{CodeOtherRules, fmt.Sprintf(
		"projection %s is at version %d, which has rules %d; this process has rules %d of it, and can't read that: %s",
		v.Name, v.Number, v.Rules, rules, who)}
}

// Foreign returns the error for a projection whose active version was built by other code; nil when this program can
// read it.
func (s *Snapshot) Foreign(name string) error {
	for _, v := range s.others {
		if v.Name == name {
			return foreignError(v, s.rules[name])
		}
	}
	return nil
}

// reportForeign logs once which active versions this process can't read, and once that it can read all of them again. A
// single goroutine calls it, after each change of state.
func (e *Engine) reportForeign() {
	state := e.Watch.State(time.Now())
	if state == nil {
		return
	}
	var names []string
	for _, v := range state.Foreign(e.Config.Rules, e.Config.Readable) {
		names = append(names, fmt.Sprintf("%s (rules %d, this process has %d)", v, v.Rules, e.Config.Rules[v.Name]))
	}
	list := strings.Join(names, ", ")
	if list == e.reportedForeign {
		return
	}
	e.reportedForeign = list
	if list == "" {
		e.Config.Logger.LogAttrs(context.Background(), slog.LevelInfo, "all active projection versions are readable again")
		return
	}
	e.Config.Logger.LogAttrs(context.Background(), slog.LevelWarn, "active projection versions were built by other code; answering reads of them with 503",
		slog.String("projections", list))
}
