package engine

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
type Operation struct {
	ID          string // unique; also its name in metrics
	Path        string
	Aliases     []string // further paths of the same, which are not documented
	Tag         string
	Summary     string
	Description string // more about it, Markdown
	// class decides how long clients may keep an answer without asking.
	Class answer.Class
	// of is what answers depend on, unless the input says so itself.
	DependsOn Dependencies
	// brief says that each of its queries is a look-up or two, so that others may wait for them.
	Brief bool
	// deprecated answers carry a Warning header.
	Deprecated bool
	// contentType of the answer; default application/json.
	ContentType string
	// failure is the type of the bodies of 404 and 422; default errorBody.
	FailureBody reflect.Type
	// refuse words what is wrong with a parameter that does not match its schema, and refusal is the type of that body;
	// default errorBody.
	Refuse      func(error) error
	RefusalBody reflect.Type
	// taggedByContent says that entity tags are of what an answer says, not of what it is made of: then they are the same
	// for two names of one thing, and for longer.
	TagByContent bool
	// statuses beyond 200 that it answers, apart from 500 and 503, which all have.
	Statuses []int
}

// get adds GET (and with it HEAD) of a resource that is read from the tables: handler is a query and a shape. in holds
// the parameters, as huma reads struct tags; what it does not declare is ignored. The snapshot ends with the handler.
//
// The same request is not answered twice from the database while nothing changes of what the answer depends on.
func Get[In, Out any](a *Engine, r Operation, handler func(ctx context.Context, s *Snapshot, in *In) (Out, error)) {
	o := a.Endpoint(r)
	o.atPosition = true
	Serve(a, o, func(ctx context.Context, in *In) Delivery {
		d := r.DependsOn
		if dependent, ok := any(in).(dependent); ok {
			d = dependent.Dependencies()
		}
		p := newPlan(a.program, o, ExchangeOf(ctx).parameters, d,
			func(ctx context.Context, s *Snapshot) (any, error) { return handler(ctx, s, in) })
		p.Input = in
		x := ExchangeOf(ctx)
		if x.plan != nil {
			x.plan(p)
			return Delivery{Answer: answer.New(answer.Config{Status: http.StatusNoContent})}
		}
		if len(x.Target) <= targetMax && ChoiceOf(ctx) == nil {
			a.plans.Set(x.Target, p)
		}
		return a.answerPlan(ctx, p)
	}, reflect.TypeFor[Out]())
}

// getPlain adds GET of a resource that opens its own snapshots, or needs none. Its answers are for those who ask alone.
func GetPlain[In, Out any](a *Engine, r Operation, handler func(ctx context.Context, in *In) (Out, error)) {
	Serve(a, a.Endpoint(r), func(ctx context.Context, in *In) Delivery {
		value, err := handler(ctx, in)
		if err == nil {
			var made *answer.Answer
			if made, err = NewAnswer(value, answer.Config{}); err == nil {
				return Delivery{Answer: made}
			}
		}
		return Delivery{Answer: a.FailureAnswer(ctx, err, answer.Config{})}
	}, reflect.TypeFor[Out]())
}

// written hands an answer to huma.
type Output struct {
	Body func(huma.Context)
}

func Serve[In any](a *Engine, o *endpoint, handler func(context.Context, *In) Delivery, out reflect.Type) {
	op := huma.Operation{
		Method: http.MethodGet, Path: o.Path, OperationID: o.ID, Summary: o.Summary, Description: o.Description,
		Tags: []string{o.Tag}, Deprecated: o.Deprecated, Responses: a.Responses(o.Operation, out),
		SkipValidateParams: true, // checkingAdapter has done it
	}
	if o.atPosition {
		describeMinPosition(&op)
	}
	if o.Refuse != nil {
		op.Metadata = map[string]any{refusal: o.Refuse}
	}
	for i, path := range append([]string{o.Path}, o.Aliases...) {
		op.Path, op.Hidden = path, i > 0
		a.Routes[http.MethodGet+" "+muxPath(path)] = o.ID
		huma.Register(a.Huma, op, func(ctx context.Context, in *In) (*Output, error) {
			return &Output{Body: handler(ctx, in).Write}, nil
		})
	}
}

// responses documents the answers of a resource.
func (a *Engine) Responses(r Operation, out reflect.Type) map[string]*huma.Response {
	schemas := a.Huma.OpenAPI().Components.Schemas
	ok := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	if r.ContentType == "" {
		ok.Schema = schemas.Schema(out, true, "")
	}
	all := map[string]*huma.Response{"200": {
		Description: "The answer.",
		Content:     map[string]*huma.MediaType{cmp.Or(r.ContentType, "application/json"): ok},
		Headers:     answerHeaders(r.Class),
	}}
	if r.Class != answer.NoStore {
		all["304"] = &huma.Response{Description: "The client has the answer: one of If-None-Match is its ETag.", Headers: answerHeaders(r.Class)}
	}
	for _, status := range append([]int{http.StatusInternalServerError}, r.Statuses...) {
		body := reflect.TypeFor[ErrorBody]()
		if r.FailureBody != nil && (status == http.StatusNotFound || status == http.StatusUnprocessableEntity) {
			body = r.FailureBody
		}
		if r.RefusalBody != nil && status == http.StatusBadRequest {
			body = r.RefusalBody
		}
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(body, true, "")},
		}}
	}
	if all["503"] == nil {
		all["503"] = &huma.Response{Description: "The database can't be reached, or holds what only a newer program can read.", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeFor[UnavailableBody](), true, "")},
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
		x := ExchangeOf(ctx.Context())
		x.operation = op.OperationID
		parameters, err := checks.check(ctx)
		if err != nil {
			Delivery{Answer: ClientErrorAnswer(refuse(err))}.Write(ctx)
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
		ClientErrorAnswer(err).Serve(w, r, answer.Moment{})
		return
	}
	ExchangeOf(r.Context()).least = least
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if p, ok := a.plans.Get(r.RequestURI); ok && ChoiceOf(r.Context()) == nil {
			ExchangeOf(r.Context()).operation = p.Operation.ID
			found := a.answerPlan(r.Context(), p)
			found.Serve(w, r, found.moment)
			return
		}
	}
	routed := routable(r)
	if routed == nil {
		RouteNotFound(w, r)
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
	return strings.HasPrefix(p, OrdinalsPath+"/") && p != OrdinalsPath+"/" && p != OrdinalsPath+"/v1/"
}

func trimSlashes(p string) string {
	trimmed := strings.TrimRight(p, "/")
	if trimmed == "" && p != "" {
		return "/"
	}
	return trimmed
}
