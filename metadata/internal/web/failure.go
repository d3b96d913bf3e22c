package web

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"strata/domain/fetch"
)

// failure is an error that knows what kind of failure it is.
type failure struct {
	kind fetch.Failure
	text string
}

func (f *failure) Error() string { return f.text }

// tooSlow is the cause with which a context ends whose patience is over.
func tooSlow(what string, after time.Duration) error {
	return &failure{fetch.FailureTimeout, what + " within " + after.String()}
}

// describe says what kind of failure an error is, and what to tell of it.
func describe(err error) (fetch.Failure, string) {
	var known *failure
	if errors.As(err, &known) {
		return known.kind, known.text
	}
	// A joined error has a line for each address that was dialled.
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
