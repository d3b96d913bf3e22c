package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/register"
)

// deprecationWarning is the Warning header of deprecated resources.
const DeprecationWarning = `299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"`

// sent is an answer with what is to be said of the time at which it is sent.
type Delivery struct {
	*answer.Answer
	moment answer.Moment
}

// write sends it through huma.
func (s Delivery) Write(ctx huma.Context) {
	r, w := humago.Unwrap(ctx)
	s.Serve(w, r, s.moment)
}

// read runs a handler on a snapshot, and once more when what went wrong is unlikely to go wrong again. p is what the
// answer may depend on; nil is anything. known is the state that the database was in a moment ago; nil for not known.
func (a *Engine) Read(ctx context.Context, p *Plan, known *register.State, handler handler) (value any, s *Snapshot, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	if known != nil && !a.cannotAssume.Load() && p.versions(known) != nil {
		s = a.assume(p, known)
		value, err = handleIn(ctx, s, handler)
		if err == nil || IsAnswer(err) {
			return value, s, err
		}
		if errors.Is(err, register.ErrIsolation) && !a.cannotAssume.Swap(true) {
			a.Config.Logger.LogAttrs(ctx, slog.LevelInfo, "reads take one round trip more", slog.Any("reason", err))
		}
	}
	for attempt := range 2 {
		if s, err = a.Begin(ctx, p); err == nil {
			value, err = handleIn(ctx, s, handler)
			if err == nil || !worthRetrying(err) {
				return value, s, err
			}
		} else if !worthRetrying(err) {
			break
		}
		a.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "a read failed", slog.Int("attempt", attempt+1), slog.Any("error", err))
	}
	return nil, nil, err
}

func handleIn(ctx context.Context, s *Snapshot, handler handler) (value any, err error) {
	defer s.Close()
	defer func() {
		if p := recover(); p != nil {
			// Others may wait for the answer: it has to become one.
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return handler(ctx, s)
}

// answerOf makes the answer of a value. A value with a method HTTPStatus decides its own status.
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
	c.ContentType, c.Body = JsonType, body
	return answer.New(c), nil
}

// failed makes the answer of an error, and tells the operator what the client is not told.
func (a *Engine) FailureAnswer(ctx context.Context, err error, c answer.Config) *answer.Answer {
	x := ExchangeOf(ctx)
	status, body, known := Failure(err, x.ID)
	if !known {
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn
		}
		a.Config.Logger.LogAttrs(ctx, level, "a request failed", slog.String("id", x.ID), slog.String("operation", x.operation),
			slog.String("target", x.Target), slog.Int("status", status), slog.Any("error", err))
		c.Fields = append(c.Fields, answer.Field{Name: "X-Request-Id", Values: []string{x.ID}})
	}
	c.Status, c.SettlesAt = status, 0
	if moved := new(RedirectError); errors.As(err, &moved) {
		moved.describe(&c)
	}
	return ErrorAnswer(body, c)
}

// failureAnswer makes the answer of an error that the client alone has to care about.
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

func ErrorAnswer(body any, c answer.Config) *answer.Answer {
	if body != nil {
		text, err := Encode(body)
		if err != nil {
			panic(err) // these types are our own
		}
		c.ContentType, c.Body = JsonType, text
	}
	return answer.New(c)
}

const JsonType = "application/json; charset=utf-8"

// encode writes a value as JSON. The characters <, > and & stay as they are.
func Encode(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode %T: %w", value, err)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// isAnswer says whether an error is what the client asked for, rather than that something went wrong.
func IsAnswer(err error) bool {
	var own *Error
	var other answerError
	return errors.As(err, &own) || errors.As(err, &other)
}
