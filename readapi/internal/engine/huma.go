package engine

import (
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// huma creates its own errors through this hook, which is global to the process. Parameters are checked before huma sees
// them, so huma hardly ever refuses a request; when it does, the error has the shape of ours, and never status 422.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return fromHuma(status, message, errs)
	}
}

// humaError is an ErrorBody that huma can write.
type humaError struct{ ErrorBody }

func (e *humaError) Error() string { return e.Message }

func (e *humaError) GetStatus() int { return e.StatusCode }

// locationPrefixes replaces huma's prefix of a parameter's location with the one that our messages use.
var locationPrefixes = strings.NewReplacer("query.", "querystring/", "path.", "params/", "body.", "body/", "header.", "headers/")

func fromHuma(status int, message string, errs []error) huma.StatusError {
	body := ErrorBody{StatusCode: status, Message: message}
	if status == http.StatusUnprocessableEntity || (status == http.StatusBadRequest && len(errs) > 0) {
		body.StatusCode, body.Code = http.StatusBadRequest, "FST_ERR_VALIDATION"
		var details []string
		for _, err := range errs {
			var detail *huma.ErrorDetail
			if errors.As(err, &detail) {
				details = append(details, locationPrefixes.Replace(detail.Location)+" "+detail.Message)
			} else if err != nil {
				details = append(details, err.Error())
			}
		}
		if len(details) > 0 {
			body.Message = strings.Join(details, ", ")
		}
	}
	body.Reason = http.StatusText(body.StatusCode)
	return &humaError{body}
}

// NewSchemas returns a registry of schemas that knows the types whose JSON form differs from their Go form.
func NewSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[hash.Hash32](), reflect.TypeFor[schema.HashText]())
	r.RegisterTypeAlias(reflect.TypeFor[humaError](), reflect.TypeFor[ErrorBody]())
	return r
}
