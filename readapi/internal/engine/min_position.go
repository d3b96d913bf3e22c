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

// minPosition is the parameter by which a client asks for an answer that is no older than one that it has: with the position that
// Strata-Position told, or with the number of events alone. The header of a request does the same.
const minPosition = "min_position"

// How long an answer is waited for that is not there yet, and how often it is looked for.
const (
	positionPatience = 5 * time.Second
	positionInterval = 10 * time.Millisecond
)

// asksPosition says whether a request may ask for a position.
func asksPosition(r *http.Request) bool {
	return len(r.Header[PositionHeader]) > 0 || strings.Contains(r.URL.RawQuery, minPosition)
}

// leastPosition is how many events of the log an answer has to reflect; 0 for any. The error is 400 for what is no position.
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

// reach waits until an answer to a plan reflects so many events. The state is one that does; nil for that of the database, which does,
// too. The error says how far it was when patience ended.
func (a *Engine) reach(ctx context.Context, p *Plan, least int64) (*register.State, error) {
	ctx, cancel := context.WithTimeout(ctx, min(positionPatience, a.Config.RequestTimeout))
	defer cancel()
	a.Watch.Look()
	ticker := time.NewTicker(positionInterval)
	defer ticker.Stop()
	for {
		known := a.Watch.State(time.Now())
		if known != nil && p.reaches(known, least, nil) {
			return known, nil
		}
		if known == nil || p.judged(known, least) {
			if reached, err := a.reached(ctx, p, least); err == nil && reached {
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

// reached looks into the database, which also knows of tables that they are up to date although the last events did not concern them.
func (a *Engine) reached(ctx context.Context, p *Plan, least int64) (bool, error) {
	s, err := a.Begin(ctx, nil)
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
	at := "it is not known how much of the log the tables reflect"
	if known != nil {
		reflected := known.LogSize
		if v := p.LeastAdvanced(known); v != nil {
			reflected = v.LogSeq
		}
		at = fmt.Sprintf("the tables reflect %d events of the log", reflected)
	}
	return &Error{CodeBehind, fmt.Sprintf("%s, and %d were asked for (%s); try again soon", at, least, minPosition)}
}

// reaches says whether an answer reflects the first events of the log, so many. heads are the lengths of lists of steps, where they
// are known: who has folded all of a list that reflects these events reflects them, too.
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

// judged says whether the projections that decide what others fold have come so far.
func (d *Dependencies) judged(s *register.State, events int64) bool {
	for v := range d.actives(s) {
		if leader := s.Leader(v); v.LogSeq < events && (leader == nil || leader.LogSeq < events) {
			return false
		}
	}
	return true
}

// describeMinPosition adds the parameter to an operation.
func describeMinPosition(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: minPosition, In: "query", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711"}},
		Description: "Wait until the answer reflects this position, as Strata-Position of another answer has it, or so many events. The request header Strata-Position does the same.",
	})
}
