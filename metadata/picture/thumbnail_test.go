package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

func thumbnailOf(t *testing.T, body []byte) image.Image {
	t.Helper()
	facts := must.Get(picture.Inspect(body))(t)
	small := must.Get(picture.Thumbnail(body, facts))(t)
	return must.Get(png.Decode(bytes.NewReader(small)))(t)
}

func TestThumbnailSize(t *testing.T) {
	for _, test := range []struct{ width, height, wantWidth, wantHeight int }{
		{600, 400, 300, 200},
		{301, 301, 300, 300},
		{300, 400, 300, 400}, // not enlarged, and not cropped
		{7, 5, 7, 5},
		{1000, 1, 300, 1},
		{450, 101, 300, 67},
	} {
		for name, body := range map[string][]byte{
			"png":  pngOf(t, gradient(test.width, test.height)),
			"jpeg": jpegOf(t, gradient(test.width, test.height)),
			"gif":  gifOf(t, test.width, test.height, image.Rect(0, 0, test.width, test.height)),
			"webp": webpOf(losslessWebP(test.width, test.height, color.NRGBA{A: 255})),
		} {
			if got := thumbnailOf(t, body).Bounds(); got != image.Rect(0, 0, test.wantWidth, test.wantHeight) {
				t.Errorf("%s of %d×%d: got %v, want %d×%d", name, test.width, test.height, got, test.wantWidth, test.wantHeight)
			}
		}
	}
}

// similar compares colours, and allows for rounding.
func similar(got color.Color, want color.NRGBA) bool {
	g := color.NRGBAModel.Convert(got).(color.NRGBA)
	for _, pair := range [][2]uint8{{g.R, want.R}, {g.G, want.G}, {g.B, want.B}, {g.A, want.A}} {
		if d := int(pair[0]) - int(pair[1]); d < -3 || d > 3 {
			return false
		}
	}
	return true
}

func TestThumbnailPixels(t *testing.T) {
	// The left half is red, the right is translucent green.
	m := image.NewNRGBA(image.Rect(0, 0, 600, 60))
	left, right := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 100}
	for x := range 600 {
		for y := range 60 {
			m.SetNRGBA(x, y, left)
			if x >= 300 {
				m.SetNRGBA(x, y, right)
			}
		}
	}
	small := thumbnailOf(t, pngOf(t, m))
	if got := small.At(70, 15); !similar(got, left) {
		t.Errorf("left: got %v, want %v", got, left)
	}
	if got := small.At(230, 15); !similar(got, right) {
		t.Errorf("right: got %v, want %v", got, right)
	}
}

// The thumbnail of an animation shows its first frame at its position. The rest of the canvas is transparent.
func TestThumbnailFirstFrame(t *testing.T) {
	first, nothing := color.NRGBA{255, 0, 0, 255}, color.NRGBA{}
	blue := color.NRGBA{0, 0, 255, 255}
	for name, body := range map[string][]byte{
		"gif": gifOf(t, 30, 20, image.Rect(10, 6, 20, 16), image.Rect(0, 0, 30, 20)),
		"webp": webpOf(canvasOf(30, 20), frameOf(10, 6, 10, 10, losslessWebP(10, 10, first)),
			frameOf(0, 0, 30, 20, losslessWebP(30, 20, blue))),
	} {
		small := thumbnailOf(t, body)
		for _, at := range []struct {
			x, y int
			want color.NRGBA
		}{{10, 6, first}, {19, 15, first}, {9, 6, nothing}, {20, 15, nothing}, {0, 0, nothing}, {29, 19, nothing}} {
			if got := small.At(at.x, at.y); !similar(got, at.want) {
				t.Errorf("%s at %d, %d: got %v, want %v", name, at.x, at.y, got, at.want)
			}
		}
	}
}

func TestThumbnailSVG(t *testing.T) {
	body := svgOf(`<circle r="4"/>`)
	facts := must.Get(picture.Inspect(body))(t)
	small, err := picture.Thumbnail(body, facts)
	if err != nil || !bytes.Equal(small, body) {
		t.Errorf("got %q, %v", small, err)
	}
	if got := picture.ThumbnailType(facts); got != "image/svg+xml" {
		t.Errorf("type: got %s", got)
	}
	if got := picture.ThumbnailType(fetch.ImageFacts{ContentType: "image/webp"}); got != "image/png" {
		t.Errorf("type: got %s", got)
	}
}

func TestThumbnailRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		body  []byte
		facts fetch.ImageFacts
	}{
		"other kind": {pngOf(t, gradient(2, 2)), fetch.ImageFacts{ContentType: "image/jpeg"}},
		"bomb":       {pngClaiming(t, 60000, 60000), fetch.ImageFacts{ContentType: "image/png", Width: 2, Height: 2}},
		"script":     {svgOf("<script/>"), fetch.ImageFacts{ContentType: "image/svg+xml"}},
	} {
		if small, err := picture.Thumbnail(test.body, test.facts); !errors.Is(err, picture.ErrRefused) || small != nil {
			t.Errorf("%s: got %d bytes, %v", name, len(small), err)
		}
	}
}
