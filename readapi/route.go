package readapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// resource describes an operation.
type resource struct {
	id      string // unique; also its name in metrics
	path    string
	aliases []string // further paths of the same, which are not documented
	tag     string
	summary string
	about   string // more about it, Markdown
	// class decides how long clients may keep an answer without asking.
	class answer.Class
	// of is what answers depend on, unless the input says so itself.
	of dependencies
	// brief says that each of its queries is a look-up or two, so that others may wait for them.
	brief bool
	// deprecated answers carry a Warning header.
	deprecated bool
	// contentType of the answer; default application/json.
	contentType string
	// failure is the type of the bodies of 404 and 422; default errorBody.
	failure reflect.Type
	// refuse words what is wrong with a parameter that does not match its schema, and refusal is the type of that body;
	// default errorBody.
	refuse  func(error) error
	refusal reflect.Type
	// taggedByContent says that entity tags are of what an answer says, not of what it is made of: then they are the same
	// for two names of one thing, and for longer.
	taggedByContent bool
	// statuses beyond 200 that it answers, apart from 500 and 503, which all have.
	statuses []int
}

// get adds GET (and with it HEAD) of a resource that is read from the tables: handler is a query and a shape. in holds
// the parameters, as huma reads struct tags; what it does not declare is ignored. The snapshot ends with the handler.
//
// The same request is not answered twice from the database while nothing changes of what the answer depends on.
func get[In, Out any](a *Engine, r resource, handler func(ctx context.Context, s *snapshot, in *In) (Out, error)) {
	o := a.operation(r)
	o.atPosition = true
	operate(a, o, func(ctx context.Context, in *In) sent {
		d := r.of
		if dependent, ok := any(in).(dependent); ok {
			d = dependent.Dependencies()
		}
		p := newPlan(a.program, o, exchangeOf(ctx).parameters, d,
			func(ctx context.Context, s *snapshot) (any, error) { return handler(ctx, s, in) })
		p.input = in
		x := exchangeOf(ctx)
		if x.plan != nil {
			x.plan(p)
			return sent{Answer: answer.New(answer.Config{Status: http.StatusNoContent})}
		}
		if len(x.target) <= targetMax && choiceOf(ctx) == nil {
			a.plans.Set(x.target, p)
		}
		return a.answerRead(ctx, p)
	}, reflect.TypeFor[Out]())
}

// getPlain adds GET of a resource that opens its own snapshots, or needs none. Its answers are for those who ask alone.
func getPlain[In, Out any](a *Engine, r resource, handler func(ctx context.Context, in *In) (Out, error)) {
	operate(a, a.operation(r), func(ctx context.Context, in *In) sent {
		value, err := handler(ctx, in)
		if err == nil {
			var made *answer.Answer
			if made, err = answerOf(value, answer.Config{}); err == nil {
				return sent{Answer: made}
			}
		}
		return sent{Answer: a.failed(ctx, err, answer.Config{})}
	}, reflect.TypeFor[Out]())
}

// written hands an answer to huma.
type written struct {
	Body func(huma.Context)
}

func operate[In any](a *Engine, o *operation, handler func(context.Context, *In) sent, out reflect.Type) {
	op := huma.Operation{
		Method: http.MethodGet, Path: o.path, OperationID: o.id, Summary: o.summary, Description: o.about,
		Tags: []string{o.tag}, Deprecated: o.deprecated, Responses: a.responses(o.resource, out),
		SkipValidateParams: true, // checkingAdapter has done it
	}
	if o.atPosition {
		describeMinPosition(&op)
	}
	if o.refuse != nil {
		op.Metadata = map[string]any{refusal: o.refuse}
	}
	for i, path := range append([]string{o.path}, o.aliases...) {
		op.Path, op.Hidden = path, i > 0
		a.routes[http.MethodGet+" "+muxPath(path)] = o.id
		huma.Register(a.huma, op, func(ctx context.Context, in *In) (*written, error) {
			return &written{Body: handler(ctx, in).write}, nil
		})
	}
}

