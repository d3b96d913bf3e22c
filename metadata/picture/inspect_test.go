package picture_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/image/tiff"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

// withChecksum corrects the checksum of a PNG's header.
func withChecksum(b []byte) []byte {
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestInspect(t *testing.T) {
	green := color.NRGBA{0, 200, 0, 255}
	deep := image.NewNRGBA64(image.Rect(0, 0, 5, 7))
	grey := image.NewGray(image.Rect(0, 0, 33, 9))
	frames := gifOf(t, 30, 20, image.Rect(4, 6, 14, 16), image.Rect(0, 0, 30, 20))
	for name, test := range map[string]struct {
		body          []byte
		contentType   string
		width, height int
	}{
		"PNG":              {pngOf(t, gradient(40, 30)), "image/png", 40, 30},
		"PNG 16 bit":       {pngOf(t, deep), "image/png", 5, 7},
		"PNG palette":      {pngOf(t, image.NewPaletted(image.Rect(0, 0, 3, 2), palette.Plan9)), "image/png", 3, 2},
		"JPEG":             {jpegOf(t, gradient(40, 30)), "image/jpeg", 40, 30},
		"JPEG grey":        {jpegOf(t, grey), "image/jpeg", 33, 9},
		"JPEG progressive": {progressiveJPEG(8, 8, 1), "image/jpeg", 8, 8},
		"GIF":              {gifOf(t, 12, 8, image.Rect(0, 0, 12, 8)), "image/gif", 12, 8},
		"GIF animation":    {frames, "image/gif", 30, 20},
		"WebP lossless":    {webpOf(losslessWebP(21, 13, green)), "image/webp", 21, 13},
		"WebP lossy":       {lossyWebP, "image/webp", 1, 1},
		"WebP animation": {
			webpOf(canvasOf(30, 20), chunk("ANIM", make([]byte, 6)), frameOf(4, 6, 10, 8, losslessWebP(10, 8, green)), frameOf(0, 0, 30, 20, losslessWebP(30, 20, green))),
			"image/webp", 30, 20,
		},
		"TIFF":             {greyTIFF(binary.LittleEndian, grey, 1), "image/tiff", 33, 9},
		"TIFF big-endian":  {greyTIFF(binary.BigEndian, grey, 1), "image/tiff", 33, 9},
		"TIFF deflate":     {tiffOf(t, gradient(40, 30), tiff.Deflate), "image/tiff", 40, 30},
		"TIFF 16 bit":      {tiffOf(t, deep, tiff.Uncompressed), "image/tiff", 5, 7},
		"JPEG on its side": {withExif(jpegOf(t, gradient(40, 30)), exifOf(binary.BigEndian, 6)), "image/jpeg", 30, 40},
		"SVG":              {svgOf(`<rect width="5" height="5"/>`), "image/svg+xml", 20, 10},
	} {
		t.Run(name, func(t *testing.T) {
			facts := must.Get(picture.Inspect(test.body))(t)
			sum := sha256.Sum256(test.body)
			want := fetch.ImageFacts{SHA256: hex.EncodeToString(sum[:]), ContentType: test.contentType, Width: test.width, Height: test.height}
			if facts != want {
				t.Errorf("got %+v, want %+v", facts, want)
			}
		})
	}
}

// A download that was cut off must be refused, wherever the cut is.
func TestInspectTruncated(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 33, 9))
	for name, body := range map[string][]byte{
		"PNG":              pngOf(t, gradient(20, 20)),
		"JPEG":             jpegOf(t, gradient(20, 20)),
		"JPEG progressive": progressiveJPEG(8, 8, 1),
		"GIF":              gifOf(t, 12, 8, image.Rect(0, 0, 12, 8), image.Rect(0, 0, 5, 5)),
		"WebP":             webpOf(losslessWebP(21, 13, color.NRGBA{1, 2, 3, 255})),
		"WebP lossy":       lossyWebP,
		"WebP animation":   webpOf(canvasOf(4, 4), frameOf(0, 0, 4, 4, losslessWebP(4, 4, color.NRGBA{A: 255})), frameOf(0, 0, 4, 4, losslessWebP(4, 4, color.NRGBA{A: 255}))),
		"TIFF":             greyTIFF(binary.LittleEndian, grey, 1),
		"SVG":              svgOf(`<g><path d="M0 0"/></g>`),
	} {
		t.Run(name, func(t *testing.T) {
			must.Get(picture.Inspect(body))(t)
			for length := range body {
				if facts, err := picture.Inspect(body[:length]); !errors.Is(err, picture.ErrRefused) {
					t.Fatalf("%d of %d bytes: got %+v, %v", length, len(body), facts, err)
				}
			}
		})
	}
}

