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

// TransparencyLog is the log in a form that others can verify (docs/auditing.md). An error with a method Missing is for
// the client: status 404 if Missing returns true, otherwise 400. A seq starts at 1, and the index of a leaf at 0.
type TransparencyLog interface {
	// VerifierKey returns the key that verifies checkpoints.
	VerifierKey(ctx context.Context) (string, error)
	// Checkpoint returns the signed note of the first size events; size 0 means the newest checkpoint.
	Checkpoint(ctx context.Context, size int64) ([]byte, error)
	// Cosign accepts a checkpoint with cosignatures, and returns its size and the witnesses whose cosignatures it
	// accepted.
	Cosign(ctx context.Context, note []byte) (size int64, witnesses []string, err error)
	// Tile returns the first width hashes of a tile.
	Tile(ctx context.Context, level int, n int64, width int) ([]byte, error)
	// Entries returns the first width entries of a bundle.
	Entries(ctx context.Context, n int64, width int) ([]byte, error)
	// ProveInclusion proves that an event is among the first size events; size 0 means those of the newest checkpoint.
	ProveInclusion(ctx context.Context, seq, size int64) (*LogInclusion, error)
	// ProveConsistency proves that the first to events begin with the first from events; to 0 means the size of the
	// newest checkpoint.
	ProveConsistency(ctx context.Context, from, to int64) (*LogConsistency, error)
}

// untracedTree is the reason why the answers of the transparency log can't be traced to rows.
const untracedTree = "it proves what the log has, and is made of the hashes of all events: docs/auditing.md says how to check it"

// logPath is the path of the transparency log.
const logPath = "/audit/v1/log"

// serveLog registers the operations of the transparency log. With a nil log they are described, and answer 404.
func (a *api) serveLog(log TransparencyLog) {
	a.serveLogFiles(log)
	a.serveLogProofs(log)
	a.serveLogCosignatures(log)
}

// logFile is an operation that serves a file of the log.
type logFile struct {
	engine.Operation
	pattern    string // for the mux; Path of the operation is for the description
	parameters []*huma.Param
	content    func(r *http.Request) ([]byte, error)
}

// serveLogFile registers the GET operation of a file. Its entity tag is derived from its content.
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
			ContentType: f.ContentType, Body: body, Class: f.AnswerClass(),
			Fields: []answer.Field{{Name: "X-Content-Type-Options", Values: []string{"nosniff"}}},
		}).Serve(w, r, answer.Moment{})
	})
}

// describeLogFile adds the operation of a file to the OpenAPI description.
func (a *api) describeLogFile(f logFile) {
	a.Untraceable(untracedTree, f.ID)
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: f.Path, OperationID: f.ID, Summary: f.Summary, Description: f.Description, Tags: []string{f.Tag},
		Parameters: f.parameters, Responses: a.Responses(f.Operation, reflect.TypeFor[string]()),
	})
}

// logError turns a refusal of the log into an error that the client gets.
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
