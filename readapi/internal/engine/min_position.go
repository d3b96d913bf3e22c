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
)

// minPosition is the query parameter by which a client asks for an answer that is no older than one that it has. Its value
// is the Strata-Position of that answer, or only its number of events. The request header Strata-Position does the same.
const minPosition = "min_position"

const (
	// positionPatience is how long a request waits until the tables reflect the position that it asks for.
	positionPatience = 5 * time.Second
	// positionInterval is how often it checks.
	positionInterval = 10 * time.Millisecond
)

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
			if _, err := strconv.ParseUint(text, 10, 63); err == nil {
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

// reach waits until an answer to the plan reflects the first events of the log, least of them. It returns a state that
// does; a nil state means that the database's own state does. The error says how far the tables were when positionPatience
// ended.
func (e *Engine) reach(ctx context.Context, p *Plan, least int64) (*register.State, error) {
	ctx, cancel := context.WithTimeout(ctx, min(positionPatience, e.Config.RequestTimeout))
	defer cancel()
	e.Watch.Look()
	ticker := time.NewTicker(positionInterval)
	defer ticker.Stop()
	for {
		known := e.Watch.State(time.Now())
		if known != nil && p.reaches(known, least, nil) {
			return known, nil
		}
		if known == nil || p.leadersReach(known, least) {
			if reached, err := e.reached(ctx, p, least); err == nil && reached {
				return nil, nil
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, errBehind(p, known, least)
		}
	}
}

// reached checks the database itself, which also knows whether a projection is up to date although the last events did not
// concern it.
func (e *Engine) reached(ctx context.Context, p *Plan, least int64) (bool, error) {
	s, err := e.Begin(ctx, nil)
	if err != nil {
		return false, err
	}
	defer s.Close()
	b := s.Batch()
	heads := QueueHeads(b)
	if err := b.RunLast(ctx); err != nil {
		return false, err
	}
	return p.reaches(s.State, least, heads), nil
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
		Name: minPosition, In: "query", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711"}},
		Description: "Wait until the answer reflects this position: the Strata-Position of another answer, or a number of events. " +
			"The request header Strata-Position does the same.",
	})
}
