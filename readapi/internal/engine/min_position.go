package engine

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/live"
	"strata/readapi/internal/register"
	"strata/readapi/internal/schema"
)

// minPosition is the query parameter by which a client asks for an answer that is no older than one that it has. Its value
// is the Strata-Position of that answer, or only its number of events. The request header Strata-Position does the same.
const minPosition = "min_position"

// positionPatience is how long a request waits until the tables reflect the position that it asks for.
const positionPatience = 5 * time.Second

// asksPosition reports whether a request may ask for a position; false is certain.
func asksPosition(r *http.Request) bool {
	return len(r.Header[PositionHeader]) > 0 || strings.Contains(r.URL.RawQuery, minPosition)
}

// leastPosition returns how many events of the log the answer has to reflect at least; 0 for any. The error, for a
// malformed position, means 400.
func leastPosition(r *http.Request) (least int64, err error) {
	if !asksPosition(r) {
		return 0, nil
	}
	query, _ := url.ParseQuery(r.URL.RawQuery)
	for name, texts := range map[string][]string{"querystring/" + minPosition: query[minPosition], "headers/strata-position": r.Header[PositionHeader]} {
		for _, text := range texts {
			if _, err := strconv.ParseUint(text, 10, 63); err == nil && len(text) <= 18 {
				text = "log=" + text
			}
			p, err := live.ParsePosition(text)
			if err != nil {
				return 0, Invalid("%s %s", name, err)
			}
			least = max(least, p.Log)
		}
	}
	return least, nil
}

// answersPosition reports whether an answer to the plan in a state reflects what a request asks for; false for a malformed
// position.
func (p *Plan) answersPosition(r *http.Request, state *register.State) bool {
	least, err := leastPosition(r)
	return err == nil && p.dependencies().reaches(state, least, nil)
}

// reach waits until an answer to the plan reflects the first events of the log, least of them. It returns a state that
// does; a nil state means that the database's own state does. The error says how far the tables were when positionPatience
// ended. All requests that wait are woken by the one watch, and share what it does not know. atPrimary says that the state is
// that of the primary, which has to answer.
func (e *Engine) reach(ctx context.Context, p *Plan, least int64) (state *register.State, atPrimary bool, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, min(positionPatience, e.Config.RequestTimeout))
	defer cancel()
	for {
		next := e.Watch.Next()
		known := e.Watch.LastState()
		if known != nil && p.dependencies().reaches(known, least, nil) {
			return known, false, nil
		}
		if e.primary != nil && time.Since(began) > primaryPatience {
			if state := e.primaryReaches(ctx, p, least); state != nil {
				return state, true, nil
			}
		}
		e.Watch.Look()
		pause := positionLooks
		if known == nil || p.dependencies().leadersReach(known, least) {
			progress, err := e.progress.look(ctx, e)
			switch {
			case err != nil:
			case !p.dependencies().reaches(progress.state, least, progress.heads):
			case known == nil:
				return nil, false, nil
			case known.Covers(progress.state) && progress.state.Covers(known):
				return known, false, nil
			default: // the watch is about to see it
			}
			pause = progressLooks
		}
		if !waitForChange(ctx, next, pause) {
			return nil, false, errBehind(p, e.Watch.LastState(), least)
		}
	}
}

const (
	// positionLooks is how often a waiting request reminds the watch to look, in case a signal was lost.
	positionLooks = 100 * time.Millisecond
	// progressLooks is how often it asks how far the followers of the leaders are, of which the watch has no signal.
	progressLooks = 20 * time.Millisecond
)

// waitForChange waits for a change, but not for longer than most. It returns false if ctx ended first.
func waitForChange(ctx context.Context, change <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-change:
		return true
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func errBehind(p *Plan, known *register.State, least int64) error {
	progress := "it is not known how much of the log the tables reflect"
	if known != nil {
		reflected := known.LogSize
		if v := p.LeastAdvanced(known); v != nil {
			reflected = v.LogSeq
		}
		progress = fmt.Sprintf("the tables reflect %d events of the log", reflected)
	}
	return &Error{CodeBehind, fmt.Sprintf("%s, and %d were asked for (%s); try again soon", progress, least, minPosition)}
}

// reaches reports whether an answer with these dependencies reflects the first events of the log, this many. heads are the
// lengths of the lists of steps, by schema, where they are known: a projection that has folded its whole list reflects as
// many events as the list does.
func (d *Dependencies) reaches(s *register.State, events int64, heads map[string]*Result[int64]) bool {
	if d == nothingLearned {
		return true // what the handler reads decides, see answerPlan
	}
	if (d.Log || d.Register) && s.LogSize < events {
		return false
	}
	for v := range d.actives(s) {
		if v.LogSeq >= events {
			continue
		}
		leader, steps := s.Leader(v), heads[v.Input]
		if leader == nil || leader.LogSeq < events || steps == nil {
			return false
		}
		if head, _ := steps.First(); v.Position < head {
			return false
		}
	}
	return true
}

// leadersReach reports whether each dependency, or else the projection whose steps it folds, reflects this many events.
func (d *Dependencies) leadersReach(s *register.State, events int64) bool {
	for v := range d.actives(s) {
		if leader := s.Leader(v); v.LogSeq < events && (leader == nil || leader.LogSeq < events) {
			return false
		}
	}
	return true
}

// describeMinPosition adds the parameter to an operation's description.
func describeMinPosition(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: minPosition, In: "query", Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^([0-9]{1,18}|` + live.PositionPattern + `)$`), Examples: []any{"log=1"}},
		Description: "Wait until the answer reflects this position: the Strata-Position of another answer, or a number of events. " +
			"The request header Strata-Position does the same.",
	})
}
