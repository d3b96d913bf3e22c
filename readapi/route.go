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
)

// resource describes an operation.
type resource struct {
	id      string // unique; also its name in metrics
	path    string
	tag     string
	summary string
	about   string // more about it, Markdown
	// deprecated answers carry a Warning header.
	deprecated bool
	// contentType of the answer; default application/json.
	contentType string
	// statuses beyond 200 that it answers, apart from 500 and 503, which all have.
	statuses []int
}

// get adds GET (and with it HEAD) of a resource that is read from the tables: handler is a query and a shape. in holds
// the parameters, as huma reads struct tags; what it does not declare is ignored. The snapshot ends with the handler.
func get[In, Out any](a *API, r resource, handler func(ctx context.Context, s *snapshot, in *In) (Out, error)) {
	operate(a, r, func(ctx context.Context, in *In) *answer {
		return a.answerRead(ctx, r, func(ctx context.Context, s *snapshot) (any, error) { return handler(ctx, s, in) })
	}, reflect.TypeFor[Out]())
}

// getPlain adds GET of a resource that opens its own snapshots, or needs none.
func getPlain[In, Out any](a *API, r resource, handler func(ctx context.Context, in *In) (Out, error)) {
	operate(a, r, func(ctx context.Context, in *In) *answer {
		value, err := handler(ctx, in)
		return a.answerValue(ctx, r, value, err)
	}, reflect.TypeFor[Out]())
}

// written hands an answer to huma.
type written struct {
	Body func(huma.Context)
}

func operate[In any](a *API, r resource, handler func(context.Context, *In) *answer, out reflect.Type) {
	op := huma.Operation{
		Method: http.MethodGet, Path: r.path, OperationID: r.id, Summary: r.summary, Description: r.about,
		Tags: []string{r.tag}, Deprecated: r.deprecated, Responses: a.responses(r, out),
		SkipValidateParams: true, // checkingAdapter has done it
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *In) (*written, error) {
		return &written{Body: handler(ctx, in).write}, nil
	})
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
		Headers:     provenanceHeaders,
	}}
	failure := map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeFor[errorBody](), true, "")}}
	for _, status := range append([]int{http.StatusInternalServerError}, r.statuses...) {
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: failure}
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
		exchangeOf(ctx.Context()).operation = op.OperationID
		if err := checks.check(ctx); err != nil {
			failureAnswer(err).write(ctx)
			return
		}
		handler(ctx)
	})
}

// route hands a request to the mux. Trailing slashes don't count; other paths that the mux would redirect to a cleaner
// form don't exist. What can't be read of a query is left out, for all who look at it.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
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
