package audit

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// TransparencyLog is the log as others can check it (docs/auditing.md). An error with a method Missing is the client's
// answer: 404 when it is true, otherwise 400. seq starts at 1 and the index of a leaf at 0.
type TransparencyLog interface {
	// VerifierKey is the key to check checkpoints with.
	VerifierKey(ctx context.Context) (string, error)
	// Checkpoint is the signed note of the first size events; of size 0 the newest.
	Checkpoint(ctx context.Context, size int64) ([]byte, error)
	// Cosign takes a checkpoint with cosignatures, and returns its size and whose were taken.
	Cosign(ctx context.Context, note []byte) (size int64, witnesses []string, err error)
	// Tile is the first width hashes of a tile.
	Tile(ctx context.Context, level int, n int64, width int) ([]byte, error)
	// Entries are the first width entries of a bundle.
	Entries(ctx context.Context, n int64, width int) ([]byte, error)
	// ProveInclusion proves that an event is among the first size; of size 0 those of the newest checkpoint.
	ProveInclusion(ctx context.Context, seq, size int64) (*LogInclusion, error)
	// ProveConsistency proves that the first to events begin with the first from; to 0 is the newest checkpoint's size.
	ProveConsistency(ctx context.Context, from, to int64) (*LogConsistency, error)
}

// logPath is where the log is as a transparency log.
const logPath = "/audit/v1/log"

// serveLog adds the log as a transparency log. With a nil log the resources are described, and there is nothing at them.
func (a *api) serveLog(log TransparencyLog) {
	a.serveLogFiles(log)
	a.serveLogProofs(log)
	a.serveLogCosignatures(log)
}

// logFile is a resource of the log that is a file.
type logFile struct {
	engine.Operation
	pattern    string // of the mux; the path of the resource is for the description
	parameters []*huma.Param
	content    func(r *http.Request) ([]byte, error)
}

// serveLogFile adds GET of a file. Its entity tag is of what it says.
func (a *api) serveLogFile(log TransparencyLog, f logFile) {
	a.describeLogFile(f)
	a.Plain("GET "+f.pattern, f.ID, func(w http.ResponseWriter, r *http.Request) {
		if log == nil {
			engine.RouteNotFound(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), a.Config.RequestTimeout)
		defer cancel()
		body, err := f.content(r.WithContext(ctx))
		if err != nil {
			a.FailureAnswer(ctx, logError(err), answer.Config{}).Serve(w, r, answer.Moment{})
			return
		}
		answer.New(answer.Config{
			ContentType: f.ContentType, Body: body, Class: f.Class, Tag: engine.TagOf(engine.KeyOf(body)),
			Fields: []answer.Field{{Name: "X-Content-Type-Options", Values: []string{"nosniff"}}},
		}).Serve(w, r, answer.Moment{})
	})
}

// describeLogFile adds a file to the description of the API.
func (a *api) describeLogFile(f logFile) {
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: f.Path, OperationID: f.ID, Summary: f.Summary, Description: f.Description, Tags: []string{f.Tag},
		Parameters: f.parameters, Responses: a.Responses(f.Operation, reflect.TypeFor[string]()),
	})
}

// logError makes what the log refuses an answer to the client.
func logError(err error) error {
	var refusal interface {
		error
		Missing() bool
	}
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Missing():
		return engine.NotFound("%s", refusal.Error())
	default:
		return engine.BadRequest("%s", refusal.Error())
	}
}
