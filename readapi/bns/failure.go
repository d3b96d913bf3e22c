package bns

import (
	"net/http"
)

// bnsFailureBody is the body of all failures, as the public service has it.
type bnsFailureBody struct {
	Error string `json:"error" doc:"What is wrong."`
	// These are set by can-register only.
	CanRegister *bool  `json:"can_register,omitempty" doc:"Only of can-register: false."`
	Reason      string `json:"reason,omitempty" doc:"Only of can-register: NAMESPACE_NOT_FOUND."`
	Details     string `json:"details,omitempty" doc:"More about it."`
}

// failure is an answer with a status and such a body.
type failure struct {
	status int
	body   bnsFailureBody
}

func (f *failure) Error() string { return f.body.Error }

// Answer implements engine.answerError.
func (f *failure) Answer() (status int, body any) { return f.status, f.body }

func notFound(message string) error {
	return &failure{http.StatusNotFound, bnsFailureBody{Error: message}}
}

func badRequest(message string) error {
	return &failure{http.StatusBadRequest, bnsFailureBody{Error: message}}
}

// refuse returns the error for a parameter that does not match its schema.
func refuse(err error) error { return badRequest(err.Error()) }

// errNoBlock answers while no block has been folded.
var errNoBlock = &failure{http.StatusServiceUnavailable, bnsFailureBody{Error: "No block is known yet"}}

// Errors of the public service.
var (
	errNamespace = notFound("Namespace not found")
	errName      = notFound("Name not found")
	errToken     = notFound("Token ID not found")
	errLaunch    = badRequest("Namespace not launched")
)
