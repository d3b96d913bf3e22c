package ordinal

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// ordinalsError is an error answer of the ordinals API, with the body that ordinals-api gives it.
type ordinalsError struct {
	status int
	body   any
}

func (e *ordinalsError) Error() string {
	switch body := e.body.(type) {
	case OrdinalsErrorBody:
		return body.Error
	case engine.ErrorBody:
		return body.Message
	}
	return http.StatusText(e.status)
}

// Answer implements engine.AnswerError.
func (e *ordinalsError) Answer() (status int, body any) { return e.status, e.body }

// AnswerClass returns the caching class of the answer.
func (e *ordinalsError) AnswerClass() answer.Class { return answer.TipPlainErrors }

// OrdinalsErrorBody is the body for a resource that does not exist and for an invalid satoshi.
type OrdinalsErrorBody struct {
	Error   string      `json:"error" doc:"What is wrong."`
	Message string      `json:"message,omitempty" doc:"Why it may exist nevertheless: the feed had an operation that could not be read. Absent otherwise."`
	Unread  *UnreadPart `json:"unread,omitempty" doc:"That operation. Absent otherwise."`
}

var (
	// ErrOrdinalsNotFound answers a request for an inscription, a token or another resource that does not exist.
	ErrOrdinalsNotFound = &ordinalsError{http.StatusNotFound, OrdinalsErrorBody{Error: "Not found"}}
	// ErrSatoshi answers a request for a satoshi with any invalid parameter.
	ErrSatoshi = &ordinalsError{http.StatusBadRequest, OrdinalsErrorBody{Error: "Invalid satoshi ordinal number"}}
	// errCountTooLong answers a request whose filters match more rows than can be counted within the statement timeout.
	errCountTooLong = &ordinalsError{http.StatusServiceUnavailable, engine.ErrorBody{
		StatusCode: http.StatusServiceUnavailable, Code: engine.QueryCanceled, Reason: http.StatusText(http.StatusServiceUnavailable),
		Message: "what these filters match could not be counted in time: use fewer filters, or one that fewer match",
	}}
)

// refuseOrdinals returns the error for a parameter that does not match its schema. Unlike the errors of the other API
// families, it has no code.
func refuseOrdinals(err error) error {
	return &ordinalsError{http.StatusBadRequest, engine.ErrorBody{
		StatusCode: http.StatusBadRequest, Reason: http.StatusText(http.StatusBadRequest), Message: err.Error(),
	}}
}

// RefuseSatoshi returns the error for any invalid parameter of an operation on a satoshi.
func RefuseSatoshi(error) error { return ErrSatoshi }

// CountTooLong replaces the error of a count that ran into the statement timeout by one for the client; it returns
// other errors unchanged.
func CountTooLong(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == engine.QueryCanceled {
		return errCountTooLong
	}
	return err
}
