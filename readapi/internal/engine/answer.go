package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/register"
)

// DeprecationWarning is the Warning header of deprecated operations.
const DeprecationWarning = `299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"`

// Delivery is an answer together with the moment that its headers report.
type Delivery struct {
	*answer.Answer
	moment answer.Moment
}

// Write sends the answer through huma.
func (d Delivery) Write(ctx huma.Context) {
	r, w := humago.Unwrap(ctx)
	d.Serve(w, r, d.moment)
}

// Read runs a handler on a snapshot, and retries once after an error that is unlikely to repeat. p lists what the answer
// may depend on; with a nil p it may depend on anything. known is the state that the database was in a moment ago; nil if
// unknown. With a known state the handler first runs without a transaction, assuming that state.
func (e *Engine) Read(ctx context.Context, p *Plan, known *register.State, handler handler) (value any, s *Snapshot, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.Config.RequestTimeout)
	defer cancel()
	var assumed []*register.Version
	if known != nil && !e.cannotAssume.Load() {
		assumed = p.dependencies().versions(known)
	}
	if assumed != nil {
		s = e.assume(p, known, assumed)
		value, err = handleIn(ctx, s, handler)
		if (err == nil || IsAnswer(err)) && *s.confirmed || IsAnswer(err) && !s.dependsOnState() {
			return value, s, err
		}
		if errors.Is(err, register.ErrIsolation) && !e.cannotAssume.Swap(true) {
			e.Config.Logger.LogAttrs(ctx, slog.LevelInfo, "reads can't assume a known state; each takes one more round trip", slog.Any("reason", err))
		}
	}
	attempts := 2
	if e.Config.Primary != nil {
		attempts = 4 // a server may fail, and the connections to it that are left
	}
	for attempt := range attempts {
		if s, err = e.Begin(ctx, p); err == nil {
			value, err = handleIn(ctx, s, handler)
			if err == nil || !e.worthRetrying(err) {
				return value, s, err
			}
		} else if !e.worthRetrying(err) {
			break
		}
		e.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "read failed", slog.Int("attempt", attempt+1), slog.Any("error", err))
	}
	return nil, nil, err
}

// worthRetrying reports whether the same read is likely to succeed if it is repeated at once. Where there are several servers, that
// includes a connection that could not be made: the next one goes elsewhere.
func (e *Engine) worthRetrying(err error) bool {
	return worthRetrying(err) || e.Config.Primary != nil && errors.As(err, new(*pgconn.ConnectError))
}

func handleIn(ctx context.Context, s *Snapshot, handler handler) (value any, err error) {
	defer s.Close()
	defer func() {
		if s.unfit != nil {
			err = s.unfit
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			s.Engine.Panicked()
			// Other requests may be waiting for this answer, so the panic has to become an error.
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if s.plan != nil && s.plan.declared != nil {
		if err := s.plan.declared.building(s.State); err != nil {
			return nil, err
		}
	}
	return handler(ctx, s)
}

// NewAnswer builds the answer for a handler's value. A value with a method HTTPStatus decides its own status.
func NewAnswer(value any, c answer.Config) (*answer.Answer, error) {
	if f, ok := value.(*File); ok {
		f.describe(&c)
		return answer.New(c), nil
	}
	if v, ok := value.(interface{ HTTPStatus() int }); ok {
		c.Status = v.HTTPStatus()
	}
	body, err := Encode(value)
	if err != nil {
		return nil, err
	}
	c.ContentType, c.Body = JSONType, body
	return answer.New(c), nil
}

// FailureAnswer builds the answer for an error. It logs errors whose details the client is not told.
func (e *Engine) FailureAnswer(ctx context.Context, err error, c answer.Config) *answer.Answer {
	x := ExchangeOf(ctx)
	status, body, known := Failure(err, x.ID)
	if !known {
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn
		}
		e.Config.Logger.LogAttrs(ctx, level, "request failed", slog.String("id", x.ID), slog.String("operation", x.operation),
			slog.String("target", x.Target), slog.Int("status", status), slog.Any("error", err))
	}
	c.Status, c.SettlesAt = status, 0
	if status == http.StatusServiceUnavailable { // nothing of it lasts: the database is away, tables are built, reads wait
		c.Fields = append(c.Fields, answer.Field{Name: "Retry-After", Values: []string{"1"}})
	}
	if moved := new(RedirectError); errors.As(err, &moved) {
		moved.describe(&c)
	}
	return ErrorAnswer(body, c)
}

// ClientErrorAnswer builds the answer for an error that is the client's alone, so that nothing is logged.
func ClientErrorAnswer(err error) *answer.Answer {
	status, body, _ := Failure(err, "")
	c := answer.Config{Status: status}
	var classed interface {
		error
		AnswerClass() answer.Class
	}
	if errors.As(err, &classed) {
		c.Class = classed.AnswerClass()
	}
	return ErrorAnswer(body, c)
}

// ErrorAnswer builds an answer with a JSON body; a nil body stands for none.
func ErrorAnswer(body any, c answer.Config) *answer.Answer {
	if body != nil {
		text, err := Encode(body)
		if err != nil {
			panic(err) // only our own types come here, and all of them can be encoded
		}
		c.ContentType, c.Body = JSONType, text
	}
	return answer.New(c)
}

// JSONType is the media type of JSON answers.
const JSONType = "application/json; charset=utf-8"

// Encode returns a value as JSON, without a newline at the end. It does not escape <, > and &. A value with a method
// AppendJSON writes itself.
func Encode(value any) ([]byte, error) {
	if v, ok := value.(interface {
		AppendJSON(b []byte) ([]byte, error)
	}); ok {
		return v.AppendJSON(nil)
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode %T: %w", value, err)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// IsAnswer reports whether an error is a regular answer to the client, such as 404, rather than a failure of the server.
func IsAnswer(err error) bool {
	var own *Error
	var other answerError
	return errors.As(err, &own) || errors.As(err, &other)
}

// File is an answer whose body is bytes rather than JSON.
type File struct {
	ContentType string
	Head        []byte
	Rest        func(ctx context.Context, w io.Writer) error
	Open        func(ctx context.Context) io.ReadSeekCloser // instead of Head and Rest
	Size        int64
	Tag         answer.Tag // identifies the content; default a digest of the body, or of the state that a streamed body is read from
	Fields      []answer.Field
}

// isStreamed reports whether the body is not held in memory as a whole.
func (f *File) isStreamed() bool { return f.Rest != nil || f.Open != nil }

func (f *File) describe(c *answer.Config) {
	c.ContentType, c.Body, c.Rest, c.Open, c.Size = f.ContentType, f.Head, f.Rest, f.Open, f.Size
	if f.Tag != (answer.Tag{}) {
		c.Tag = f.Tag
	}
	c.Fields = append(c.Fields, f.Fields...)
	c.Fields = append(c.Fields, answer.Field{Name: "X-Content-Type-Options", Values: []string{"nosniff"}})
}

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
