package readapi

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
type kept struct {
	*answer.Answer
	made answer.Moment
}

func (a *Engine) parseKept(b []byte) (kept, error) {
	parsed, err := answer.Parse(b)
	if err == nil {
		parsed.WhenHeavier(a.reweigh)
	}
	return kept{Answer: parsed}, err
}

// reweigh tells the cache that an answer has become heavier. The answer's tag is its key.
func (a *Engine) reweigh(heavier *answer.Answer) { a.cache.Reweigh(cache.Key(heavier.Tag())) }

// answerKept answers from memory when it can, and says whether it did. It is the way of most requests, so it does not
// route, parse, or allocate: whoever asked for the same target before has left a plan.
//
// It answers GET and HEAD, and not while each request is logged: the long way leads to the same answer.
func (a *Engine) answerKept(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || a.config.Logger.Enabled(r.Context(), slog.LevelDebug) {
		return false
	}
	start := time.Now()
	state := a.watch.State(start)
	if state == nil || asksPosition(r) {
		return false
	}
	p, ok := a.plans.Get(r.RequestURI)
	if !ok {
		return false
	}
	found, ok := a.cache.Get(p.keys(state))
	if !ok {
		return false
	}
	a.setCommonHeader(w.Header())
	p.operation.observe(found.Serve(w, r, p.moment(state)), time.Since(start))
	return true
}

// answerRead answers a request for a resource that is read from the tables: with an earlier answer, if there is one that
// is still right, or with one that it makes.
func (a *Engine) answerRead(ctx context.Context, p *plan) sent {
	state := a.watch.State(time.Now())
	if least := exchangeOf(ctx).least; least > 0 {
		var err error
		if state, err = a.reach(ctx, p, least); err != nil {
			return sent{Answer: a.failed(ctx, err, answer.Config{Fields: []answer.Field{{Name: "Retry-After", Values: []string{"1"}}}})}
		}
	}
	if state == nil || choiceOf(ctx) != nil {
		return a.make(ctx, p, nil).sent()
	}
	keys := p.keys(state)
	found, err := a.cache.Do(ctx, keys, func(ctx context.Context) (cache.Made[kept], error) {
		made := a.make(ctx, p, state)
		if made.state != nil && made.Key != keys.Current && made.Key != keys.Lasting {
			a.watch.Look() // the snapshot has more than the watch has seen
		}
		return made.Made, nil
	})
	switch {
	case err != nil:
		return sent{Answer: a.failed(ctx, err, answer.Config{})}
	case found.Tag() == tagOf(keys.Current) || found.Tag() == tagOf(keys.Lasting):
		return sent{found.Answer, p.moment(state)}
	}
	return sent{found.Answer, found.made}
}

// targetMax is the length of the longest target whose plan is kept.
const targetMax = 1 << 10

// made is an answer that was just made.
type made struct {
	cache.Made[kept]
	state *register.State // nil when the database could not be read
}

func (m made) sent() sent { return sent{m.Value.Answer, m.Value.made} }

// make reads the tables. The key of the answer follows from the state in the same snapshot as its rows.
func (a *Engine) make(ctx context.Context, p *plan, known *register.State) (m made) {
	value, s, err := a.read(ctx, p, known, p.handler)
	c := answer.Config{}
	if p.operation.deprecated {
		c.Fields = []answer.Field{{Name: "Warning", Values: []string{deprecationWarning}}}
	}
	if s != nil {
		m.state, m.Key = s.state, p.key(s.state)
		m.Value.made = p.moment(s.state)
		c.Class, c.SettlesAt, c.Fields = p.operation.class, s.settlesAt, s.provenance.fields(c.Fields)
	}
	if err == nil {
		if p.unchanging {
			m.Key, m.TTL = p.unchangingKey(m.state), cache.TTLImmutable
		}
		c.Tag, c.ByContent = tagOf(m.Key), p.operation.taggedByContent
		m.Value.Answer, err = answerOf(value, c)
	}
	if err != nil {
		c.Tag = tagOf(m.Key)
		m.Value.Answer = a.failed(ctx, err, c)
	}
	if m.Keep = m.state != nil && m.Value.Cacheable(); m.Keep {
		m.Value.WhenHeavier(a.reweigh)
	}
	return m
}
