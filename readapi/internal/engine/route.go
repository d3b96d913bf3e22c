package engine

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/answer"
)

// Get adds GET (and with it HEAD) of an operation that reads the tables: its handler is a query and a shape. in holds
// the parameters, as huma reads struct tags; the answer names parameters that In does not declare. The snapshot ends with
// the handler.
//
// An answer is cached for as long as nothing that it depends on changes.
func Get[In, Out any](e *Engine, r Operation, handler func(ctx context.Context, s *Snapshot, in *In) (Out, error)) {
	o := e.Endpoint(r)
	o.atPosition = true
	e.traced[o.ID] = true
	Serve(e, o, func(ctx context.Context, in *In) Delivery {
		p := newPlan(e.program, o, ExchangeOf(ctx).parameters, declaredBy(in, &r),
			func(ctx context.Context, s *Snapshot) (any, error) { return handler(ctx, s, in) })
		p.Input = in
		x := ExchangeOf(ctx)
		p.ignored = x.ignored
		if x.plan != nil {
			x.plan(p)
			return Delivery{Answer: answer.New(answer.Config{Status: http.StatusNoContent})}
		}
		if len(x.Target) <= targetMax && ChoiceOf(ctx) == nil {
			e.plans.Set(x.Target, p)
		}
		return e.answerPlan(ctx, p)
	}, reflect.TypeFor[Out]())
}

// declaredBy returns what the answer to an input depends on; nil if neither the input nor the operation says so.
func declaredBy(in any, r *Operation) *Dependencies {
	d := r.Dependencies
	if dependent, ok := in.(dependent); ok {
		d = dependent.Dependencies()
	}
	if d.isZero() {
		return nil
	}
	return &d
}

// GetPlain adds GET of an operation that opens its own snapshots, or needs none. Its answers are not cached.
func GetPlain[In, Out any](e *Engine, r Operation, handler func(ctx context.Context, in *In) (Out, error)) {
	r.Class = answer.NoStore
	Serve(e, e.Endpoint(r), func(ctx context.Context, in *In) Delivery {
		value, err := handler(ctx, in)
		if err == nil {
			var built *answer.Answer
			if built, err = NewAnswer(value, answer.Config{}); err == nil {
				return Delivery{Answer: built}
			}
		}
		return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
	}, reflect.TypeFor[Out]())
}

// Output is an operation's output for huma: a function that writes the whole answer.
type Output struct {
	Body func(huma.Context)
}

// Serve registers an endpoint under its path and its aliases. out is the type that the description gives for its body.
func Serve[In any](e *Engine, o *Endpoint, handler func(context.Context, *In) Delivery, out reflect.Type) {
	described := o.Operation
	if (o.atPosition || reflect.TypeFor[In]().NumField() > 0) && !slices.Contains(described.Statuses, http.StatusBadRequest) {
		described.Statuses = append(slices.Clip(described.Statuses), http.StatusBadRequest) // for parameters that don't match their schemas
	}
	op := huma.Operation{
		Method: http.MethodGet, Path: o.Path, OperationID: o.ID, Summary: o.Summary, Description: o.Description,
		Tags: []string{o.Tag}, Deprecated: o.Deprecated, Responses: e.Responses(described, out),
		SkipValidateParams: true, // checkingAdapter validates them
	}
	if o.atPosition {
		describeMinPosition(&op)
	}
	if o.Untraced != "" {
		e.Untraceable(o.Untraced, o.ID)
	}
	if o.Family != nil {
		e.addFamily(o.Family)
	}
	if o.Refuse != nil {
		op.Metadata = map[string]any{refusal: o.Refuse}
	}
	for i, path := range append([]string{o.Path}, o.Aliases...) {
		op.Path, op.Hidden = path, i > 0
		e.Routes[http.MethodGet+" "+path] = o.ID
		huma.Register(e.Huma, op, func(ctx context.Context, in *In) (*Output, error) {
			return &Output{Body: handler(ctx, in).Write}, nil
		})
	}
}

// Responses describes the answers of an operation whose body has the type out.
func (e *Engine) Responses(r Operation, out reflect.Type) map[string]*huma.Response {
	schemas, class := e.Huma.OpenAPI().Components.Schemas, r.AnswerClass()
	ok := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	if r.ContentType == "" {
		ok.Schema = schemas.Schema(out, true, "")
	}
	all := map[string]*huma.Response{"200": {
		Description: "The answer.",
		Content:     map[string]*huma.MediaType{cmp.Or(r.ContentType, "application/json"): ok},
		Headers:     answerHeaders(class),
	}}
	if class != answer.NoStore {
		all["304"] = &huma.Response{Description: "The client already has the answer: If-None-Match contains its ETag.", Headers: answerHeaders(class)}
	}
	for _, status := range append([]int{http.StatusInternalServerError}, r.Statuses...) {
		if status == http.StatusFound {
			all["302"] = &huma.Response{Description: "The same thing is at another path.", Headers: map[string]*huma.Param{
				"Location": {Description: "The path, with the query of the request.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"}},
			}}
			continue
		}
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
		all["503"] = &huma.Response{
			Description: "The database can't be reached, or holds rows that only another version of the program can read.",
			Content: map[string]*huma.MediaType{
				"application/json": {Schema: schemas.Schema(reflect.TypeFor[UnavailableBody](), true, "")},
			},
			Headers: map[string]*huma.Param{"Retry-After": {Description: "Seconds after which a retry may succeed.", Schema: &huma.Schema{Type: huma.TypeInteger}}},
		}
	}
	return all
}

