package status

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"strata/internal/wholeness"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

type health struct {
	Status string `json:"status" enum:"ok"`
}

// readiness says whether the server's answers are reliable, with the checks that decide.
type readiness struct {
	Status string          `json:"status" enum:"ready,not ready"`
	For    string          `json:"for" doc:"The family of answers that the status is about."`
	Checks readinessChecks `json:"checks"`
	// Problems are what is not whole, in the words that all parts of Strata use.
	Problems []wholeness.Problem `json:"problems,omitempty" nullable:"false" doc:"What is missing or foreign in the log, and what mends it."`
	// Notices do not change the status.
	Notices []Notice `json:"notices,omitempty" nullable:"false" doc:"What an operator of this process should know, although its answers are reliable. Only operators see it."`
}

// Notice is something that an operator of a process should know, although its answers are reliable.
type Notice struct {
	About   string `json:"about" enum:"signing,disk,projections" doc:"signing: the process can't sign checkpoints of the log. disk: the disk of the database has little space. projections: a new version of read tables is built and can't become active."`
	Message string `json:"message"`
}

type readinessChecks struct {
	Database    databaseCheck     `json:"database"`
	Projections []projectionCheck `json:"projections" nullable:"false" doc:"Active versions of the projections. Without any, the server is not ready."`
	History     historyCheck      `json:"history"`
	Gaps        gapCheck          `json:"gaps"`
	Node        *comparison       `json:"node,omitempty" doc:"What the comparison of accounts with a node has found, in any process with the role compare; absent before the first one. It counts for money only."`
}

type databaseCheck struct {
	OK      bool   `json:"ok"`
	Message string `json:"message,omitempty"`
}

type projectionCheck struct {
	OK bool `json:"ok"`
	ProjectionStatus
	LagLimit int64   `json:"lag_limit"`
	Error    *string `json:"error,omitempty" doc:"Why the projection failed. Only operators see the reason."`
	Required bool    `json:"required" doc:"Whether the status depends on it."`
	Message  string  `json:"message,omitempty" doc:"Why the projection is not ready: other code built it, so this process cannot read it, or nobody follows it. Or, when it is ready: what is being built in its place."`
}

// historyCheck says whether the chain has begun, and with genesis.
type historyCheck struct {
	OK   bool   `json:"ok" doc:"Whether a block has arrived and the chain begins with genesis."`
	Fed  bool   `json:"fed" doc:"Whether the chain has a block."`
	From *int64 `json:"from,omitempty" doc:"Height at which the chain begins, if that is above genesis. The header Strata-History of each answer has it, too."`
}

type gapCheck struct {
	OK           bool   `json:"ok"`
	Blocking     int64  `json:"blocking" doc:"Number of gaps above the tip: missing blocks that known blocks wait for, each with the missing blocks below it counted as one."`
	LowestHeight *int64 `json:"lowest_height,omitempty" doc:"Lowest height of the blocks that wait."`
	Missing      int64  `json:"missing_blocks,omitempty" doc:"Number of missing blocks above the tip."`
	MissingFrom  *int64 `json:"first_missing_height,omitempty" doc:"Lowest height of the missing blocks."`
	MissingTo    *int64 `json:"last_missing_height,omitempty" doc:"Highest height of the missing blocks."`
	Inscriptions *int64 `json:"missing_inscriptions,omitempty" doc:"Number of inscriptions that the feed has not sent, although it has sent higher inscription numbers. For information only: answers are correct for the inscriptions that were sent."`
	Quarantined  *int64 `json:"quarantined_of_feed,omitempty" doc:"Number of events, and parts of events, of the ordinals feed that could not be read, so that their effects are missing: see /audit/v1/quarantine. Absent for none. For information only."`
	Anomalies    *int64 `json:"anomalies_of_feed,omitempty" doc:"Number of faults of the ordinals feed so far: see /audit/v1/feed-anomalies. Absent for none. For information only."`
}

