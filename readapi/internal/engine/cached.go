package engine

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"strata/internal/requestid"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
)

// cachedAnswer is an answer as the cache holds it: with its key, and with the moment at which it was built. The moment is
// not stored in Redis: an answer from there was found under its key, so the state of the request gives its moment.
type cachedAnswer struct {
	*answer.Answer
	key    cache.Key
	moment answer.Moment
}

func (c cachedAnswer) delivery() Delivery { return Delivery{c.Answer, c.moment} }

func (e *Engine) parseCached(key cache.Key, b []byte) (cachedAnswer, error) {
	parsed, err := answer.Parse(b)
	if err == nil {
		e.reweigh(parsed, key)
	}
	return cachedAnswer{Answer: parsed, key: key}, err
}

// reweigh lets the cache weigh an answer again when it becomes heavier.
func (e *Engine) reweigh(a *answer.Answer, key cache.Key) {
	a.WhenHeavier(func() { e.Cache.Reweigh(key) })
}

// serveCached serves a request from memory if it can, and reports whether it did. Most requests take this path, so it
// does not route, parse or allocate: an earlier request for the same target has left a plan.
//
// It serves GET and HEAD only, and nothing while each request is logged: the long path leads to the same answer.
func (e *Engine) serveCached(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || e.Config.Logger.Enabled(r.Context(), slog.LevelDebug) {
		return false
	}
	start := time.Now()
	state := e.Watch.LastState()
	if state == nil {
		return false
	}
	p, ok := e.plans.Get(r.RequestURI)
	if !ok || asksPosition(r) && !p.answersPosition(r, state) {
		return false
	}
	cached, ok := e.Cache.Get(p.keys(state))
	if !ok {
		return false
	}
	p.hit(start)
	e.gates.pressure.Hit()
	e.setCommonHeader(w.Header())
	requestid.Echo(w.Header(), r.Header)
	setIgnored(w.Header(), p.ignored)
	status := cached.Serve(w, r, p.dependencies().moment(state))
	e.observe(r.Context(), p.Operation.ID, p.Operation.observer(status), time.Since(start))
	return true
}

// answerPlan answers a request that reads the tables: with a cached answer if one is still right, otherwise with one
// that it builds. If the handler reads a projection that the operation had not read before, that one may be behind the
// position that the request asks for; then the request is answered again.
func (e *Engine) answerPlan(ctx context.Context, p *Plan) Delivery {
	for least := ExchangeOf(ctx).least; ; {
		known := p.dependencies()
		delivery := e.answerFrom(ctx, p, least)
		if least == 0 || p.dependencies() == known {
			return delivery
		}
	}
}

// answerFrom answers a request once the projections that its operation is known to read reflect the first events of the
// log, least of them.
func (e *Engine) answerFrom(ctx context.Context, p *Plan, least int64) Delivery {
	state := e.Watch.LastState()
	if least > 0 {
		var err error
		var elsewhere bool
		if state, elsewhere, err = e.reach(ctx, p, least); err != nil {
			return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
		}
		if elsewhere {
			ctx = atPrimary(ctx)
		}
	}
	if ChoiceOf(ctx) != nil {
		return e.buildAnswer(ctx, p, nil).Value.delivery()
	}
	keys := cache.Keys{Flight: p.flightKey()}
	if state != nil {
		keys = p.keys(state)
		if cached, ok := e.Cache.Get(keys); ok {
			p.hit(time.Now())
			return Delivery{cached.Answer, p.dependencies().moment(state)}
		}
	}
	cached, err := e.Cache.Do(ctx, keys, func(ctx context.Context) (cache.Made[cachedAnswer], error) {
		assumed := state
		if isAtPrimary(ctx) {
			assumed = nil // what is assumed holds at the other server
		}
		b := e.buildAnswer(ctx, p, assumed)
		if !isAtPrimary(ctx) && b.state != nil && b.Key != keys.Current && b.Key != keys.Lasting {
			e.Watch.WaitForState(ctx, b.state) // the snapshot is newer than the state that the watch has seen
		}
		return b.Made, nil
	})
	if gone := ctx.Err(); gone != nil {
		err = gone // whatever those who wait for the same answer got
	}
	switch {
	case err != nil:
		return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
	case state != nil && (cached.key == keys.Current || cached.key == keys.Lasting):
		return Delivery{cached.Answer, p.dependencies().moment(state)}
	}
	return cached.delivery()
}

// targetMax is the length of the longest request target whose plan is cached, in bytes.
const targetMax = 1 << 10

// build is an answer that was just built from the tables.
type build struct {
	cache.Made[cachedAnswer]
	state *register.State // nil when the database could not be read
}

// buildAnswer reads the tables. The key of the answer follows from the state in the same snapshot as its rows.
func (e *Engine) buildAnswer(ctx context.Context, p *Plan, known *register.State) (b build) {
	value, s, err := e.ReadInTurn(ctx, p, known, p.Handler)
	c := answer.Config{}
	if p.Operation.Deprecated {
		c.Fields = []answer.Field{{Name: "Warning", Values: []string{DeprecationWarning}}}
	}
	if s != nil {
		p.learn(s)
		b.state, b.Key = s.State, p.key(s.State)
		b.Value.moment = p.dependencies().moment(s.State)
		c.Class, c.SettlesAt, c.Fields = p.Operation.AnswerClass(), s.SettlesAt, s.Provenance.fields(c.Fields)
	}
	if err == nil {
		if p.dependencies().Unchanging {
			b.Key, b.TTL = p.unchangingKey(b.state), cache.TTLImmutable
		}
		if f, ok := value.(*File); ok && f.isStreamed() {
			c.Tag = TagOf(b.Key)
		}
		b.Value.Answer, err = NewAnswer(value, c)
	}
	if err != nil {
		b.Value.Answer = e.FailureAnswer(ctx, err, c)
	}
	b.Value.key = b.Key
	if b.Keep = b.state != nil && b.Value.Cacheable(); b.Keep {
		e.reweigh(b.Value.Answer, b.Key)
	}
	return b
}

// ReadOnce answers a request whose answer is not cached, such as one whose parameters are in its body. d is what the
// handler reads; the answer's headers say where it comes from, as those of Get do.
func (e *Engine) ReadOnce(ctx context.Context, d Dependencies, handler func(ctx context.Context, s *Snapshot) (any, error)) Delivery {
	value, s, err := e.ReadInTurn(ctx, nil, nil, handler)
	if err != nil {
		return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
	}
	e.Watch.WaitForState(ctx, s.State)
	built, err := NewAnswer(value, answer.Config{Fields: s.Provenance.fields(nil)})
	if err != nil {
		return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
	}
	return Delivery{Answer: built, moment: d.moment(s.State)}
}
