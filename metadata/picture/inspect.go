package picture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"strata/domain/fetch"
)

// ErrRefused is wrapped by every error that the image itself causes. The same bytes always lead to the same error.
var ErrRefused = errors.New("the image is refused")

// ErrUnsupported is wrapped by an ErrRefused about bytes of a known format that no decoder here reads.
var ErrUnsupported = errors.New("the format is not supported")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// inspect checks the bytes of an image and returns facts about it. It decodes everything that a thumbnail needs, so it
// refuses a file that is cut off. It waits while too many other images are being decoded. If shrink is true, it also
// makes the thumbnail from the same decoding.
//
// Its errors wrap ErrRefused if the bytes are of an unknown kind, are damaged, would take too much memory, or are an SVG
// that does more than draw. Others are errors of ctx.
func inspect(ctx context.Context, body []byte, shrink bool) (facts fetch.ImageFacts, thumbnail []byte, err error) {
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
	picture, e, release, err := decode(ctx, k, body)
	if err != nil {
		return fetch.ImageFacts{}, nil, err
	}
	defer release()
	facts.Width, facts.Height = e.upright()
	if shrink {
		thumbnail, err = encodeThumbnail(picture, e)
	}
	return facts, thumbnail, err
}