// readinessInput names a family of answers.
type readinessInput struct {
	For string `query:"for" enum:"extended,tokens,names,bns,stacking,rosetta,ordinals,brc20,money,all" default:"extended" doc:"The family of answers whose projections count: extended (the Stacks blockchain API and streams), tokens (metadata), names (BNS v1), bns (BNS-V2), stacking (PoX and staking), rosetta, ordinals, brc20; money: balances, which must be those of a node where the role compare has looked, unless an operator has accepted how they differ; all: every active projection."`
}

// requirements are the projections that the answers of a family need. A projection that has failed has failed for all
// replicas, as they share it, so it must not take them out of the balancers of other families.
var requirements = map[string][]string{
	"extended": {"chain", "accounts", "balances", "mempool", "pox", "staking", "search"},
	"tokens":   {"chain", "ft", "sft", "nft"},
	"names":    {"chain", "names"},
	"bns":      {"chain", "bns"},
	"stacking": {"chain", "accounts", "pox", "staking"},
	"rosetta":  {"chain", "accounts", "balances", "mempool", "rosetta"},
	"ordinals": {"ordinals", "inscriptions"},
	"brc20":    {"ordinals", "inscriptions", "brc20"},
	"money":    {"chain", "balances"},
}

// requires reports whether the answers of a family need a projection.
func requires(family, projection string) bool {
	return family == "all" || slices.Contains(requirements[family], projection)
}

// HTTPStatus returns the HTTP status of the answer: 200 when ready, otherwise 503.
func (r *readiness) HTTPStatus() int {
	if r.Status == "ready" {
		return http.StatusOK
	}
	return http.StatusServiceUnavailable
}

func (a *api) registerHealth() {
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-health", Path: "/healthz", Tag: "Health", Summary: "Whether the process is up", Description: "Checks nothing else, not even the database.",
		Untraced: engine.StateOfServer,
	}, func(context.Context, *struct{}) (*health, error) { return &health{Status: "ok"}, nil })
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-readiness", Path: "/readyz", Tag: "Health", Summary: "Whether the answers are reliable",
		Description: "Answers 200 when the database is reachable, no active projection that the family of answers needs has failed, each is within the lag limit, has made progress within 30 seconds if something waits, and was built by the code of this process, the chain has begun and no missing block stalls it; otherwise 503. For money, the chain must begin with genesis. " +
			"Versions that are being built beside the active ones do not count. An active version that is being replaced because this program has newer rules, and that it can read, may lag and stand still.",
		Untraced: engine.StateOfServer,
	}, a.readiness)
	a.documentReadiness()
}

// documentReadiness describes the body of a 503 of /readyz, which is the same as that of a 200.
func (a *api) documentReadiness() {
	responses := a.OpenAPI().Paths["/readyz"].Get.Responses
	responses["503"].Description, responses["503"].Content = "Not ready.", responses["200"].Content
}

func (a *api) readiness(ctx context.Context, in *readinessInput) (*readiness, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) { return a.check(ctx, s, in.For) })
	if errors.Is(err, context.Canceled) || engine.IsAnswer(err) {
		return nil, err
	}
	r := &readiness{For: in.For, Checks: readinessChecks{Projections: []projectionCheck{}}}
	if err != nil {
		// The reason may name hosts, so only the log gets it.
		a.FailureAnswer(ctx, err, answer.Config{})
		r.Checks.Database.Message = "The database could not be read; the server's log has the reason under request id " + engine.ExchangeOf(ctx).ID
	} else if checks, ok := value.(*verdict); ok {
		r.Checks, r.Problems = checks.readinessChecks, checks.problems
	}
	if !a.ShowsInternals(ctx) {
		r.Checks.withhold()
	} else if a.notices != nil {
		r.Notices = a.notices()
	}
	r.Status = "not ready"
	if r.Checks.ready(in.For) {
		r.Status = "ready"
	}
	return r, nil
}

// verdict is what the database says of the server.
type verdict struct {
	readinessChecks
	problems []wholeness.Problem
}

// ready reports whether the answers of a family are reliable. Those that need no blocks of the chain can do with gaps in it.
func (c *readinessChecks) ready(family string) bool {
	required := func(p projectionCheck) bool { return p.Required }
	failed := func(p projectionCheck) bool { return p.Required && !p.OK }
	money := family == "money" && (c.Node != nil && !c.Node.OK || !c.History.OK)
	return c.Database.OK && !money && (c.Gaps.OK && c.History.Fed || !requires(family, "chain")) &&
		slices.ContainsFunc(c.Projections, required) && !slices.ContainsFunc(c.Projections, failed)
}

