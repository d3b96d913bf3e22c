package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"

	"golang.org/x/image/draw"

	"strata/domain/fetch"
)

// ThumbnailWidth is the width in pixels of thumbnails of wider images.
const ThumbnailWidth = 300

// Thumbnail makes the small image: a PNG of width ThumbnailWidth that keeps the aspect, or of the same size when the
// image is no wider; of an animation, its first frame. An SVG has itself as its thumbnail. [ThumbnailType] tells which.
//
// Its errors wrap ErrRefused: the bytes are not, or no longer, an image that Inspect lets pass, or not of the kind that
// the facts say.
func Thumbnail(body []byte, facts fetch.ImageFacts) ([]byte, error) {
	return thumbnail(context.Background(), body, facts)
}

func thumbnail(ctx context.Context, body []byte, facts fetch.ImageFacts) ([]byte, error) {
	found, small, err := look(ctx, body, true)
	if err != nil {
		return nil, err
	}
	if found.ContentType != facts.ContentType {
		return nil, refused("it is %s, not %q", found.ContentType, facts.ContentType)
	}
	return small, nil
}

// ThumbnailType is the content type of the thumbnail of an image with these facts.
func ThumbnailType(facts fetch.ImageFacts) string {
	if facts.ContentType == typeSVG {
		return typeSVG
	}
	return typePNG
}

func shrunk(picture image.Image) ([]byte, error) {
	from := picture.Bounds()
	width, height := from.Dx(), from.Dy()
	if width > ThumbnailWidth {
		height = max((height*ThumbnailWidth+width/2)/width, 1)
		width = ThumbnailWidth
	}
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	if small.Bounds().Size() == from.Size() {
		paint(small, small.Bounds(), picture)
	} else {
		draw.CatmullRom.Scale(small, small.Bounds(), picture, from, draw.Src, nil)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, small); err != nil {
		return nil, fmt.Errorf("encode a thumbnail of %d×%d pixels: %w", width, height, err)
	}
	return b.Bytes(), nil
}

// paint copies a whole picture to a place of the canvas.
func paint(canvas *image.RGBA, to image.Rectangle, picture image.Image) {
	draw.Draw(canvas, to, picture, picture.Bounds().Min, draw.Src)
}
