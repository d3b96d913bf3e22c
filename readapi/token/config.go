package token

import (
	"context"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/metadata/picture"
)

// Config configures the metadata of tokens. The zero value of a field means its default.
type Config struct {
	// ImageBase is the base URL of the copies of images, without a slash at its end. By default there are no links to
	// copies, and answers link to the image itself, through a gateway if it needs one.
	ImageBase string
	// Images stores the copies; by default none are served. The caller closes it.
	Images picture.Store
	// Gateways serve images that are not on the web. They are used only without an ImageBase.
	Gateways document.Gateways
	// Refresh writes a request to fetch a token again to the log. By default the operation answers 404.
	Refresh func(ctx context.Context, request fetch.Refresh) error
}
