package engine

import (
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// huma makes its own errors through this hook, which it has one of per process. Parameters are checked before huma
// sees them, so that hardly anything is left for it to refuse; what it does refuse has our shape, and never status 422.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return fromHuma(status, message, errs)
	}
}

// humaError is an errorBody that huma can write.
type humaError struct{ ErrorBody }

func (e *humaError) Error() string { return e.Message }

func (e *humaError) GetStatus() int { return e.StatusCode }

// placeOf has the names of the places where a parameter can stand, as messages begin with them.
var placeOf = strings.NewReplacer("query.", "querystring/", "path.", "params/", "body.", "body/", "header.", "headers/")

func fromHuma(status int, message string, errs []error) huma.StatusError {
	body := ErrorBody{StatusCode: status, Message: message}
	if status == http.StatusUnprocessableEntity || (status == http.StatusBadRequest && len(errs) > 0) {
		body.StatusCode, body.Code = http.StatusBadRequest, "FST_ERR_VALIDATION"
		var details []string
		for _, err := range errs {
			var detail *huma.ErrorDetail
			if errors.As(err, &detail) {
				details = append(details, placeOf.Replace(detail.Location)+" "+detail.Message)
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
