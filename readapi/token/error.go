package token

import (
	"net/http"

	"strata/domain/fetch"
)

// tokenError is an answer of the resources of tokens that says why there is no metadata. Its body is that of
// token-metadata-api.
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
	Message string `json:"message,omitempty" doc:"Of a Token error: what is wrong with the contract or the document."`
}

var (
	errContractNotFound = &tokenError{http.StatusNotFound, tokenErrorBody{Reason: "Contract not found"}}
	errTokenNotFound    = &tokenError{http.StatusNotFound, tokenErrorBody{Reason: "Token not found"}}
	errLocaleNotFound   = &tokenError{http.StatusUnprocessableEntity, tokenErrorBody{Reason: "Locale not found"}}
	errInProgress       = &tokenError{http.StatusUnprocessableEntity, tokenErrorBody{Reason: "Token metadata fetch in progress"}}
)

// newTokenError is the answer for a token that nothing good is known of.
func newTokenError(reason fetch.Reason) error {
	return &tokenError{http.StatusUnprocessableEntity, tokenErrorBody{Reason: "Token error", Message: reason.Message()}}
}
