package readapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// deprecationWarning is the Warning header of deprecated resources.
const deprecationWarning = `299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"`

// answer is complete: what the client gets, whoever it is.
type answer struct {
	status int
	header http.Header
	body   []byte
	// stream follows body, for bodies that are not held in memory as a whole; size is the length of both together.
	stream func(ctx context.Context, w io.Writer) error
	size   int64
}

// answerRead makes the answer of a resource that is read from the tables. All such answers pass through here, so this
// is where a cache belongs: it would give back an earlier answer to the same request at the same position, and needs
// neither the handler nor a snapshot for that.
func (a *API) answerRead(ctx context.Context, r resource, handler func(context.Context, *snapshot) (any, error)) *answer {
	value, provenance, err := a.read(ctx, handler)
	made := a.answerValue(ctx, r, value, err)
	provenance.setHeaders(made.header)
	return made
}

// read runs a handler on a snapshot, and once more when what went wrong is unlikely to go wrong again.
func (a *API) read(ctx context.Context, handler func(context.Context, *snapshot) (any, error)) (value any, _ provenance, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.config.RequestTimeout)
	defer cancel()
	for attempt := range 2 {
		var s *snapshot
		if s, err = a.begin(ctx); err == nil {
			value, err = handleIn(ctx, s, handler)
			if err == nil || !worthRetrying(err) {
				return value, s.provenance, err
			}
		} else if !worthRetrying(err) {
			break
		}
		a.config.Logger.LogAttrs(ctx, slog.LevelDebug, "a read failed", slog.Int("attempt", attempt+1), slog.Any("error", err))
	}
	return nil, provenance{}, err
}

func handleIn(ctx context.Context, s *snapshot, handler func(context.Context, *snapshot) (any, error)) (any, error) {
	defer s.close()
	return handler(ctx, s)
}

// answerValue makes the answer of a value, or of an error. A value with a method status decides its own status.
func (a *API) answerValue(ctx context.Context, r resource, value any, err error) *answer {
	if err != nil {
		return a.failed(ctx, err)
	}
	var made *answer
	if f, ok := value.(*file); ok {
		made = f.answer()
	} else {
		status := http.StatusOK
		if v, ok := value.(interface{ status() int }); ok {
			status = v.status()
		}
		made = jsonAnswer(status, value)
	}
	if r.deprecated {
		made.header["Warning"] = []string{deprecationWarning}
	}
	return made
}

// failed makes the answer of an error, and tells the operator what the client is not told.
func (a *API) failed(ctx context.Context, err error) *answer {
	x := exchangeOf(ctx)
	status, body, known := failure(err, x.id)
	if !known {
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn
		}
		a.config.Logger.LogAttrs(ctx, level, "a request failed", slog.String("id", x.id), slog.String("operation", x.operation),
			slog.String("target", x.target), slog.Int("status", status), slog.Any("error", err))
	}
	made := jsonAnswer(status, body)
	if !known {
		made.header["X-Request-Id"] = []string{x.id}
	}
	return made
}

// failureAnswer makes the answer of an error that the client alone has to care about.
func failureAnswer(err error) *answer {
	status, body, _ := failure(err, "")
	return jsonAnswer(status, body)
}

// jsonAnswer writes a value as JSON. The characters <, > and & stay as they are.
func jsonAnswer(status int, value any) *answer {
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Cache-Control": {"no-store"}}
	if value == nil {
		return &answer{status: status, header: header}
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Errorf("encode %T: %w", value, err)) // a mistake in the type; the shell makes a 500 of it
	}
	body := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	return &answer{status: status, header: header, body: body, size: int64(len(body))}
}

// write sends the answer through huma.
func (a *answer) write(ctx huma.Context) {
	r, w := humago.Unwrap(ctx)
	a.writeHTTP(w, r)
}

// writeHTTP sends the answer. Errors of the connection are the client's business; a body that ends early is noticed by
// it, because its length was announced.
func (a *answer) writeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	header["Content-Length"] = []string{strconv.FormatInt(a.size, 10)}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	if _, err := w.Write(a.body); err != nil || a.stream == nil {
		return
	}
	if err := a.stream(r.Context(), &patientWriter{w, http.NewResponseController(w)}); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// writePatience is how long a client may take for one piece of a streamed body.
const writePatience = time.Minute

// patientWriter gives each piece its own deadline: a large body may take long, a client that does not read may not.
type patientWriter struct {
	w          io.Writer
	controller *http.ResponseController
}

func (p *patientWriter) Write(b []byte) (int, error) {
	// Not every connection has deadlines; then it is the server's settings that count.
	_ = p.controller.SetWriteDeadline(time.Now().Add(writePatience))
	return p.w.Write(b)
}
