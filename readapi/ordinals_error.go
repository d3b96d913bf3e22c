package readapi

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/readapi/internal/answer"
)

// ordinalsError is an answer of the ordinals family that is not the one that the client hoped for. Its body is that of
// ordinals-api.
type ordinalsError struct {
	status int
	body   any
}

func (e *ordinalsError) Error() string {
	switch body := e.body.(type) {
	case ordinalsErrorBody:
		return body.Error
	case errorBody:
		return body.Message
	}
	return http.StatusText(e.status)
}

// Answer implements engine.AnswerError.
func (e *ordinalsError) Answer() (status int, body any) { return e.status, e.body }

// AnswerClass is the class of the answer.
func (e *ordinalsError) AnswerClass() answer.Class { return answer.TipPlainErrors }

// ordinalsErrorBody is the body of what is not there, and of a satoshi that can't be.
type ordinalsErrorBody struct {
	Error string `json:"error" doc:"What is wrong."`
}

var (
	// errOrdinalsNotFound: there is no such inscription, token or the like.
	errOrdinalsNotFound = &ordinalsError{http.StatusNotFound, ordinalsErrorBody{"Not found"}}
	// errSatoshi: whatever is wrong with a request for a satoshi.
	errSatoshi = &ordinalsError{http.StatusBadRequest, ordinalsErrorBody{"Invalid satoshi ordinal number"}}
	// errCountTooLong: filters that match more than can be counted in time.
	errCountTooLong = &ordinalsError{http.StatusServiceUnavailable, errorBody{
		StatusCode: http.StatusServiceUnavailable, Code: queryCanceled, Reason: http.StatusText(http.StatusServiceUnavailable),
		Message: "what these filters match could not be counted in time: use fewer filters, or one that fewer match",
	}}
)

// refuseOrdinals words a parameter that does not match its schema. It has no code, unlike those of the other families.
func refuseOrdinals(err error) error {
	return &ordinalsError{http.StatusBadRequest, errorBody{
		StatusCode: http.StatusBadRequest, Reason: http.StatusText(http.StatusBadRequest), Message: err.Error(),
	}}
}

// refuseSatoshi is the answer to any parameter of a satoshi's resources that does not match its schema.
func refuseSatoshi(error) error { return errSatoshi }

// countTooLong tells a count that the database gave up from other failures.
func countTooLong(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == queryCanceled {
		return errCountTooLong
	}
	return err
}
