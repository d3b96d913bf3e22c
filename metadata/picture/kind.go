package picture

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
)

// Content types of the images that inspect accepts.
const (
	typePNG  = "image/png"
	typeJPEG = "image/jpeg"
	typeGIF  = "image/gif"
	typeWebP = "image/webp"
	typeSVG  = "image/svg+xml"
)

// kind is a file format.
type kind struct {
	contentType string
	// measure reads only the structure of the file.
	measure func(body []byte) (extent, error)
	// decode returns the first frame in the size of the whole image. Its bounds may begin anywhere. It is nil for an
	// SVG, which has no pixels.
	decode func(body []byte) (image.Image, error)
}

var (
	kindPNG  = &kind{typePNG, measurePNG, func(body []byte) (image.Image, error) { return png.Decode(bytes.NewReader(body)) }}
	kindJPEG = &kind{typeJPEG, measureJPEG, func(body []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(body)) }}
	kindGIF  = &kind{typeGIF, measureGIF, decodeGIF}
	kindWebP = &kind{typeWebP, measureWebP, decodeWebP}
	kindSVG  = &kind{contentType: typeSVG}
)

// sniff recognizes the kind of an image by its first bytes. Bytes that begin like XML may be an SVG.
func sniff(body []byte) (*kind, error) {
	switch {
	case bytes.HasPrefix(body, []byte("\x89PNG\r\n\x1a\n")):
		return kindPNG, nil
	case bytes.HasPrefix(body, []byte("\xff\xd8\xff")):
		return kindJPEG, nil
	case bytes.HasPrefix(body, []byte("GIF87a")), bytes.HasPrefix(body, []byte("GIF89a")):
		return kindGIF, nil
	case bytes.HasPrefix(body, []byte("RIFF")) && len(body) >= 12 && string(body[8:12]) == "WEBP":
		return kindWebP, nil
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(body, byteOrderMark), xmlSpace), []byte("<")):
		return kindSVG, nil
	case len(body) == 0:
		return nil, refused("it is empty")
	}
	return nil, refused("it begins with % x, which is neither PNG, JPEG, GIF, WebP nor SVG", body[:min(len(body), 12)])
}

// composeFrame paints the first frame of an animation on an empty canvas. It returns a frame that fills the canvas
// unchanged.
func composeFrame(frame image.Image, at image.Point, width, height int) image.Image {
	if at == (image.Point{}) && frame.Bounds().Dx() == width && frame.Bounds().Dy() == height {
		return frame
	}
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	paint(canvas, frame.Bounds().Sub(frame.Bounds().Min).Add(at), frame)
	return canvas
}

var errTruncated = errors.New("it is cut off")
