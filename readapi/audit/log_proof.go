package audit

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
)

// LogInclusion proves that an event is in the log (RFC 6962 section 2.1.1). In JSON bytes are base64.
type LogInclusion struct {
	Seq        int64    `json:"seq" doc:"Position of the event, from 1."`
	Index      int64    `json:"index" doc:"Of its leaf in the tree, from 0: seq - 1."`
	Size       int64    `json:"size" doc:"Events of the tree that it is proven to be in."`
	Leaf       []byte   `json:"leaf" doc:"The leaf record, base64: everything about the event, with the body represented by its size and SHA-256 (docs/log-format.md)."`
	LeafHash   []byte   `json:"leaf_hash" doc:"SHA-256 of a byte 00 and the leaf record, base64."`
	Root       []byte   `json:"root" doc:"Of the tree, base64."`
	Hashes     [][]byte `json:"hashes" nullable:"false" doc:"The audit path, from the leaf up, each base64."`
	Checkpoint string   `json:"checkpoint,omitempty" doc:"The signed note of the tree; absent when none of this size was signed."`
}

// LogConsistency proves that the log of one size extends that of another (RFC 6962 section 2.1.2). In JSON bytes are
// base64.
type LogConsistency struct {
	From           int64    `json:"from" doc:"Events of the earlier tree."`
	To             int64    `json:"to" doc:"Events of the later one."`
	FromRoot       []byte   `json:"from_root" doc:"Of the earlier tree, base64."`
	ToRoot         []byte   `json:"to_root" doc:"Of the later one, base64."`
	Hashes         [][]byte `json:"hashes" nullable:"false" doc:"The proof, each base64."`
	FromCheckpoint string   `json:"from_checkpoint,omitempty" doc:"The signed note of the earlier tree; absent when none of this size was signed."`
	ToCheckpoint   string   `json:"to_checkpoint,omitempty" doc:"The signed note of the later one; absent when none of this size was signed."`
}

type logInclusionInput struct {
	Seq  int64 `query:"seq" required:"true" minimum:"1" doc:"Position of the event, from 1."`
	Size int64 `query:"size" minimum:"0" doc:"Events of the tree; 0, or absent: those of the newest checkpoint."`
}

type logConsistencyInput struct {
	From int64 `query:"from" required:"true" minimum:"1" doc:"Events of the earlier tree."`
	To   int64 `query:"to" minimum:"0" doc:"Events of the later one; 0, or absent: those of the newest checkpoint."`
}

func (a *api) serveLogProofs(log TransparencyLog) {
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-log-inclusion-proof", Path: logPath + "/proofs/inclusion", Tag: "Audit", Summary: "Proof that an event is in the log",
		Description: "An audit path from the event's leaf to the root of the tree (RFC 6962 section 2.1.1). The root is worth as much as the checkpoint that has it.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, in *logInclusionInput) (*LogInclusion, error) {
		return prove(ctx, a, log, func(ctx context.Context) (*LogInclusion, error) { return log.ProveInclusion(ctx, in.Seq, in.Size) })
	})
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-log-consistency-proof", Path: logPath + "/proofs/consistency", Tag: "Audit", Summary: "Proof that the log only grew",
		Description: "That the tree of the later size begins with all events of the earlier one (RFC 6962 section 2.1.2): for who has kept a checkpoint.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, in *logConsistencyInput) (*LogConsistency, error) {
		return prove(ctx, a, log, func(ctx context.Context) (*LogConsistency, error) { return log.ProveConsistency(ctx, in.From, in.To) })
	})
}

// prove makes a proof within the time of a request.
func prove[Proof any](ctx context.Context, a *api, log TransparencyLog, make func(ctx context.Context) (*Proof, error)) (*Proof, error) {
	if log == nil {
		return nil, engine.NotFound("this server does not show its log")
	}
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	proof, err := make(ctx)
	if err != nil {
		return nil, logError(err)
	}
	return proof, nil
}
