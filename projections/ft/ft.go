// Package ft keeps fungible tokens (SIP-010): their contracts, the properties that these give them, and the documents and
// images that they refer to.
package ft

import (
	"log/slog"

	domain "strata/domain/token"
	"strata/projections"
	"strata/projections/internal/token"
)

// Name of the projection.
const Name = string(domain.FT)

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: a property that the contract fails to state does not lose the others.
//   - 3: reads that find what is known already, and growing pauses between fetches that find nothing new.
//   - 4: nor does a property that a node fails to ask for; images that can't come are not wanted again, and an SVG in a
//     document is an image.
const Version = 4

// Spec describes the projection's tables.
func Spec() projections.Spec { return token.Spec(domain.FT, Version) }

// New returns the projection.
func New(logger *slog.Logger) *token.Projection { return token.New(domain.FT, Version, logger) }
