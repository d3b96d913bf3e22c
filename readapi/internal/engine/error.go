package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/dberror"
	"strata/readapi/internal/answer"
)

// Code is the kind of an Error.
type Code int

// Codes.
const (
	// CodeInvalid means that a parameter does not match its schema.
	CodeInvalid Code = iota + 1
	// CodeBadRequest means that each parameter is well-formed, but the request makes no sense.
	CodeBadRequest
	// CodeNotFound means that the requested thing does not exist.
	CodeNotFound
	// CodeConflict means that the requested versions exist, but can't be read together, or not by this program.
	CodeConflict
	// CodeOtherRules means that other code has built the active version, so that the client has to ask another process.
	CodeOtherRules
	// CodeBuilding means that the first version of a projection is being built, and is not active yet.
	CodeBuilding
	// CodeBehind means that the tables do not yet reflect the requested position.
	CodeBehind
	// CodeBusy means that too many reads wait for the database.
	CodeBusy
	// CodeForbidden means that only operators get an answer, at another address.
	CodeForbidden
)

// Error is a failure that the client is told about. Message is the text that the client reads.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return e.Message }

// Invalid returns an Error with CodeInvalid.
func Invalid(format string, args ...any) error {
	return &Error{CodeInvalid, fmt.Sprintf(format, args...)}
}

// BadRequest returns an Error with CodeBadRequest.
func BadRequest(format string, args ...any) error {
	return &Error{CodeBadRequest, fmt.Sprintf(format, args...)}
}

// NotFound returns an Error with CodeNotFound.
func NotFound(format string, args ...any) error {
	return &Error{CodeNotFound, fmt.Sprintf(format, args...)}
}

// Behind returns the error for a position that the tables did not reach in time, as on a replica that lags.
func Behind(position string) error {
	return &Error{CodeBehind, fmt.Sprintf("the tables have not reached the position %q; try again soon (if it is of another archive, they never will)", position)}
}

// answerError is an error of a resource that determines its own answer: a status, and a body of the resource's own shape
// (nil for none). With a method AnswerClass it also determines the class of that answer.
type answerError interface {
	error
	Answer() (status int, body any)
}

// ErrNoChain is the answer while there is no block.
var ErrNoChain = &Error{CodeNotFound, "no current block"}

// ErrorBody is the body of all failures but 503, except where an operation has a shape of its own.
type ErrorBody struct {
	StatusCode int    `json:"statusCode" doc:"The HTTP status."`
	Code       string `json:"code,omitempty" doc:"FST_ERR_VALIDATION for a parameter that does not match its schema; 57014 for a query that took too long."`
	Reason     string `json:"error" doc:"The reason phrase of the HTTP status."`
	Message    string `json:"message" doc:"What is wrong."`
}

// UnavailableBody is the body of 503: the database can't be reached, or has rows that this program can't read.
type UnavailableBody struct {
	Error string `json:"error"`
}

// SQLSTATEs that are treated specially.
const (
	QueryCanceled      = "57014"
	undefinedTable     = "42P01"
	invalidSchemaName  = "3F000"
	featureUnsupported = "0A000" // a cached plan whose result type has changed
	readOnlyConflict   = "40001" // a standby had to cancel the query
)

// statusClientGone is the status in the access log and the metrics for a client that did not wait for the answer.
const statusClientGone = 499

// Failure turns an error into an HTTP status and body. It is the only place that does. known reports whether the body
// tells the client everything; otherwise the error should be logged for the operator.
func Failure(err error, requestID string) (status int, body any, known bool) {
	var own *Error
	var other answerError
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &other):
		status, body = other.Answer()
		return status, body, true
	case errors.As(err, &own):
		body := ErrorBody{Message: own.Message}
		switch own.Code {
		case CodeInvalid:
			body.StatusCode, body.Code = http.StatusBadRequest, "FST_ERR_VALIDATION"
		case CodeBadRequest:
			body.StatusCode = http.StatusBadRequest
		case CodeNotFound:
			body.StatusCode = http.StatusNotFound
		case CodeForbidden:
			body.StatusCode = http.StatusForbidden
		case CodeConflict:
			body.StatusCode = http.StatusConflict
		case CodeOtherRules, CodeBuilding, CodeBehind, CodeBusy:
			return http.StatusServiceUnavailable, UnavailableBody{own.Message}, true
		}
		body.Reason = http.StatusText(body.StatusCode)
		return body.StatusCode, body, true
	case errors.Is(err, context.Canceled):
		return statusClientGone, nil, true
	case errors.As(err, &pg) && pg.Code == QueryCanceled:
		return http.StatusInternalServerError, ErrorBody{
			StatusCode: http.StatusInternalServerError, Code: QueryCanceled, Reason: http.StatusText(http.StatusInternalServerError),
			Message: "canceling statement due to statement timeout",
		}, false
	case dberror.Passing(err):
		return http.StatusServiceUnavailable, UnavailableBody{"The database service is unavailable"}, false
	}
	return http.StatusInternalServerError, ErrorBody{
		StatusCode: http.StatusInternalServerError, Reason: http.StatusText(http.StatusInternalServerError),
		Message: "The request failed; the server's log has the reason under request id " + requestID,
	}, false
}

// worthRetrying reports whether the same read is likely to succeed if it is repeated at once: the connection had died
// while it was idle, or the version of a projection that was read has just been dropped in favor of another.
func worthRetrying(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case undefinedTable, invalidSchemaName, featureUnsupported, readOnlyConflict, "57P01":
			return true
		}
		return false
	}
	return dberror.Disconnected(err)
}

// RouteNotFound answers requests for paths and methods that don't exist.
func RouteNotFound(w http.ResponseWriter, r *http.Request) {
	x := ExchangeOf(r.Context())
	body := struct {
		Message    string `json:"message"`
		Error      string `json:"error"`
		StatusCode int    `json:"statusCode"`
	}{fmt.Sprintf("Route %s:%s not found", r.Method, x.Target), http.StatusText(http.StatusNotFound), http.StatusNotFound}
	c := answer.Config{Status: http.StatusNotFound}
	if x.family != nil {
		c.Class = x.family.NotFound
	}
	ErrorAnswer(body, c).Serve(w, r, answer.Moment{})
}