// responses documents the answers of a resource.
func (a *Engine) responses(r resource, out reflect.Type) map[string]*huma.Response {
	schemas := a.huma.OpenAPI().Components.Schemas
	ok := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	if r.contentType == "" {
		ok.Schema = schemas.Schema(out, true, "")
	}
	all := map[string]*huma.Response{"200": {
		Description: "The answer.",
		Content:     map[string]*huma.MediaType{cmp.Or(r.contentType, "application/json"): ok},
		Headers:     answerHeaders(r.class),
	}}
	if r.class != answer.NoStore {
		all["304"] = &huma.Response{Description: "The client has the answer: one of If-None-Match is its ETag.", Headers: answerHeaders(r.class)}
	}
	for _, status := range append([]int{http.StatusInternalServerError}, r.statuses...) {
		body := reflect.TypeFor[errorBody]()
		if r.failure != nil && (status == http.StatusNotFound || status == http.StatusUnprocessableEntity) {
			body = r.failure
		}
		if r.refusal != nil && status == http.StatusBadRequest {
			body = r.refusal
		}
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(body, true, "")},
		}}
	}
	if all["503"] == nil {
		all["503"] = &huma.Response{Description: "The database can't be reached, or holds what only a newer program can read.", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeFor[unavailableBody](), true, "")},
		}}
	}
	return all
}

// refusal names the function among the metadata of an operation that words what is wrong with its parameters.
const refusal = "refusal"

// checkingAdapter puts the check of the parameters in front of every operation.
type checkingAdapter struct{ huma.Adapter }

func (c checkingAdapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	checks := newParameterChecks(op.Parameters)
	refuse, ok := op.Metadata[refusal].(func(error) error)
	if !ok {
		refuse = func(err error) error { return err }
	}
	routed := *op
	routed.Path = muxPath(op.Path)
	c.Adapter.Handle(&routed, func(ctx huma.Context) {
		x := exchangeOf(ctx.Context())
		x.operation = op.OperationID
		parameters, err := checks.check(ctx)
		if err != nil {
			sent{Answer: failureAnswer(refuse(err))}.write(ctx)
			return
		}
		x.parameters = parameters
		handler(ctx)
	})
}

// route hands a request to the mux. Trailing slashes don't count, but for the ordinals family; other paths that the mux would redirect to a cleaner
// form don't exist. What can't be read of a query is left out, for all who look at it.
//
// A target that somebody asked for before needs none of this.
func (a *Engine) route(w http.ResponseWriter, r *http.Request) {
	least, err := leastPosition(r)
	if err != nil {
		failureAnswer(err).Serve(w, r, answer.Moment{})
		return
	}
	exchangeOf(r.Context()).least = least
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if p, ok := a.plans.Get(r.RequestURI); ok && choiceOf(r.Context()) == nil {
			exchangeOf(r.Context()).operation = p.operation.id
			found := a.answerRead(r.Context(), p)
			found.Serve(w, r, found.moment)
			return
		}
	}
	routed := routable(r)
	if routed == nil {
		routeNotFound(w, r)
		return
	}
	a.mux.ServeHTTP(w, routed)
}

// routable is a request as the mux takes it; nil when it can be for nothing that exists.
func routable(r *http.Request) *http.Request {
	target := *r.URL
	if p := target.Path; len(p) > 1 && strings.HasSuffix(p, "/") && !slashCounts(p) {
		target.Path, target.RawPath = trimSlashes(target.Path), trimSlashes(target.RawPath)
	}
	if target.RawQuery != "" {
		if query, err := url.ParseQuery(target.RawQuery); err != nil {
			target.RawQuery = query.Encode()
		}
	}
	if clean := path.Clean(target.Path); target.Path != clean && (target.Path != clean+"/" || !slashCounts(target.Path)) {
		return nil
	}
	if strings.HasPrefix(target.Path, apartPrefix+"/") {
		return nil
	}
	if routed := muxPath(target.Path); routed != target.Path {
		target.Path = routed
		if target.RawPath != "" {
			target.RawPath = apartPrefix + target.RawPath
		}
	}
	if target != *r.URL {
		changed := *r
		changed.URL = &target
		return &changed
	}
	return r
}

// slashCounts says whether a path that ends with a slash is another one than without: so it is in the ordinals family,
// apart from its root.
func slashCounts(p string) bool {
	return strings.HasPrefix(p, ordinalsPath+"/") && p != ordinalsPath+"/" && p != ordinalsPath+"/v1/"
}

func trimSlashes(p string) string {
	trimmed := strings.TrimRight(p, "/")
	if trimmed == "" && p != "" {
		return "/"
	}
	return trimmed
}
