package admin

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/fetch"
	"strata/internal/dberror"
	"strata/projections"
	"strata/projections/version"
)

// failureError is the body of an error answer.
type failureError struct {
	StatusCode int               `json:"statusCode" doc:"The HTTP status."`
	Reason     string            `json:"error" doc:"The text of the HTTP status."`
	Message    string            `json:"message" doc:"What is wrong."`
	Advice     string            `json:"advice,omitempty" doc:"What to do about it."`
	Findings   []version.Finding `json:"findings,omitempty" doc:"What is wrong with the version, when it is not fit for readers."`
}

// Error implements error.
func (f *failureError) Error() string { return f.Message }

// GetStatus implements huma.StatusError.
func (f *failureError) GetStatus() int { return f.StatusCode }

// failureOf returns the answer for an error. It is the only place that makes one.
func failureOf(err error) *failureError {
	var own *failureError
	if errors.As(err, &own) {
		return own
	}
	f := &failureError{StatusCode: statusCodeOf(err), Message: err.Error(), Advice: Advice(err)}
	f.Reason = http.StatusText(f.StatusCode)
	var unfit *version.VerifyError
	if errors.As(err, &unfit) {
		f.Findings = unfit.Findings
	}
	return f
}

func statusCodeOf(err error) int {
	var unfit *version.VerifyError
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, projections.ErrUnknown), errors.Is(err, version.ErrNotRegistered):
		return http.StatusNotFound
	case errors.As(err, &unfit), errors.Is(err, fetch.ErrNoContract), errors.Is(err, fetch.ErrNoDeploy), errors.Is(err, fetch.ErrNoTokens), errors.Is(err, fetch.ErrNoInterface):
		return http.StatusUnprocessableEntity
	case dberror.Passing(err):
		return http.StatusServiceUnavailable
	case errors.As(err, &pg):
		return http.StatusInternalServerError
	}
	return http.StatusConflict // package version refused the operation
}

// Advice returns what to do about an error of package version, in a sentence; empty when the error says so itself, or
// when there is nothing to advise.
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
		return "Views in schema api soon follow a switch: try again in a second; another view must be dropped by who made it"
	case errors.Is(err, version.ErrNoPrevious):
		return "Activate the version that you want"
	case errors.Is(err, version.ErrRules):
		return "Ask a process that has the code which built it, or rebuild it with this program"
	case errors.As(err, &behind):
		return "Wait until it has caught up: strata projections status says when; if its position does not move, no running process has its code"
	case errors.As(err, &input):
		return ""
	case errors.As(err, &unfit):
		return adviceFor(unfit.Findings)
	}
	return ""
}

// adviceFor returns advice for a version that is not fit for readers: it may be unfinished, stopped, or wrong.
func adviceFor(findings []version.Finding) string {
	for _, f := range findings {
		switch f.Check {
		case "it has caught up":
			return "Wait until it has caught up: strata projections status says when; if its position does not move, no running process has its code"
		case "it runs":
			return "See what stopped it with strata projections status, and let it try again with strata projections resume"
		}
	}
	return "Correct the code, raise the number of its rules, and build it again; the active version stays as it is"
}

// writeFailure writes an error answer outside of huma's operations.
func writeFailure(w http.ResponseWriter, f *failureError) {
	f.Reason = http.StatusText(f.StatusCode)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.StatusCode)
	_ = json.NewEncoder(w).Encode(f) // the client may be gone
}
