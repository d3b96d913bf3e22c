package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/readapi/internal/answer"
)

// Code says what kind of failure an Error is.
type Code int

// Codes.
const (
	// CodeInvalid: a parameter does not match its schema.
	CodeInvalid Code = iota + 1
	// CodeBadRequest: each parameter is well-formed, but the request makes no sense.
	CodeBadRequest
	// CodeNotFound: what was asked for does not exist.
	CodeNotFound
	// CodeConflict: it exists, but can't be read together, or by this program.
	CodeConflict
	// CodeOtherRules: other code has built what is active, so that another process has to be asked.
	CodeOtherRules
	// CodeBehind: the tables do not reflect yet what was asked for.
	CodeBehind
)

// Error is an answer to the client that is not the one it hoped for. Message is what the client reads.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return e.Message }

func Invalid(format string, args ...any) error {
	return &Error{CodeInvalid, fmt.Sprintf(format, args...)}
}

func BadRequest(format string, args ...any) error {
	return &Error{CodeBadRequest, fmt.Sprintf(format, args...)}
}

func NotFound(format string, args ...any) error {
	return &Error{CodeNotFound, fmt.Sprintf(format, args...)}
}

// answerError is an error of a resource that says itself what the client gets: a status, and a body of the resource's own shape
// (nil for none). With a method AnswerClass it also says the class of that answer.
type answerError interface {
	error
	Answer() (status int, body any)
}

// errNoChain is the answer while there is no block.
var ErrNoChain = &Error{CodeNotFound, "no current block"}

// errorBody is the body of all failures but an unreachable database.
type ErrorBody struct {
	StatusCode int    `json:"statusCode" doc:"The HTTP status."`
	Code       string `json:"code,omitempty" doc:"FST_ERR_VALIDATION for a parameter that does not match its schema; 57014 for a query that took too long."`
	Reason     string `json:"error" doc:"The text of the HTTP status."`
	Message    string `json:"message" doc:"What is wrong."`
}

// unavailableBody is the body while the database can't be reached, or has rows that this program can't read.
type UnavailableBody struct {
	Error string `json:"error"`
}

// SQLSTATEs that are more than "something went wrong".
const (
	QueryCanceled      = "57014"
	undefinedTable     = "42P01"
	invalidSchemaName  = "3F000"
	featureUnsupported = "0A000" // a cached plan whose result changed
	readOnlyConflict   = "40001" // a standby had to cancel the query
)

// statusClientGone is logged for a request whose client did not wait for the answer.
const statusClientGone = 499

// failure turns an error into an HTTP status and body. It is the only place that does. known says that the client was
// told all there is to say; otherwise an operator should hear of it.
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
		case CodeConflict:
			body.StatusCode = http.StatusConflict
		case CodeOtherRules, CodeBehind:
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
	case unavailable(err):
		return http.StatusServiceUnavailable, UnavailableBody{"The database service is unavailable"}, false
	}
	return http.StatusInternalServerError, ErrorBody{
		StatusCode: http.StatusInternalServerError, Reason: http.StatusText(http.StatusInternalServerError),
		Message: "The request failed; the server's log has the reason under request id " + requestID,
	}, false
}

// unavailable says whether an error is the database's state rather than the request's.
func unavailable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "08", // connection exception
			"53", // insufficient resources: too many connections, disk full
			"57", // operator intervention: shutdown, cannot connect now
			"58": // system error outside Postgres
			return true
		}
		return pg.Code == readOnlyConflict
	}
	return disconnected(err)
}

// disconnected says whether the connection to the database broke, or could not be made.
func disconnected(err error) bool {
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) ||
		strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool")
}

// worthRetrying says whether the same read is likely to succeed at once: the connection had died while it was idle, or
// the version of a projection that was read has just been dropped for another.
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
	return disconnected(err)
}

// routeNotFound answers paths and methods that don't exist.
func RouteNotFound(w http.ResponseWriter, r *http.Request) {
	method, target := r.Method, ExchangeOf(r.Context()).Target
	body := struct {
		Message    string `json:"message"`
		Error      string `json:"error"`
		StatusCode int    `json:"statusCode"`
	}{fmt.Sprintf("Route %s:%s not found", method, target), http.StatusText(http.StatusNotFound), http.StatusNotFound}
	c := answer.Config{Status: http.StatusNotFound}
	if strings.HasPrefix(target, MetadataPath) || strings.HasPrefix(target, OrdinalsPath) {
		c.Class = answer.TipPlainErrors
	}
	ErrorAnswer(body, c).Serve(w, r, answer.Moment{})
}
