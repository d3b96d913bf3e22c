package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/projections"
	"strata/projections/version"
)

// failureError is the body of an answer that is not the hoped for one.
type failureError struct {
	StatusCode int               `json:"statusCode" doc:"The HTTP status."`
	Reason     string            `json:"error" doc:"The text of the HTTP status."`
	Message    string            `json:"message" doc:"What is wrong."`
	Advice     string            `json:"advice,omitempty" doc:"What to do about it."`
	Findings   []version.Finding `json:"findings,omitempty" doc:"What is wrong with a version that is not fit for readers."`
}

// Error implements error.
func (f *failureError) Error() string { return f.Message }

// GetStatus implements huma.StatusError.
func (f *failureError) GetStatus() int { return f.StatusCode }

// failed makes the answer of an error. It is the only place that does.
func failed(err error) *failureError {
	var own *failureError
	if errors.As(err, &own) {
		return own
	}
	f := &failureError{StatusCode: statusOf(err), Message: err.Error(), Advice: Advice(err)}
	f.Reason = http.StatusText(f.StatusCode)
	var unfit *version.VerifyError
	if errors.As(err, &unfit) {
		f.Findings = unfit.Findings
	}
	return f
}

func statusOf(err error) int {
	var unfit *version.VerifyError
	var pg *pgconn.PgError
	var network net.Error
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, projections.ErrUnknown), errors.Is(err, version.ErrNotRegistered):
		return http.StatusNotFound
	case errors.As(err, &unfit):
		return http.StatusUnprocessableEntity
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	case errors.As(err, &pg):
		return http.StatusInternalServerError
	}
	return http.StatusConflict // what is refused for a reason says it
}

// Advice is what to do about an error of package projections, in a sentence; empty when the error says it itself, or nobody
// knows.
func Advice(err error) string {
	var behind *version.BehindError
	var input *version.InputError
	var unfit *version.VerifyError
	switch {
	case errors.Is(err, projections.ErrUnknown):
		return "The names are those of strata projections status"
	case errors.Is(err, version.ErrNotRegistered):
		return "The versions are those of strata projections status"
	case errors.Is(err, version.ErrUnbuilt):
		return "strata serve builds the first one, and so does strata import --wait"
	case errors.Is(err, version.ErrTaken):
		return "Leave the number out, choose another, or drop that version first"
	case errors.Is(err, version.ErrActive):
		return "Activate another version first, or roll back"
	case errors.Is(err, version.ErrViewed):
		return "Those in schema api soon follow a switch: try again in a second; another view has to be dropped by who made it"
	case errors.Is(err, version.ErrNoPrevious):
		return "Activate the version that you want"
	case errors.Is(err, version.ErrRules):
		return "Ask a process that has the code which built it, or build it again with this one"
	case errors.As(err, &behind):
		return "Wait until it has caught up: strata projections status says when; if its position does not move, no running process has its code"
	case errors.As(err, &input):
		return ""
	case errors.As(err, &unfit):
		return adviceFor(unfit.Findings)
	}
	return ""
}

// adviceFor tells a version that is not finished from one that is wrong.
func adviceFor(findings []version.Finding) string {
	for _, f := range findings {
		switch f.Check {
		case "it has caught up":
			return "Wait until it has caught up: strata projections status says when; if its position does not move, no running process has its code"
		case "it runs":
			return "See what stopped it with strata projections status, and let it try again with strata projections resume"
		}
	}
	return "Correct the code, raise the number of its rules, and build it again; what is active stays as it is"
}

// writeFailure writes a failure outside of any operation.
func writeFailure(w http.ResponseWriter, f *failureError) {
	f.Reason = http.StatusText(f.StatusCode)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.StatusCode)
	_ = json.NewEncoder(w).Encode(f) // to a client that may be gone
}
