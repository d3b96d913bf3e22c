package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
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

// quarters returns a picture of 40×24 pixels, whose quarters are, row by row, dark, grey, bright and black.
func quarters() *image.Gray {
	m := image.NewGray(image.Rect(0, 0, 40, 24))
	for y := range 24 {
		for x := range 40 {
			m.SetGray(x, y, color.Gray{[]uint8{80, 160, 240, 0}[y/12*2+x/20]})
		}
	}
	return m
}

// A thumbnail is upright. The table says on which side of it the first row and the first column are (CIPA DC-008, 4.6.4).
func TestThumbnailUpright(t *testing.T) {
	little, big := binary.AppendByteOrder(binary.LittleEndian), binary.AppendByteOrder(binary.BigEndian)
	raw := quarters()
	for orientation, sides := range [...]string{
		0: "top left", 1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left",
		5: "left top", 6: "right top", 7: "right bottom", 8: "left bottom", 9: "top left",
	} {
		firstRow, firstColumn, _ := strings.Cut(sides, " ")
		width, height := 40, 24
		if orientation >= 5 && orientation <= 8 {
			width, height = 24, 40
		}
		at := func(sides ...string) (x, y int) { // the middle of the quarter at these two sides
			x, y = width/4, height/4
			if slices.Contains(sides, "right") {
				x = width - width/4
			}
			if slices.Contains(sides, "bottom") {
				y = height - height/4
			}
			return x, y
		}
		opposite := map[string]string{"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
		for name, body := range map[string][]byte{
			"JPEG":      withExif(jpegOf(t, raw), exifOf(big, uint32(orientation))),
			"JPEG II":   withExif(jpegOf(t, raw), exifOf(little, uint32(orientation))),
			"JPEG, two": withExif(withExif(jpegOf(t, raw), exifOf(big, 3)), exifOf(big, uint32(orientation))),
			"PNG":       withChunk(pngOf(t, raw), "eXIf", exifOf(big, uint32(orientation))),
			"TIFF":      greyTIFF(little, raw, uint32(orientation)),
			"TIFF MM":   greyTIFF(big, raw, uint32(orientation)),
		} {
			facts := must.Get(picture.Inspect(body))(t)
			small := thumbnailOf(t, body)
			if small.Bounds() != image.Rect(0, 0, width, height) || facts.Width != width || facts.Height != height {
				t.Errorf("%s %d: got %+v with a thumbnail of %v", name, orientation, facts, small.Bounds())
			}
			for _, quarter := range []struct {
				sides [2]string
				want  uint8
			}{
				{[2]string{firstRow, firstColumn}, 80}, {[2]string{firstRow, opposite[firstColumn]}, 160},
				{[2]string{opposite[firstRow], firstColumn}, 240}, {[2]string{opposite[firstRow], opposite[firstColumn]}, 0},
			} {
				x, y := at(quarter.sides[:]...)
				if got := small.At(x, y); !similar(got, color.NRGBA{quarter.want, quarter.want, quarter.want, 255}) {
					t.Errorf("%s %d: at %v got %v, want %d", name, orientation, quarter.sides, got, quarter.want)
				}
			}
		}
	}
	webp := webpOf(canvasOf(30, 20), chunk("EXIF", exifOf(little, 6)), frameOf(0, 0, 30, 20, losslessWebP(30, 20, color.NRGBA{A: 255})))
	if facts := must.Get(picture.Inspect(webp))(t); facts.Width != 20 || facts.Height != 30 {
		t.Errorf("WebP: got %+v", facts)
	}
	for _, test := range []struct{ width, height, wantWidth, wantHeight int }{
		{400, 200, 200, 400}, {600, 301, 300, 598}, {1000, 400, 300, 750}, {300, 4000, 300, 23},
	} {
		body := withExif(jpegOf(t, image.NewGray(image.Rect(0, 0, test.width, test.height))), exifOf(big, 6))
		if got := thumbnailOf(t, body).Bounds(); got != image.Rect(0, 0, test.wantWidth, test.wantHeight) {
			t.Errorf("%d×%d: got %v, want %d×%d", test.width, test.height, got, test.wantWidth, test.wantHeight)
		}
	}
}

// Malformed Exif data hide no image: they state no orientation.
func TestMalformedExif(t *testing.T) {
	big := binary.AppendByteOrder(binary.BigEndian)
	whole := exifOf(big, 6)
	for name, exif := range map[string][]byte{
		"nothing": nil, "text": []byte("no TIFF at all"), "no directory": whole[:8], "cut in its count": whole[:9], "cut in an entry": whole[:30],
		"far away":     append([]byte("MM\x00*\xff\xff\xff\xff"), whole[8:]...),
		"two values":   ifdOf(big, nil, [4]uint32{274, 3, 2, 6}),
		"another type": ifdOf(big, nil, [4]uint32{274, 2, 1, 6}),
		"no value":     ifdOf(big, nil),
	} {
		for format, body := range map[string][]byte{"JPEG": withExif(jpegOf(t, quarters()), exif), "PNG": withChunk(pngOf(t, quarters()), "eXIf", exif)} {
			if facts := must.Get(picture.Inspect(body))(t); facts.Width != 40 {
				t.Errorf("%s, %s: got %+v", format, name, facts)
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
