package readapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// cosignaturesBodyMax is the length of the longest checkpoint with cosignatures, in bytes.
const cosignaturesBodyMax = 64 << 10

type logCosignaturesInput struct {
	RawBody []byte `contentType:"text/plain"`
}

// logCosignatures says which cosignatures were taken.
type logCosignatures struct {
	Size      int64    `json:"size" doc:"Events of the checkpoint."`
	Witnesses []string `json:"witnesses" nullable:"false" doc:"Whose cosignatures were taken."`
}

func (a *API) serveLogCosignatures(log TransparencyLog) {
	r := resource{
		id: "post-log-cosignatures", path: logPath + "/cosignatures", tag: "Audit", summary: "Give a witness's cosignature",
		about: "The body is a checkpoint of this log with cosignatures (c2sp.org/tlog-cosignature) of witnesses that the operator knows. They are checked, kept, and served with the checkpoint. " +
			"Signatures of others are ignored; a request without any that counts is refused.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge},
	}
	responses := a.responses(r, reflect.TypeFor[logCosignatures]())
	delete(responses, "304")
	huma.Register(a.huma, huma.Operation{
		Method: http.MethodPost, Path: r.path, OperationID: r.id, Summary: r.summary, Description: r.about, Tags: []string{r.tag},
		Responses: responses, MaxBodyBytes: cosignaturesBodyMax, SkipValidateBody: true,
	}, func(ctx context.Context, in *logCosignaturesInput) (*written, error) {
		return &written{Body: sent{Answer: a.cosign(ctx, log, in.RawBody)}.write}, nil
	})
	body := a.OpenAPI().Paths[r.path].Post.RequestBody
	body.Required = true
	body.Content["text/plain"].Schema = &huma.Schema{Type: huma.TypeString, Description: "A signed note."}
}

func (a *API) cosign(ctx context.Context, log TransparencyLog, note []byte) *answer.Answer {
	taken, err := prove(ctx, a, log, func(ctx context.Context) (*logCosignatures, error) {
		size, witnesses, err := log.Cosign(ctx, note)
		return &logCosignatures{Size: size, Witnesses: witnesses}, err
	})
	if err != nil {
		return a.failed(ctx, err, answer.Config{})
	}
	made, err := answerOf(taken, answer.Config{})
	if err != nil {
		return a.failed(ctx, err, answer.Config{})
	}
	return made
}
