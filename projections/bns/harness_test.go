package bns_test

import (
	domain "strata/domain/bns"
	"strata/projections/bns"
	"strata/rig/foldtest"
)

var rig = foldtest.New(func() foldtest.Projection { return newProjection() }, []string{"source_seq"},
	"block", "namespace", "name", "primary_name", "zonefile", "preorder", "event", "list", "caller", "act", "reading")

func newProjection() *bns.BNS {
	projection := bns.New(domain.KnownContracts())
	projection.Limit(4) // so that lists have several parts
	return projection
}
