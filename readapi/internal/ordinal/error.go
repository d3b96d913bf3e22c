package ordinal

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// ordinalsError is an answer of the ordinals family that is not the one that the client hoped for. Its body is that of
// ordinals-api.
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

// AnswerClass is the class of the answer.
func (e *ordinalsError) AnswerClass() answer.Class { return answer.TipPlainErrors }

// ordinalsErrorBody is the body of what is not there, and of a satoshi that can't be.
type OrdinalsErrorBody struct {
	Error string `json:"error" doc:"What is wrong."`
}

var (
	// errOrdinalsNotFound: there is no such inscription, token or the like.
	ErrOrdinalsNotFound = &ordinalsError{http.StatusNotFound, OrdinalsErrorBody{"Not found"}}
	// errSatoshi: whatever is wrong with a request for a satoshi.
	ErrSatoshi = &ordinalsError{http.StatusBadRequest, OrdinalsErrorBody{"Invalid satoshi ordinal number"}}
	// errCountTooLong: filters that match more than can be counted in time.
	errCountTooLong = &ordinalsError{http.StatusServiceUnavailable, engine.ErrorBody{
		StatusCode: http.StatusServiceUnavailable, Code: engine.QueryCanceled, Reason: http.StatusText(http.StatusServiceUnavailable),
		Message: "what these filters match could not be counted in time: use fewer filters, or one that fewer match",
	}}
)

// refuseOrdinals words a parameter that does not match its schema. It has no code, unlike those of the other families.
func refuseOrdinals(err error) error {
	return &ordinalsError{http.StatusBadRequest, engine.ErrorBody{
		StatusCode: http.StatusBadRequest, Reason: http.StatusText(http.StatusBadRequest), Message: err.Error(),
	}}
}

// refuseSatoshi is the answer to any parameter of a satoshi's resources that does not match its schema.
func RefuseSatoshi(error) error { return ErrSatoshi }

// countTooLong tells a count that the database gave up from other failures.
func CountTooLong(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == engine.QueryCanceled {
		return errCountTooLong
	}
	return err
}