// refusal is the key of Operation.Refuse in huma's metadata of an operation.
const refusal = "refusal"

// checkingAdapter checks the parameters before every operation.
type checkingAdapter struct {
	huma.Adapter
	engine *Engine
}

// Handle implements huma.Adapter.
func (c checkingAdapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	checks, known := newParameterChecks(op.Parameters), queryParameters(op.Parameters)
	refuse, ok := op.Metadata[refusal].(func(error) error)
	if !ok {
		refuse = func(err error) error { return err }
	}
	c.engine.operations = append(c.engine.operations, mountedOperation{op, func(ctx huma.Context) {
		x := ExchangeOf(ctx.Context())
		x.operation = op.OperationID
		r, w := humago.Unwrap(ctx)
		var parameters []byte
		ignored, err := c.engine.unknownParameters(known, r.URL.RawQuery)
		if err == nil {
			x.ignored = ignored
			setIgnored(w.Header(), ignored)
			parameters, err = checks.check(ctx)
		}
		if err != nil {
			Delivery{Answer: ClientErrorAnswer(refuse(err))}.Write(ctx)
			return
		}
		x.parameters = parameters
		handler(ctx)
	}})
}

// route hands a request to the mux. Trailing slashes don't matter, except in a family where they count. Other paths
// that the mux would redirect to a cleaner form don't exist. Parts of a query that can't be parsed are removed, so that
// all readers of the query see the same.
//
// A target that was requested before has a plan and needs none of this.
func (e *Engine) route(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodTrace { // which would show a page the credentials that its browser adds
		otherMethod("TRACE is not served", []string{"GET", "HEAD", "POST", "OPTIONS"}).Serve(w, r, answer.Moment{})
		return
	}
	least, err := leastPosition(r)
	if err != nil {
		ClientErrorAnswer(err).Serve(w, r, answer.Moment{})
		return
	}
	x := ExchangeOf(r.Context())
	x.least = least
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if p, ok := e.plans.Get(r.RequestURI); ok && ChoiceOf(r.Context()) == nil {
			x.operation = p.Operation.ID
			setIgnored(w.Header(), p.ignored)
			delivery := e.answerPlan(r.Context(), p)
			delivery.Serve(w, r, delivery.moment)
			return
		}
	}
	x.family = e.familyOf(x.Target)
	e.muxFilled()
	routed := e.routable(r)
	if routed == nil {
		RouteNotFound(w, r)
		return
	}
	e.mux.ServeHTTP(w, routed)
}

// routable returns the request in the form that the mux expects; nil when its path can't exist.
func (e *Engine) routable(r *http.Request) *http.Request {
	target := *r.URL
	// Escaped slashes and dots belong to a parameter: the ticker of a token may be "a/.." or end with a slash.
	escaped := target.EscapedPath()
	if len(escaped) > 1 && strings.HasSuffix(escaped, "/") && !e.slashCounts(escaped) {
		trimmed := trimSlashes(escaped)
		target.Path = target.Path[:len(target.Path)-len(escaped)+len(trimmed)]
		if target.RawPath != "" {
			target.RawPath = trimmed
		}
		escaped = trimmed
	}
	if target.RawQuery != "" {
		if query, err := url.ParseQuery(target.RawQuery); err != nil {
			target.RawQuery = query.Encode()
		}
	}
	if clean := path.Clean(escaped); escaped != clean && (escaped != clean+"/" || !e.slashCounts(escaped)) {
		return nil
	}
	if strings.HasPrefix(target.Path, separatePrefix+"/") {
		return nil
	}
	if routed := e.muxPath(target.Path); routed != target.Path {
		target.Path = routed
		if target.RawPath != "" {
			target.RawPath = separatePrefix + target.RawPath
		}
	}
	if target != *r.URL {
		changed := *r
		changed.URL = &target
		return &changed
	}
	return r
}

func trimSlashes(p string) string {
	trimmed := strings.TrimRight(p, "/")
	if trimmed == "" && p != "" {
		return "/"
	}
	return trimmed
}
