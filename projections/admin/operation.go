package admin

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/projections"
)

// operation describes an operation of the API.
type operation struct {
	method, path, id, summary, about string
	status                           int // of success; 0 means 200
	// tokens says that the operation is about tokens, and not about projections.
	tokens bool
	// refusals are the error statuses that it answers besides 400, 401, 403, 500 and 503, which all operations have.
	refusals []int
}

// answer gives huma the body of an answer.
type answer[T any] struct {
	Body T
}

// register adds an operation. handler calls package version and returns the body.
func register[In, Out any](a *API, o operation, handler func(ctx context.Context, in *In) (Out, error)) {
	huma.Register(a.huma, o.huma(a), func(ctx context.Context, in *In) (*answer[Out], error) {
		out, err := handler(ctx, in)
		a.logChange(ctx, o, in, err)
		if err != nil {
			return nil, failureOf(err)
		}
		return &answer[Out]{out}, nil
	})
}

func (o operation) huma(a *API) huma.Operation {
	root, tag := "/admin/v1/projections", "Projections"
	if o.tokens {
		root, tag = "/admin/v1/tokens", "Tokens"
	}
	op := huma.Operation{
		Method: o.method, Path: root + o.path, OperationID: o.id, Summary: o.summary, Description: o.about,
		Tags: []string{tag}, DefaultStatus: o.status, Responses: map[string]*huma.Response{},
	}
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[failureError](), true, "")
	for _, status := range append([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable}, o.refusals...) {
		op.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status), Content: map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	return op
}

// logChange logs an operation that changes something, or has failed to.
func (a *API) logChange(ctx context.Context, o operation, in any, err error) {
	if o.method == http.MethodGet {
		return
	}
	attributes := []slog.Attr{slog.String("operation", o.id)}
	if named, ok := in.(interface{ attributes() []slog.Attr }); ok {
		attributes = append(attributes, named.attributes()...)
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelWarn
		attributes = append(attributes, slog.Any("error", err))
	}
	a.config.Logger.LogAttrs(ctx, level, "administration", attributes...)
}

// projectionInput is the input of an operation on a projection. Inputs repeat their path parameters because huma
// ignores the fields of embedded types that are not exported.
type projectionInput struct {
	Name string `path:"name" doc:"The projection, such as ft." pattern:"^[a-z][a-z0-9_]*$" maxLength:"63" example:"ft"`
}

func (in *projectionInput) attributes() []slog.Attr {
	return []slog.Attr{slog.String("projection", in.Name)}
}

// versionInput is the input of an operation on a version.
type versionInput struct {
	Name    string `path:"name" doc:"The projection, such as ft." pattern:"^[a-z][a-z0-9_]*$" maxLength:"63" example:"ft"`
	Version int    `path:"version" doc:"The number of the version." minimum:"1" maximum:"1073741823" example:"2"`
}

func (in *versionInput) attributes() []slog.Attr {
	return []slog.Attr{slog.String("projection", in.schema().String())}
}

func (in *versionInput) schema() projections.Schema {
	return projections.Schema{Name: in.Name, Version: in.Version}
}