func TestInspectRefusesOtherKinds(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "spaces": " \n", "text": "hello", "JSON": `{"image":"x"}`, "HTML": "<!doctype html><p>hi</p>", "HTML element": "<html><body/></html>",
		"text like a BMP": "BM 1.0", "RIFF audio": "RIFF\x04\x00\x00\x00WAVE", "TIFF": "II*\x00", "BigTIFF": "II+\x00\x08\x00\x00\x00", "zip": "PK\x03\x04", "gzip": "\x1f\x8b\x08",
	} {
		t.Run(name, func(t *testing.T) {
			facts, err := picture.Inspect([]byte(body))
			if !errors.Is(err, picture.ErrRefused) || errors.Is(err, picture.ErrUnsupported) || facts != (fetch.ImageFacts{}) {
				t.Errorf("got %+v, %v", facts, err)
			}
		})
	}
}

// A format without a decoder is named, and told from bytes that are no image.
func TestInspectNamesUnsupportedFormats(t *testing.T) {
	for body, format := range map[string]string{
		"\x00\x00\x00\x20ftypavif\x00\x00\x00\x00": "AVIF", "\x00\x00\x00\x20ftypavis": "AVIF", "\x00\x00\x00\x18ftypheic": "HEIF", "\x00\x00\x00\x18ftypmif1": "HEIF",
		"\x00\x00\x00\x18ftypisom": "MP4", "\x00\x00\x00\x14ftypqt  ": "QuickTime", "\x1aE\xdf\xa3\x01": "WebM", "\xff\x0a\xfa": "JPEG XL",
		"\x00\x00\x00\x0cJXL \r\n\x87\n": "JPEG XL", "\x00\x00\x00\x0cjP  \r\n\x87\n": "JPEG 2000", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00": "BMP",
		"\x00\x00\x01\x00\x01\x00": "ICO", "8BPS\x00\x01": "Photoshop", "%PDF-1.7": "PDF", "glTF\x02\x00": "glTF",
	} {
		if _, err := picture.Inspect([]byte(body)); !errors.Is(err, picture.ErrRefused) || !errors.Is(err, picture.ErrUnsupported) || !strings.Contains(err.Error(), format) {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

// manyFrames returns a GIF animation of one pixel.
func manyFrames(count int) []byte {
	b := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff")
	frame := []byte("\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00")
	return append(append(b, bytes.Repeat(frame, count)...), 0x3b)
}

func gifClaiming(width, height uint16) []byte {
	b := manyFrames(1)
	binary.LittleEndian.PutUint16(b[6:], width)
	binary.LittleEndian.PutUint16(b[8:], height)
	return b
}

func gifFrameClaiming(width, height uint16) []byte {
	b := manyFrames(1)
	binary.LittleEndian.PutUint16(b[24:], width)
	binary.LittleEndian.PutUint16(b[26:], height)
	return b
}

func tiffOf(t testing.TB, m image.Image, compression tiff.CompressionType) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, tiff.Encode(&b, m, &tiff.Options{Compression: compression}))
	return b.Bytes()
}

// tiffClaiming returns a TIFF of one pixel whose directory claims this size.
func tiffClaiming(width, height uint32, more ...[4]uint32) []byte {
	b := greyTIFF(binary.LittleEndian, image.NewGray(image.Rect(0, 0, 1, 1)), 1, more...)
	binary.LittleEndian.PutUint32(b[10+8:], width)
	binary.LittleEndian.PutUint32(b[10+12+8:], height)
	return b
}

func interlaced(b []byte) []byte {
	b = bytes.Clone(b)
	b[28] = 1
	return withChecksum(b)
}

// A small file that claims to be huge is refused before memory is allocated for it.
func TestInspectRefusesBombs(t *testing.T) {
	tall := color.NRGBA{A: 255}
	threeComponents := func(frame string) []byte {
		return []byte("\xff\xd8" + frame + "\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00" + "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00" + "\xff\xd9")
	}
	for name, test := range map[string]struct {
		body []byte
		why  string
	}{
		"PNG":                  {pngClaiming(t, 60000, 60000), "pixels"},
		"PNG largest":          {pngClaiming(t, math.MaxInt32, math.MaxInt32), "pixels"},
		"PNG negative":         {pngClaiming(t, math.MaxUint32, 1), "negative"},
		"PNG empty":            {pngClaiming(t, 0, 1), "pixels"},
		"PNG long row":         {pngClaiming(t, 50_000_001, 1), "pixels"},
		"PNG tall":             {pngClaiming(t, 301, 166_000), "memory"}, // cheap to decode, not to shrink
		"PNG interlaced":       {interlaced(pngClaiming(t, 7000, 7000)), "memory"},
		"JPEG":                 {progressiveJPEG(60000, 60000, 1), "pixels"},
		"JPEG progressive":     {threeComponents("\xff\xc2\x00\x11\x08\x1b\x00\x1b\x00"), "memory"}, // 6912×6912
		"JPEG scans":           {progressiveJPEG(8, 8, 101), "scans"},
		"JPEG two frames":      {append(progressiveJPEG(8, 8, 1)[:84], progressiveJPEG(8, 8, 1)[71:]...), "more than one frame"},
		"GIF":                  {gifClaiming(60000, 60000), "pixels"},
		"GIF frame":            {gifFrameClaiming(60000, 60000), "outside"},
		"GIF frames":           {manyFrames(5001), "frames"},
		"WebP":                 {webpOf(losslessWebP(16384, 16384, tall)), "pixels"},
		"WebP canvas":          {webpOf(canvasOf(1<<24, 1<<24), frameOf(0, 0, 1, 1, losslessWebP(1, 1, tall))), "pixels"},
		"WebP hidden":          {webpOf(chunk("VP8X", make([]byte, 10)), losslessWebP(16384, 16384, tall)), "invalid"},
		"WebP hidden in frame": {webpOf(canvasOf(2, 2), frameOf(0, 0, 2, 2, losslessWebP(16384, 16384, tall))), "invalid"},
		"WebP frame":           {webpOf(canvasOf(2, 2), frameOf(0, 0, 3, 2, losslessWebP(3, 2, tall))), "outside"},
		"TIFF":                 {tiffClaiming(60000, 60000), "pixels"},
		"TIFF largest":         {tiffClaiming(math.MaxUint32, math.MaxUint32), "pixels"},
		"TIFF empty":           {tiffClaiming(0, 1), "pixels"},
		"TIFF one strip":       {tiffClaiming(3000, 3000), "memory"},
		"TIFF two widths":      {ifdOf(binary.LittleEndian, nil, [4]uint32{256, 3, 2, 1}), "tag 256"},
		"TIFF tiles":           {tiffClaiming(100, 100, [4]uint32{322, 4, 1, 1 << 20}, [4]uint32{323, 4, 1, 8}), "tiles"},
		"TIFF large tiles":     {tiffClaiming(7000, 3000, [4]uint32{322, 4, 1, 7000}, [4]uint32{323, 4, 1, 3000}), "memory"},
		"WebP frames":          {webpOf(canvasOf(1, 1), bytes.Repeat(frameOf(0, 0, 1, 1, losslessWebP(1, 1, tall)), 5001)), "frames"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			facts, err := picture.Inspect(test.body)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, picture.ErrRefused) || !strings.Contains(err.Error(), test.why) {
				t.Fatalf("got %+v, %v; want a refusal for its %s", facts, err, test.why)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
				t.Errorf("Inspect allocated %d bytes", took)
			}
		})
	}
	if _, err := picture.Inspect(manyFrames(5000)); err != nil {
		t.Errorf("the maximum number of frames: %v", err)
	}
	if _, err := picture.Inspect(progressiveJPEG(8, 8, 100)); err != nil {
		t.Errorf("the maximum number of scans: %v", err)
	}
}

