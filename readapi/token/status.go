package token

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// tokenStatus says how much of the metadata of tokens is known.
type tokenStatus struct {
	ServerVersion  string           `json:"server_version"`
	Status         string           `json:"status" enum:"ready"`
	ChainTip       *tokenChainTip   `json:"chain_tip" doc:"Null before the first block."`
	Tokens         map[string]int64 `json:"tokens,omitempty" doc:"Number of known tokens by kind: ft, nft, sft."`
	TokenContracts map[string]int64 `json:"token_contracts,omitempty" doc:"Number of known contracts by standard: sip-009, sip-010, sip-013."`
	JobQueue       map[string]int64 `json:"job_queue,omitempty" doc:"Number of fetches by state: pending, failed, invalid, done."`
}

type tokenChainTip struct {
	BlockHeight    int64       `json:"block_height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*tokenStatus) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "chain_tip")
}

// jobStates names the counters of fetches.
var jobStates = []string{"pending", "failed", "invalid", "done"}

func (a *api) registerTokenStatus() {
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getApiStatus", Tag: "Status", Summary: "Status of the metadata of tokens",
		Description: "The chain tip, and numbers of known tokens, contracts and fetches. Numbers that are 0 are left out.",
		Untraced:    engine.MadeOfCounters,
	}), a.tokenStatus)
}

type counterRow struct {
	kind, name *string
	n          *int64
}

func (a *api) tokenStatus(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*tokenStatus, error) {
	body := &tokenStatus{
		ServerVersion: "strata " + a.Config.Version.String(), Status: "ready",
		Tokens: map[string]int64{}, TokenContracts: map[string]int64{}, JobQueue: map[string]int64{},
	}
	var parts []string
	for _, kind := range activeKinds(s) {
		parts = append(parts, fmt.Sprintf(`SELECT '%s'::text AS kind, name, n FROM {%[1]s}.counter`, kind))
	}
	b := s.Batch()
	counters := &engine.Result[counterRow]{}
	if len(parts) > 0 {
		counters = engine.Query(b, func(r *counterRow) []any { return []any{&r.kind, &r.name, &r.n} }, `
			SELECT {}, c.kind, c.name, c.n
			FROM (VALUES (1)) AS always LEFT JOIN (`+strings.Join(parts, " UNION ALL ")+`) c ON c.n > 0`)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, r := range counters.Rows {
		if r.kind != nil {
			body.count(token.Kind(*r.kind), *r.name, *r.n)
		}
	}
	body.ChainTip = tokenTip(s)
	return body, nil
}

// count adds a counter of a projection to the status.
func (t *tokenStatus) count(kind token.Kind, name string, n int64) {
	switch {
	case name == "tokens":
		t.Tokens[string(kind)] += n
	case name == "contracts":
		t.TokenContracts[kind.SIP()] += n
	case slices.Contains(jobStates, name):
		t.JobQueue[name] += n
	}
}

// tokenTip returns the lowest tip of the three projections of tokens; nil when none has a tip.
func tokenTip(s *engine.Snapshot) *tokenChainTip {
	least, ok := s.Tip(string(tokenKinds[0]))
	for _, kind := range tokenKinds[1:] {
		if v, found := s.Tip(string(kind)); found && (!ok || v.LogSeq < least.LogSeq) {
			least, ok = v, true
		}
	}
	if !ok {
		return nil
	}
	return &tokenChainTip{BlockHeight: *least.Height, IndexBlockHash: *least.IndexBlock}
}
