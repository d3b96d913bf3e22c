package token

import (
	"context"

	"strata/domain/fetch"
	"strata/metadata/picture"
)

// Config configures the metadata of tokens. The zero value of a field means its default.
type Config struct {
	// ImageBase is the base URL of the copies of images, without a slash at its end. By default there are no links
	// to load: an answer has only the image's URI in the document.
	ImageBase string
	// Images stores the copies; by default none are served. The caller closes it.
	Images picture.Store
	// Refresh writes a request to fetch a token again to the log. By default the operation answers 404.
	Refresh func(ctx context.Context, request fetch.Refresh) error
}