// While other decodes hold all the memory, Keep waits until there is some or its context ends.
func TestKeepWaitsForMemory(t *testing.T) {
	body := pngOf(t, gradient(3, 3))
	synctest.Test(t, func(t *testing.T) {
		release := picture.HoldMemory(t)
		ctx, cancel := context.WithCancel(t.Context())
		keep := func(ctx context.Context) <-chan error {
			done := make(chan error, 1)
			go func() {
				_, err := picture.Keep(ctx, nil, body)
				done <- err
			}()
			return done
		}
		impatient, patient := keep(ctx), keep(t.Context())
		synctest.Wait()
		if len(impatient)+len(patient) > 0 {
			t.Fatal("Keep did not wait")
		}
		cancel()
		if err := <-impatient; !errors.Is(err, context.Canceled) || errors.Is(err, picture.ErrRefused) {
			t.Errorf("after the context has ended: got %v", err)
		}
		release()
		if err := <-patient; err != nil {
			t.Errorf("after the memory was released: got %v", err)
		}
	})
}

// Every decode releases its memory, even if it fails.
func TestInspectReleasesMemory(t *testing.T) {
	broken := pngOf(t, gradient(50, 50))
	broken[60] ^= 0xff
	for range 20 {
		if _, err := picture.Inspect(broken); !errors.Is(err, picture.ErrRefused) {
			t.Fatalf("got %v", err)
		}
	}
	picture.HoldMemory(t)()
}
