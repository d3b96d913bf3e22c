// Package sft keeps semi-fungible tokens (SIP-013): their contracts, the properties that these give them, and the documents and
// images that they refer to.
package sft

import (
	"log/slog"

	domain "strata/domain/token"
	"strata/projections/internal/token"
)

// Name of the projection.
const Name = string(domain.SFT)

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: a property that the contract fails to state does not lose the others.
//   - 3: reads that find what is known already, and growing pauses between fetches that find nothing new.
//   - 4: nor does a property that a node fails to ask for; images that can't come are not wanted again, and an SVG in a
//     document is an image.
const Version = 4

// New returns the projection.
func New(logger *slog.Logger) *token.Projection { return token.New(domain.SFT, Version, logger) }
