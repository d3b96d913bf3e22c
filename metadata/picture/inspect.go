package picture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"strata/domain/fetch"
)

// ErrRefused is wrapped by every error that is the image's own fault, and stays when the same bytes come again.
var ErrRefused = errors.New("the image is refused")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// Inspect says what the bytes of an image are. It decodes all that a thumbnail needs, so that a file that was cut off
// does not pass, and waits while others decode.
//
// Its errors wrap ErrRefused: the bytes are of no known kind, are damaged, would take too much memory, or are an SVG
// that does more than draw.
func Inspect(body []byte) (fetch.ImageFacts, error) {
	facts, _, err := look(context.Background(), body, false)
	return facts, err
}

// look finds the facts, and makes the thumbnail from the same decoding when it is wanted. Errors that do not wrap
// ErrRefused are of ctx.
func look(ctx context.Context, body []byte, shrink bool) (facts fetch.ImageFacts, thumbnail []byte, err error) {
	k, err := sniff(body)
	if err != nil {
		return facts, nil, err
	}
	sum := sha256.Sum256(body)
	facts = fetch.ImageFacts{SHA256: hex.EncodeToString(sum[:]), ContentType: k.contentType}
	if k.decode == nil {
		facts.Width, facts.Height, err = inspectSVG(body)
		if err != nil {
			return fetch.ImageFacts{}, nil, refused("%s: %w", k.contentType, err)
		}
		return facts, body, nil
	}
	picture, release, err := decode(ctx, k, body)
	if err != nil {
		return fetch.ImageFacts{}, nil, err
	}
	defer release()
	facts.Width, facts.Height = picture.Bounds().Dx(), picture.Bounds().Dy()
	if shrink {
		thumbnail, err = shrunk(picture)
	}
	return facts, thumbnail, err
}
