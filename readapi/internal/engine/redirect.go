package engine

import (
	"context"
	"net/http"
	"strings"

	"strata/readapi/internal/answer"
)

// RedirectError is an answer that sends the client to another path.
type RedirectError struct{ location string }

func (e *RedirectError) Error() string { return "moved to " + e.location }

// Answer implements answerError.
func (e *RedirectError) Answer() (status int, body any) { return http.StatusFound, nil }

// describe turns the answer into a redirect. It is not cached: building it takes no query.
func (e *RedirectError) describe(c *answer.Config) {
	c.Status, c.Class = http.StatusFound, answer.NoStore
	c.Fields = append(c.Fields, answer.Field{Name: "Location", Values: []string{e.location}})
}

// RedirectTo sends the client to another path, with its query parameters unchanged.
func RedirectTo(ctx context.Context, path string) error {
	if _, query, ok := strings.Cut(ExchangeOf(ctx).Target, "?"); ok {
		path += "?" + query
	}
	return &RedirectError{path}
}