// withhold removes what only operators should know.
func (c *readinessChecks) withhold() {
	stopped := engine.Stopped
	for i := range c.Projections {
		if c.Projections[i].Error != nil {
			c.Projections[i].Error = &stopped
		}
	}
}

func (a *api) check(ctx context.Context, s *engine.Snapshot, family string) (*verdict, error) {
	checks := &verdict{readinessChecks: readinessChecks{Database: databaseCheck{OK: true}, Projections: []projectionCheck{}}}
	b := s.Batch()
	heads, stalls, compared := engine.QueueHeads(b), queueStalls(b), queueComparison(b)
	history := queueHistory(b)
	numbers, losses := &engine.Result[ordinal.Numbering]{}, &engine.Result[ordinal.Losses]{}
	if s.Active(ordinal.Inscribed) != nil && s.Foreign(ordinal.Inscribed) == nil {
		numbers = ordinal.QueryNumbering(b)
		if s.Active(ordinal.Feed) != nil && s.Foreign(ordinal.Feed) == nil {
			losses = ordinal.QueryLosses(b, requirements["brc20"]...)
		}
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	checks.Node = a.comparisonOf(compared)
	facts := history()
	checks.problems = facts.Problems()
	checks.History = historyCheck{OK: facts.Tip != nil && facts.HistoryFrom == nil, Fed: facts.Tip != nil, From: facts.HistoryFrom}
	if checks.Gaps = (gapCheck{OK: facts.Gaps == 0, Blocking: facts.Gaps}); facts.Gaps > 0 {
		checks.Gaps.LowestHeight, checks.Gaps.Missing = &facts.Waiting, facts.Missing
		checks.Gaps.MissingFrom, checks.Gaps.MissingTo = &facts.MissingFrom, &facts.MissingTo
	}
	if n, ok := numbers.First(); ok {
		checks.Gaps.Inscriptions = n.Missing()
	}
	if l, ok := losses.First(); ok {
		checks.Gaps.Quarantined, checks.Gaps.Anomalies = ordinal.OrNil(l.Quarantined), ordinal.OrNil(l.Anomalies)
	}
	for _, status := range projectionStatuses(s, heads) {
		check := projectionCheck{
			OK: status.State != "failed" && status.Lag <= a.lagLimit, ProjectionStatus: status,
			Required: requires(family, status.Name), LagLimit: a.lagLimit, Error: s.Active(status.Name).Failure,
		}
		if message, stalled := stallMessage(stalls[status.Name], status.Lag); stalled {
			check.OK, check.Message = false, message
		}
		// What is renewed answers as of where it stands, and nobody may follow it. An outage would serve nobody.
		if building, ok := renewing(s, status.Name); ok {
			check.OK = status.State != "failed"
			check.Message = fmt.Sprintf("Answers are as of event %d of the log while %s, with the rules of this program, is being built: it is at event %d of %d.",
				s.State.Active(status.Name).LogSeq, building, building.LogSeq, s.State.LogSize)
		}
		if err := s.Foreign(status.Name); err != nil {
			check.OK, check.Message = false, err.Error()
		}
		checks.Projections = append(checks.Projections, check)
	}
	return checks, nil
}

// queueHistory adds the query for what the log holds of the chain's history. If this program can't read the tables, that is
// what is wrong, and the history counts as whole.
func queueHistory(b *engine.Batch) (facts func() wholeness.Facts) {
	chain := b.Snapshot.Active("chain")
	switch {
	case chain == nil:
		return func() wholeness.Facts { return wholeness.Facts{} }
	case b.Snapshot.Foreign("chain") != nil:
		return func() wholeness.Facts { return wholeness.Facts{Tip: chain.Height} }
	}
	result := engine.Query(b, (*wholeness.Facts).Columns, `SELECT {}, f.* FROM (`+wholeness.SQL(chain.Rules)+`) f`)
	return func() wholeness.Facts {
		facts, _ := result.First()
		return facts
	}
}
