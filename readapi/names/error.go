package names

import (
	"fmt"
	"net/http"
)

// bnsV1Failure is the body of failures of these operations.
type bnsV1Failure struct {
	Error    string `json:"error"`
	Resolver string `json:"resolver,omitempty" doc:"Who may know a subdomain that is not on the chain: the URL of the resolver in the zonefile of the name. The zonefile's author wrote it, and nobody checked it."`
}

// bnsV1Refusal describes the bodies of status 400: that of a bnsV1Failure, and for a malformed parameter that of any
// operation.
type bnsV1Refusal struct {
	StatusCode int    `json:"statusCode,omitempty" doc:"The HTTP status, for a malformed parameter."`
	Code       string `json:"code,omitempty" doc:"FST_ERR_VALIDATION for a malformed parameter."`
	Error      string `json:"error" doc:"What is wrong."`
	Message    string `json:"message,omitempty" doc:"What is wrong with a malformed parameter."`
}

// failure is an error with its own status and body.
type failure struct {
	status int
	body   bnsV1Failure
}

func (f *failure) Error() string { return f.body.Error }

// Answer implements engine.AnswerError.
func (f *failure) Answer() (status int, body any) { return f.status, &f.body }

func badRequest(text string) error { return &failure{http.StatusBadRequest, bnsV1Failure{Error: text}} }

func notFound(format string, args ...any) error {
	return &failure{http.StatusNotFound, bnsV1Failure{Error: fmt.Sprintf(format, args...)}}
}
