package token

import (
	"net/http"

	"strata/domain/fetch"
)

// tokenError is an error that the client gets: it says why there is no metadata, in the shape of token-metadata-api.
type tokenError struct {
	status int
	body   tokenErrorBody
}

func (e *tokenError) Error() string {
	if e.body.Message != "" {
		return e.body.Reason + ": " + e.body.Message
	}
	return e.body.Reason
}

// Answer implements engine.AnswerError.
func (e *tokenError) Answer() (status int, body any) { return e.status, e.body }

type tokenErrorBody struct {
	Reason  string `json:"error" enum:"Contract not found,Token not found,Locale not found,Token metadata fetch in progress,Token error"`
	Message string `json:"message,omitempty" doc:"For a Token error: what is wrong with the contract or the document."`
}

var (
	errContractNotFound = &tokenError{http.StatusNotFound, tokenErrorBody{Reason: "Contract not found"}}
	errTokenNotFound    = &tokenError{http.StatusNotFound, tokenErrorBody{Reason: "Token not found"}}
	errLocaleNotFound   = &tokenError{http.StatusUnprocessableEntity, tokenErrorBody{Reason: "Locale not found"}}
	errInProgress       = &tokenError{http.StatusUnprocessableEntity, tokenErrorBody{Reason: "Token metadata fetch in progress"}}
)

// newTokenError returns the error for a token whose fetch attempts have all failed.
func newTokenError(reason fetch.Reason) error {
	return &tokenError{http.StatusUnprocessableEntity, tokenErrorBody{Reason: "Token error", Message: reason.Message()}}
}
