package names

import (
	"fmt"
	"net/http"
)

// errorBody is the body of failures of these operations.
type errorBody struct {
	Error    string `json:"error"`
	Resolver string `json:"resolver,omitempty" doc:"Who may know a subdomain that is not on the chain: the URL of the resolver in the zonefile of the name. The zonefile's author wrote it, and nobody checked it."`
}

// failure is an error with its own status and body.
type failure struct {
	status int
	body   errorBody
}

func (f *failure) Error() string { return f.body.Error }

// Answer implements engine.AnswerError.
func (f *failure) Answer() (status int, body any) { return f.status, &f.body }

func badRequest(text string) error { return &failure{http.StatusBadRequest, errorBody{Error: text}} }

func notFound(format string, args ...any) error {
	return &failure{http.StatusNotFound, errorBody{Error: fmt.Sprintf(format, args...)}}
}
