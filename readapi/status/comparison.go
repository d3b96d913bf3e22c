package status

import (
	"strata/internal/nodecompare"
	"strata/readapi/internal/engine"
)

// differencesShown is the number of differences that an answer shows: enough to see what is wrong. strata differences has all.
const differencesShown = 5

// comparison is what the comparison of accounts with a node has found, in any process, and has not found equal since.
type comparison struct {
	OK bool `json:"ok" doc:"Whether no account differs, as far as they were compared, but for differences that an operator has accepted."`
	nodecompare.Known
	Message string `json:"message,omitempty" doc:"Why this process could not compare accounts when it last tried."`
}

// queueComparison adds the query for what the comparison with a node has found.
func queueComparison(b *engine.Batch) *engine.Result[comparison] {
	return engine.Query(b, func(c *comparison) []any { return []any{&c.Known} }, `
		SELECT {}, known FROM (`+nodecompare.KnownSQL+`) known`, differencesShown)
}

// comparisonOf returns what the comparison has found; nil if accounts were never compared.
func (a *api) comparisonOf(found *engine.Result[comparison]) *comparison {
	c, ok := found.First()
	if !ok {
		return nil
	}
	c.OK = c.DifferingAccounts == 0
	if a.compareProblem != nil {
		if problem := a.compareProblem(); problem != "" {
			c.Message = "The last comparison was not possible: " + problem
		}
	}
	return &c
}
