package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/projections"
	"strata/projections/version"
)

type diffInput struct {
	Name  string `path:"name" doc:"The projection, such as ft." pattern:"^[a-z][a-z0-9_]*$" maxLength:"63" example:"ft"`
	V1    int    `query:"v1" required:"true" minimum:"1" maximum:"1073741823" doc:"The version whose rows count as the old ones."`
	V2    int    `query:"v2" required:"true" minimum:"1" maximum:"1073741823" doc:"The version whose rows count as the new ones."`
	Limit int    `query:"limit" minimum:"0" doc:"Maximum number of differences; 0 for all."`
}

// stream gives huma a function that writes the body.
type stream struct {
	Body func(huma.Context)
}

const linesType = "application/x-ndjson"

// Lines are sent to the client after flushLines of them, or after flushTime. A client that takes longer than
// writeTimeout to read is cut off, because the comparison holds a snapshot of the database.
const (
	flushLines   = 256
	flushTime    = time.Second
	writeTimeout = 30 * time.Second
)

func (a *API) registerDiff() {
	o := operation{
		method: http.MethodGet, path: "/{name}/diff", id: "diff-versions", summary: "The rows in which two versions differ",
		about: "A line of JSON for each row, in the order of tables and keys, at a moment at which both versions reflect the same of the log; an empty body when there is no " +
			"difference. Only tables and columns that both versions have are compared. An answer that breaks off is incomplete.",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}
	op := o.huma(a)
	op.Responses["200"] = &huma.Response{Description: "The differences, one a line.", Content: map[string]*huma.MediaType{
		linesType: {Schema: a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[version.Difference](), true, "")},
	}}
	huma.Register(a.huma, op, func(ctx context.Context, in *diffInput) (*stream, error) {
		d, err := a.config.Lines.Definition(in.Name)
		if err != nil {
			return nil, failureOf(err)
		}
		return &stream{func(c huma.Context) {
			r, w := humago.Unwrap(c)
			a.diff(w, r, d, in)
		}}, nil
	})
}

// diff streams the differences. An error before the first of them is answered with its own status.
func (a *API) diff(w http.ResponseWriter, r *http.Request, d projections.Definition, in *diffInput) {
	s := &lineWriter{response: w, control: http.NewResponseController(w)}
	n := 0
	err := version.Diff(r.Context(), a.config.Pool, d, in.V1, in.V2, func(difference version.Difference) bool {
		n++
		return s.write(difference) && (in.Limit == 0 || n < in.Limit)
	})
	if err == nil && s.failure == nil {
		s.end()
		return
	}
	if err != nil && s.buffer == nil {
		writeFailure(w, failureOf(err))
		return
	}
	if err != nil && r.Context().Err() == nil {
		a.config.Logger.LogAttrs(r.Context(), slog.LevelWarn, "a comparison of versions broke off", slog.String("projection", in.Name), slog.Int("differences", n), slog.Any("error", err))
	}
	panic(http.ErrAbortHandler) // so that the client notices that the answer is incomplete
}

// lineWriter writes lines of JSON to a response.
type lineWriter struct {
	response http.ResponseWriter
	control  *http.ResponseController
	buffer   *bufio.Writer // nil until begin
	lines    int
	flushed  time.Time
	failure  error
}

func (s *lineWriter) begin() {
	if s.buffer == nil {
		s.response.Header().Set("Content-Type", linesType)
		s.response.WriteHeader(http.StatusOK)
		s.buffer, s.flushed = bufio.NewWriterSize(s.response, 64<<10), time.Now()
	}
}

// write writes a line, and returns false when the client can't be written to any more.
func (s *lineWriter) write(value any) bool {
	s.begin()
	line, err := json.Marshal(value)
	if err != nil {
		s.failure = err
		return false
	}
	s.deadline()
	if _, s.failure = s.buffer.Write(append(line, '\n')); s.failure != nil {
		return false
	}
	if s.lines++; s.lines%flushLines == 0 || time.Since(s.flushed) > flushTime {
		s.flush()
	}
	return s.failure == nil
}

func (s *lineWriter) deadline() {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // some connections have no deadlines
}

func (s *lineWriter) flush() {
	if s.failure = s.buffer.Flush(); s.failure == nil {
		_ = s.control.Flush()
		s.flushed = time.Now()
	}
}

func (s *lineWriter) end() {
	s.begin()
	s.deadline()
	_ = s.buffer.Flush()                        // the client may be gone
	_ = s.control.SetWriteDeadline(time.Time{}) // the deadline is for this answer, not for the connection
}
