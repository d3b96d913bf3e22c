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

// ThumbnailWidth is the maximum width of a thumbnail, in pixels.
const ThumbnailWidth = 300

// thumbnail returns the thumbnail of an image: a PNG that is ThumbnailWidth wide and has the image's aspect ratio, or
// has the image's size if that is not wider. It is upright, whatever orientation the image states. The thumbnail of an animation shows its first frame. The thumbnail of an
// SVG is the SVG itself. [ThumbnailType] returns the content type.
//
// Its errors wrap ErrRefused if inspect refuses the bytes, or they are of another kind than the facts say. Others are
// errors of ctx.
func thumbnail(ctx context.Context, body []byte, facts fetch.ImageFacts) ([]byte, error) {
	actual, small, err := inspect(ctx, body, true)
	if err != nil {
		return nil, err
	}
	if actual.ContentType != facts.ContentType {
		return nil, refused("it is %s, not %q", actual.ContentType, facts.ContentType)
	}
	return small, nil
}

// ThumbnailType returns the content type of the thumbnail of an image with these facts.
func ThumbnailType(facts fetch.ImageFacts) string {
	if facts.ContentType == typeSVG {
		return typeSVG
	}
	return typePNG
}

func encodeThumbnail(picture image.Image, e extent) ([]byte, error) {
	from := picture.Bounds()
	width, height := e.upright()
	if width > ThumbnailWidth {
		height = max((height*ThumbnailWidth+width/2)/width, 1)
		width = ThumbnailWidth
	}
	if e.orientation >= 5 { // to turn the small picture is cheaper than to turn the large one
		width, height = height, width
	}
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	if small.Bounds().Size() == from.Size() {
		paint(small, small.Bounds(), picture)
	} else {
		draw.CatmullRom.Scale(small, small.Bounds(), picture, from, draw.Src, nil)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, turned(small, e.orientation)); err != nil {
		return nil, fmt.Errorf("encode a thumbnail of %d×%d pixels: %w", width, height, err)
	}
	return b.Bytes(), nil
}

// turned returns a picture with this orientation upright. The picture begins at 0, 0.
func turned(picture *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return picture
	}
	width, height := picture.Rect.Dx(), picture.Rect.Dy()
	size := image.Rect(0, 0, width, height)
	if orientation >= 5 {
		size = image.Rect(0, 0, height, width)
	}
	upright := image.NewRGBA(size)
	for y := range height {
		for x := range width {
			to := [...]image.Point{
				2: {width - 1 - x, y},
				3: {width - 1 - x, height - 1 - y},
				4: {x, height - 1 - y},
				5: {y, x},
				6: {height - 1 - y, x},
				7: {height - 1 - y, width - 1 - x},
				8: {y, width - 1 - x},
			}[orientation]
			upright.SetRGBA(to.X, to.Y, picture.RGBAAt(x, y))
		}
	}
	return upright
}

// paint copies a whole picture into a rectangle of the canvas.
func paint(canvas *image.RGBA, to image.Rectangle, picture image.Image) {
	draw.Draw(canvas, to, picture, picture.Bounds().Min, draw.Src)
}
