package token

import (
	"context"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/metadata/picture"
)

// metadataConfig of the resources of tokens; the zero value of any field means its default.
type Config struct {
	// ImageBase is the base URL under which copies of images are served, without a slash at its end; default none, and
	// answers name a gateway instead.
	ImageBase string
	// Images are the copies; default none, and none are served. They stay the caller's to close.
	Images picture.Store
	// Gateways through which images that are not on the web are reached. They count when there is no ImageBase.
	Gateways document.Gateways
	// Refresh notes somebody's wish to have a token fetched again; default none, and nobody can.
	Refresh func(ctx context.Context, wish fetch.Refresh) error
}
