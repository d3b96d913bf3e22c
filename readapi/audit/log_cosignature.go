package audit

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// cosignaturesBodyMax is the maximum length of a checkpoint with cosignatures, in bytes.
const cosignaturesBodyMax = 64 << 10

type logCosignaturesInput struct {
	RawBody []byte `contentType:"text/plain"`
}

// logCosignatures says which cosignatures were accepted.
type logCosignatures struct {
	Size      int64    `json:"size" doc:"Number of events of the checkpoint."`
	Witnesses []string `json:"witnesses" nullable:"false" doc:"Witnesses whose cosignatures were accepted."`
}

func (a *api) serveLogCosignatures(log TransparencyLog) {
	r := engine.Operation{
		ID: "post-log-cosignatures", Path: logPath + "/cosignatures", Tag: "Audit", Summary: "Add cosignatures of witnesses to a checkpoint",
		Description: "The body is a checkpoint of this log with cosignatures (c2sp.org/tlog-cosignature) of witnesses that the operator has configured. They are verified, stored, and served with the checkpoint. " +
			"Signatures of others are ignored; a request without any valid cosignature is refused.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge}, Class: answer.NoStore,
	}
	responses := a.Responses(r, reflect.TypeFor[logCosignatures]())
	huma.Register(a.Huma, huma.Operation{
		Method: http.MethodPost, Path: r.Path, OperationID: r.ID, Summary: r.Summary, Description: r.Description, Tags: []string{r.Tag},
		Responses: responses, MaxBodyBytes: cosignaturesBodyMax, SkipValidateBody: true,
	}, func(ctx context.Context, in *logCosignaturesInput) (*engine.Output, error) {
		return &engine.Output{Body: engine.Delivery{Answer: a.cosign(ctx, log, in.RawBody)}.Write}, nil
	})
	body := a.OpenAPI().Paths[r.Path].Post.RequestBody
	body.Required = true
	body.Content["text/plain"].Schema = &huma.Schema{Type: huma.TypeString, Description: "A signed note."}
}

// cosign hands a checkpoint with cosignatures to the log, and returns the answer.
func (a *api) cosign(ctx context.Context, log TransparencyLog, note []byte) *answer.Answer {
	accepted, err := inTime(ctx, a, log, func(ctx context.Context) (*logCosignatures, error) {
		size, witnesses, err := log.Cosign(ctx, note)
		return &logCosignatures{Size: size, Witnesses: witnesses}, err
	})
	if err != nil {
		return a.FailureAnswer(ctx, err, answer.Config{})
	}
	answered, err := engine.NewAnswer(accepted, answer.Config{})
	if err != nil {
		return a.FailureAnswer(ctx, err, answer.Config{})
	}
	return answered
}
