package readapi

import (
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
	// statuses beyond 200 that it answers, apart from 500 and 503, which all have.
	statuses []int
}

// get adds GET (and with it HEAD) of a resource that is read from the tables: handler is a query and a shape. in holds
// the parameters, as huma reads struct tags; what it does not declare is ignored. The snapshot ends with the handler.
//
// The same request is not answered twice from the database while nothing changes of what the answer depends on.
func get[In, Out any](a *API, r resource, handler func(ctx context.Context, s *snapshot, in *In) (Out, error)) {
	o := a.operation(r)
	operate(a, o, func(ctx context.Context, in *In) sent {
		d := r.of
		if dependent, ok := any(in).(dependent); ok {
			d = dependent.dependencies()
		}
		p := newPlan(a.program, o, exchangeOf(ctx).parameters, d,
			func(ctx context.Context, s *snapshot) (any, error) { return handler(ctx, s, in) })
		if x := exchangeOf(ctx); len(x.target) <= targetMax {
			a.plans.Set(x.target, p)
		}
		return a.answerRead(ctx, p)
	}, reflect.TypeFor[Out]())
}

// getPlain adds GET of a resource that opens its own snapshots, or needs none. Its answers are for those who ask alone.
func getPlain[In, Out any](a *API, r resource, handler func(ctx context.Context, in *In) (Out, error)) {
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

func operate[In any](a *API, o *operation, handler func(context.Context, *In) sent, out reflect.Type) {
	op := huma.Operation{
		Method: http.MethodGet, Path: o.path, OperationID: o.id, Summary: o.summary, Description: o.about,
		Tags: []string{o.tag}, Deprecated: o.deprecated, Responses: a.responses(o.resource, out),
		SkipValidateParams: true, // checkingAdapter has done it
	}
	for i, path := range append([]string{o.path}, o.aliases...) {
		op.Path, op.Hidden = path, i > 0
		huma.Register(a.huma, op, func(ctx context.Context, in *In) (*written, error) {
			return &written{Body: handler(ctx, in).write}, nil
		})
	}
}

// responses documents the answers of a resource.
func (a *API) responses(r resource, out reflect.Type) map[string]*huma.Response {
	schemas := a.huma.OpenAPI().Components.Schemas
	ok := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	if r.contentType == "" {
		ok.Schema = schemas.Schema(out, true, "")
	}
	all := map[string]*huma.Response{"200": {
		Description: "The answer.",
		Content:     map[string]*huma.MediaType{or(r.contentType, "application/json"): ok},
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
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(body, true, "")},
		}}
	}
	if all["503"] == nil {
		all["503"] = &huma.Response{Description: "The database can't be reached.", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeFor[unavailableBody](), true, "")},
		}}
	}
	return all
}

// checkingAdapter puts the check of the parameters in front of every operation.
type checkingAdapter struct{ huma.Adapter }

func (c checkingAdapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	checks := newParameterChecks(op.Parameters)
	c.Adapter.Handle(op, func(ctx huma.Context) {
		x := exchangeOf(ctx.Context())
		x.operation = op.OperationID
		parameters, err := checks.check(ctx)
		if err != nil {
			sent{Answer: failureAnswer(err)}.write(ctx)
			return
		}
		x.parameters = parameters
		handler(ctx)
	})
}

// route hands a request to the mux. Trailing slashes don't count; other paths that the mux would redirect to a cleaner
// form don't exist. What can't be read of a query is left out, for all who look at it.
//
// A target that somebody asked for before needs none of this.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if p, ok := a.plans.Get(r.RequestURI); ok {
			exchangeOf(r.Context()).operation = p.operation.id
			found := a.answerRead(r.Context(), p)
			found.Serve(w, r, found.moment)
			return
		}
	}
	target := *r.URL
	if p := target.Path; len(p) > 1 && strings.HasSuffix(p, "/") {
		target.Path, target.RawPath = trimSlashes(target.Path), trimSlashes(target.RawPath)
	}
	if target.RawQuery != "" {
		if query, err := url.ParseQuery(target.RawQuery); err != nil {
			target.RawQuery = query.Encode()
		}
	}
	if target.Path != path.Clean(target.Path) {
		routeNotFound(w, r)
		return
	}
	if target != *r.URL {
		changed := *r
		changed.URL = &target
		r = &changed
	}
	a.mux.ServeHTTP(w, r)
}

func trimSlashes(p string) string {
	trimmed := strings.TrimRight(p, "/")
	if trimmed == "" && p != "" {
		return "/"
	}
	return trimmed
}
