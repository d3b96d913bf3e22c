package rosetta

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

// bodyMax is the maximum length of a request's body, in bytes: a contract's code in hex, and what is around it.
const bodyMax = 8 << 20

// Mount registers the operations of both dialects with an engine.
func Mount(e *engine.Engine, config Config) {
	s := &service{config: config, engine: e}
	dialects := config.dialects()
	for _, prefix := range []string{MeshPath, LegacyPath} {
		c := &call{s, dialects[prefix]}
		for _, p := range c.endpoints() {
			c.mount(prefix, p)
		}
	}
}

// requestInput is a request whose body the endpoint decodes itself, for the standard's own errors.
type requestInput struct {
	RawBody []byte `contentType:"application/json"`
}

// mount registers an endpoint of a dialect.
func (c *call) mount(prefix string, p endpoint) {
	id := p.id
	if prefix == MeshPath {
		id = "mesh" + strings.TrimPrefix(id, "rosetta")
	}
	c.engine.Untraceable("it is a POST", id)
	content := func(t reflect.Type) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: c.schemas().Schema(t, true, "")}}
	}
	huma.Register(c.engine.Huma, huma.Operation{
		Method: http.MethodPost, Path: prefix + p.path, OperationID: id, Summary: p.summary, Description: p.about, Tags: []string{"Rosetta"},
		MaxBodyBytes: bodyMax, SkipValidateBody: true, Middlewares: huma.Middlewares{c.answerEmpty(p)},
		Responses: map[string]*huma.Response{
			"200": {Description: "The answer.", Content: content(p.answer)},
			"500": {Description: "An error of the standard.", Content: content(reflect.TypeFor[wire.Error]())},
			"503": {Description: "The database can't be reached.", Content: map[string]*huma.MediaType{
				"application/json": {Schema: c.engine.SchemaOf(reflect.TypeFor[engine.UnavailableBody]())},
			}},
		},
	}, func(ctx context.Context, in *requestInput) (*engine.Output, error) {
		return &engine.Output{Body: engine.Delivery{Answer: c.respond(ctx, p, in.RawBody)}.Write}, nil
	})
	body := c.engine.OpenAPI().Paths[prefix+p.path].Post.RequestBody
	body.Required = !p.anyBody
	body.Content = content(p.request)
}

// answerEmpty returns a middleware that answers requests without a body: huma would refuse them in other words than the
// standard's.
func (c *call) answerEmpty(p endpoint) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if r, _ := humago.Unwrap(ctx); r.ContentLength == 0 {
			engine.Delivery{Answer: c.respond(ctx.Context(), p, nil)}.Write(ctx)
			return
		}
		next(ctx)
	}
}

// respond answers a request.
func (c *call) respond(ctx context.Context, p endpoint, body []byte) *answer.Answer {
	value, err := p.answers(ctx, body)
	if err == nil {
		var built *answer.Answer
		if built, err = engine.NewAnswer(value, answer.Config{}); err == nil {
			return built
		}
	}
	var failed *fault.Error
	if errors.As(err, &failed) {
		return engine.ErrorAnswer(c.Failure(failed), answer.Config{Status: http.StatusInternalServerError})
	}
	if c.engine != nil {
		if status, _, _ := engine.Failure(err, ""); status != http.StatusInternalServerError {
			return c.engine.FailureAnswer(ctx, err, answer.Config{})
		}
		c.engine.FailureAnswer(ctx, err, answer.Config{}) // logs it
	}
	return engine.ErrorAnswer(c.Failure(fault.New(fault.Unknown)), answer.Config{Status: http.StatusInternalServerError})
}

// schemas returns the registry that names the schemas of the standard: names such as Block are taken.
func (s *service) schemas() huma.Registry {
	return engine.Shared(s.engine, func() *prefixedSchemas {
		of := s.engine.OpenAPI().Components.Schemas
		namer := func(t reflect.Type, hint string) string { return "Rosetta" + huma.DefaultSchemaNamer(t, hint) }
		return &prefixedSchemas{Registry: huma.NewMapRegistry("#/components/schemas/", namer), all: of}
	})
}

// prefixedSchemas is a registry whose schemas are among those of another one.
type prefixedSchemas struct {
	huma.Registry
	all huma.Registry
}

// Schema implements huma.Registry.
func (r *prefixedSchemas) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	s := r.Registry.Schema(t, allowRef, hint)
	into := r.all.Map()
	for name, schema := range r.Map() {
		into[name] = schema
	}
	return s
}
