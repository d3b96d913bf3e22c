package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"golang.org/x/image/tiff"

	"strata/metadata/picture"
)

// FuzzInspect checks that arbitrary bytes either are refused or have facts. An image with facts must have a thumbnail
// that has the right size and is accepted itself.
func FuzzInspect(f *testing.F) {
	black := color.NRGBA{A: 255}
	for _, body := range [][]byte{
		pngOf(f, gradient(5, 4)), interlaced(pngOf(f, gradient(5, 4))), pngClaiming(f, 60000, 60000),
		jpegOf(f, gradient(9, 9)), progressiveJPEG(8, 8, 2),
		gifOf(f, 6, 5, image.Rect(1, 1, 4, 4), image.Rect(0, 0, 6, 5)), manyFrames(2), gifClaiming(60000, 2),
		lossyWebP, webpOf(losslessWebP(3, 2, black)), webpOf(canvasOf(4, 4), frameOf(2, 2, 2, 2, losslessWebP(2, 2, black))),
		withExif(jpegOf(f, gradient(9, 7)), exifOf(binary.BigEndian, 7)), withChunk(pngOf(f, gradient(5, 4)), "eXIf", exifOf(binary.LittleEndian, 8)),
		greyTIFF(binary.BigEndian, quarters(), 6), tiffOf(f, gradient(5, 4), tiff.Deflate), tiffClaiming(60000, 2),
		svgOf(`<style>a{fill:u\72 l(#a)}</style><image href="` + nestedSVG(`<g/>`) + `"/>`), svgOf(`<script/>`),
		[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="1e3" height="2cm"/>`),
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		facts, err := picture.Inspect(body)
		if err != nil {
			if !errors.Is(err, picture.ErrRefused) {
				t.Fatalf("Inspect failed without a refusal: %v", err)
			}
			return
		}
		small, err := picture.Thumbnail(body, facts)
		if err != nil {
			t.Fatalf("%+v has no thumbnail: %v", facts, err)
		}
		if facts.ContentType == "image/svg+xml" {
			if !bytes.Equal(small, body) {
				t.Error("the thumbnail of an SVG is not itself")
			}
			return
		}
		c, err := png.DecodeConfig(bytes.NewReader(small))
		if err != nil || c.Width != min(facts.Width, picture.ThumbnailWidth) || facts.Width <= picture.ThumbnailWidth && c.Height != facts.Height {
			t.Fatalf("the thumbnail of %+v has %d×%d pixels, %v", facts, c.Width, c.Height, err)
		}
		if _, err := picture.Inspect(small); err != nil {
			t.Errorf("the thumbnail is refused: %v", err)
		}
	})
}
