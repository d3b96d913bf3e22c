package engine

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"strata/readapi/internal/register"
)

// While a new build of this program takes the place of an old one, processes of both answer. Until what the new one has built
// is active, it can't tell what the rows mean that are, and from then on the old ones can't: they say so, with 503, wherever an
// answer takes such rows, so that whoever spreads requests over processes asks another one. What was answered before, and what
// does not take these rows, they still answer.

// foreignError is the answer where rows are needed that other code has built.
func foreignError(v *register.Version, rules int) error {
	who := fmt.Sprintf("ask one that runs the older program, until a version with rules %d is active", rules)
	if v.Rules > rules {
		who = "ask one that runs the newer program"
	}
	return &Error{CodeOtherRules, fmt.Sprintf(
		"projection %s is at version %d, which has rules %d; this process has rules %d of it, and can't read that: %s",
		v.Name, v.Number, v.Rules, rules, who)}
}

// foreign is the error for a projection whose active version other code has built; nil when this program can read it.
func (s *Snapshot) Foreign(name string) error {
	for _, v := range s.others {
		if v.Name == name {
			return foreignError(v, s.rules[name])
		}
	}
	return nil
}

// tellForeign tells the operator once of active versions that this process can't read, and once that there are none any
// more. It is called by one goroutine, at each change.
func (a *Engine) tellForeign() {
	state := a.Watch.State(time.Now())
	if state == nil {
		return
	}
	var names []string
	for _, v := range state.Foreign(a.Config.Rules) {
		names = append(names, fmt.Sprintf("%s_v%d (rules %d, here %d)", v.Name, v.Number, v.Rules, a.Config.Rules[v.Name]))
	}
	list := strings.Join(names, ", ")
	if list == a.toldForeign {
		return
	}
	a.toldForeign = list
	if list == "" {
		a.Config.Logger.LogAttrs(context.Background(), slog.LevelInfo, "this process can read all active versions of projections again")
		return
	}
	a.Config.Logger.LogAttrs(context.Background(), slog.LevelWarn, "other code has built active versions of projections; reads of them are answered with 503 here",
		slog.String("projections", list))
}
