package engine

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
)

// kept is an answer as the cache has it, with the moment at which it was made. The moment stays in the process: an
// answer that comes from elsewhere was found under its key.
type cachedAnswer struct {
	*answer.Answer
	made answer.Moment
}

func (a *Engine) parseCached(b []byte) (cachedAnswer, error) {
	parsed, err := answer.Parse(b)
	if err == nil {
		parsed.WhenHeavier(a.reweigh)
	}
	return cachedAnswer{Answer: parsed}, err
}

// reweigh tells the cache that an answer has become heavier. The answer's tag is its key.
func (a *Engine) reweigh(heavier *answer.Answer) { a.Cache.Reweigh(cache.Key(heavier.Tag())) }

// answerKept answers from memory when it can, and says whether it did. It is the way of most requests, so it does not
// route, parse, or allocate: whoever asked for the same target before has left a plan.
//
// It answers GET and HEAD, and not while each request is logged: the long way leads to the same answer.
func (a *Engine) serveCached(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || a.Config.Logger.Enabled(r.Context(), slog.LevelDebug) {
		return false
	}
	start := time.Now()
	state := a.Watch.State(start)
	if state == nil || asksPosition(r) {
		return false
	}
	p, ok := a.plans.Get(r.RequestURI)
	if !ok {
		return false
	}
	found, ok := a.Cache.Get(p.keys(state))
	if !ok {
		return false
	}
	a.setCommonHeader(w.Header())
	p.Operation.observe(found.Serve(w, r, p.moment(state)), time.Since(start))
	return true
}

// answerRead answers a request for a resource that is read from the tables: with an earlier answer, if there is one that
// is still right, or with one that it makes.
func (a *Engine) answerPlan(ctx context.Context, p *Plan) Delivery {
	state := a.Watch.State(time.Now())
	if least := ExchangeOf(ctx).least; least > 0 {
		var err error
		if state, err = a.reach(ctx, p, least); err != nil {
			return Delivery{Answer: a.FailureAnswer(ctx, err, answer.Config{Fields: []answer.Field{{Name: "Retry-After", Values: []string{"1"}}}})}
		}
	}
	if state == nil || ChoiceOf(ctx) != nil {
		return a.buildAnswer(ctx, p, nil).sent()
	}
	keys := p.keys(state)
	found, err := a.Cache.Do(ctx, keys, func(ctx context.Context) (cache.Made[cachedAnswer], error) {
		made := a.buildAnswer(ctx, p, state)
		if made.state != nil && made.Key != keys.Current && made.Key != keys.Lasting {
			a.Watch.Look() // the snapshot has more than the watch has seen
		}
		return made.Made, nil
	})
	switch {
	case err != nil:
		return Delivery{Answer: a.FailureAnswer(ctx, err, answer.Config{})}
	case found.Tag() == TagOf(keys.Current) || found.Tag() == TagOf(keys.Lasting):
		return Delivery{found.Answer, p.moment(state)}
	}
	return Delivery{found.Answer, found.made}
}

// targetMax is the length of the longest target whose plan is kept.
const targetMax = 1 << 10

// made is an answer that was just made.
type build struct {
	cache.Made[cachedAnswer]
	state *register.State // nil when the database could not be read
}

func (m build) sent() Delivery { return Delivery{m.Value.Answer, m.Value.made} }

// make reads the tables. The key of the answer follows from the state in the same snapshot as its rows.
func (a *Engine) buildAnswer(ctx context.Context, p *Plan, known *register.State) (m build) {
	value, s, err := a.Read(ctx, p, known, p.Handler)
	c := answer.Config{}
	if p.Operation.Deprecated {
		c.Fields = []answer.Field{{Name: "Warning", Values: []string{DeprecationWarning}}}
	}
	if s != nil {
		m.state, m.Key = s.State, p.key(s.State)
		m.Value.made = p.moment(s.State)
		c.Class, c.SettlesAt, c.Fields = p.Operation.Class, s.SettlesAt, s.Provenance.fields(c.Fields)
	}
	if err == nil {
		if p.Unchanging {
			m.Key, m.TTL = p.unchangingKey(m.state), cache.TTLImmutable
		}
		c.Tag, c.ByContent = TagOf(m.Key), p.Operation.TagByContent
		m.Value.Answer, err = NewAnswer(value, c)
	}
	if err != nil {
		c.Tag = TagOf(m.Key)
		m.Value.Answer = a.FailureAnswer(ctx, err, c)
	}
	if m.Keep = m.state != nil && m.Value.Cacheable(); m.Keep {
		m.Value.WhenHeavier(a.reweigh)
	}
	return m
}
