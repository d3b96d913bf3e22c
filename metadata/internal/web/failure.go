package web

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"strata/domain/fetch"
	"strata/internal/destination"
)

// failure is an error with a kind of failure.
type failure struct {
	kind fetch.Failure
	text string
}

func (f *failure) Error() string { return f.text }

// timeoutFailure returns the cause with which a context is cancelled when a timeout is over.
func timeoutFailure(what string, after time.Duration) error {
	return &failure{fetch.FailureTimeout, what + " within " + after.String()}
}

// classify returns the kind and the text of an error for an exchange.
func classify(err error) (fetch.Failure, string) {
	var known *failure
	if errors.As(err, &known) {
		return known.kind, known.text
	}
	var refused *destination.RefusedError
	if errors.As(err, &refused) {
		return fetch.FailureRefused, refused.Reason
	}
	var unknown *destination.UnknownError
	if errors.As(err, &unknown) {
		return fetch.FailureConnection, unknown.Error()
	}
	// A joined error has one line for each address that was dialled.
	text := strings.ReplaceAll(strings.ToValidUTF8(err.Error(), "\uFFFD"), "\n", "; ")
	if timeout(err) {
		return fetch.FailureTimeout, text
	}
	return fetch.FailureConnection, text
}

func timeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
