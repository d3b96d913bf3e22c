package audit

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
)

// LogInclusion proves that an event is in the log (RFC 6962 section 2.1.1). JSON has bytes in base64.
type LogInclusion struct {
	Seq        int64    `json:"seq" doc:"Position of the event, from 1."`
	Index      int64    `json:"index" doc:"Index of its leaf in the tree, from 0: seq - 1."`
	Size       int64    `json:"size" doc:"Number of events of the tree that the proof is for."`
	Leaf       []byte   `json:"leaf" doc:"The leaf record, base64: all fields of the event, with its body replaced by its size and SHA-256 (docs/log-format.md)."`
	LeafHash   []byte   `json:"leaf_hash" doc:"SHA-256 of the byte 00 and the leaf record, base64."`
	Root       []byte   `json:"root" doc:"Root of the tree, base64."`
	Hashes     [][]byte `json:"hashes" nullable:"false" doc:"The audit path, from the leaf up, each base64."`
	Checkpoint string   `json:"checkpoint,omitempty" doc:"The signed note of the tree; absent if no checkpoint of this size was signed."`
}

// LogConsistency proves that the log of one size extends the log of a smaller size (RFC 6962 section 2.1.2). JSON has
// bytes in base64.
type LogConsistency struct {
	From           int64    `json:"from" doc:"Number of events of the earlier tree."`
	To             int64    `json:"to" doc:"Number of events of the later tree."`
	FromRoot       []byte   `json:"from_root" doc:"Root of the earlier tree, base64."`
	ToRoot         []byte   `json:"to_root" doc:"Root of the later tree, base64."`
	Hashes         [][]byte `json:"hashes" nullable:"false" doc:"The hashes of the proof, each base64."`
	FromCheckpoint string   `json:"from_checkpoint,omitempty" doc:"The signed note of the earlier tree; absent if no checkpoint of this size was signed."`
	ToCheckpoint   string   `json:"to_checkpoint,omitempty" doc:"The signed note of the later tree; absent if no checkpoint of this size was signed."`
}

type logInclusionInput struct {
	Seq  int64 `query:"seq" required:"true" minimum:"1" doc:"Position of the event, from 1."`
	Size int64 `query:"size" minimum:"0" doc:"Number of events of the tree; 0, the default, means the newest checkpoint."`
}

type logConsistencyInput struct {
	From int64 `query:"from" required:"true" minimum:"1" doc:"Number of events of the earlier tree."`
	To   int64 `query:"to" minimum:"0" doc:"Number of events of the later tree; 0, the default, means the newest checkpoint."`
}

func (a *api) serveLogProofs(log TransparencyLog) {
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-log-inclusion-proof", Path: logPath + "/proofs/inclusion", Tag: "Audit", Summary: "Prove that an event is in the log",
		Description: "An audit path from the event's leaf to the root of the tree (RFC 6962 section 2.1.1). Compare the root with that of a signed checkpoint.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Untraced: untracedTree,
	}, func(ctx context.Context, in *logInclusionInput) (*LogInclusion, error) {
		return inTime(ctx, a, log, func(ctx context.Context) (*LogInclusion, error) { return log.ProveInclusion(ctx, in.Seq, in.Size) })
	})
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-log-consistency-proof", Path: logPath + "/proofs/consistency", Tag: "Audit", Summary: "Prove that the log has only grown",
		Description: "A proof that the tree of the later size begins with all events of the earlier one (RFC 6962 section 2.1.2). With it, a client that has kept a checkpoint can check that no event of it was changed.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Untraced: untracedTree,
	}, func(ctx context.Context, in *logConsistencyInput) (*LogConsistency, error) {
		return inTime(ctx, a, log, func(ctx context.Context) (*LogConsistency, error) { return log.ProveConsistency(ctx, in.From, in.To) })
	})
}

// inTime asks the log within the request timeout, and turns its refusals into errors that the client gets; 404 for a
// nil log.
func inTime[Result any](ctx context.Context, a *api, log TransparencyLog, ask func(ctx context.Context) (*Result, error)) (*Result, error) {
	if log == nil {
		return nil, engine.NotFound("this server does not show its log")
	}
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	result, err := ask(ctx)
	if err != nil {
		return nil, logError(err)
	}
	return result, nil
}
