package picture

import (
	"bytes"
	"encoding/binary"
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
	typeTIFF = "image/tiff"
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
	kindTIFF = &kind{typeTIFF, measureTIFF, decodeTIFF}
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
	case bytes.HasPrefix(body, []byte("II*\x00")), bytes.HasPrefix(body, []byte("MM\x00*")):
		return kindTIFF, nil
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(body, byteOrderMark), xmlSpace), []byte("<")):
		return kindSVG, nil
	case len(body) == 0:
		return nil, refused("it is empty")
	}
	if format := unsupportedFormat(body); format != "" {
		return nil, refused("%w: %s", ErrUnsupported, format)
	}
	return nil, refused("it begins with % x, which is neither PNG, JPEG, GIF, WebP, TIFF nor SVG", body[:min(len(body), 12)])
}

// unsupportedFormat names the format of an image or film that can't be decoded here; empty for unknown bytes. Another
// attempt at the same bytes is pointless, whereas unknown bytes may be a page of a gateway.
func unsupportedFormat(body []byte) string {
	if len(body) >= 12 && string(body[4:8]) == "ftyp" { // ISO base media file format (ISO/IEC 14496-12, 4.3)
		switch brand := string(body[8:12]); brand {
		case "avif", "avis":
			return "AVIF"
		case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1":
			return "HEIF"
		}
		return "MP4 or QuickTime"
	}
	if len(body) >= 14 && string(body[:2]) == "BM" && binary.LittleEndian.Uint32(body[6:]) == 0 { // two reserved numbers
		return "BMP"
	}
	for _, format := range []struct{ prefix, name string }{
		{"\xff\x0a", "JPEG XL"},
		{"\x00\x00\x00\x0cJXL \r\n\x87\n", "JPEG XL"},
		{"\x00\x00\x00\x0cjP  \r\n\x87\n", "JPEG 2000"},
		{"\x00\x00\x01\x00", "ICO"},
		{"8BPS", "Photoshop"},
		{"%PDF-", "PDF"},
		{"glTF", "glTF"},
		{"\x1aE\xdf\xa3", "WebM or Matroska"},
	} {
		if bytes.HasPrefix(body, []byte(format.prefix)) {
			return format.name
		}
	}
	return ""
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
