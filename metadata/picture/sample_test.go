package picture_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"strata/internal/testkit/must"
)

// gradient returns an image whose pixels have different colours. Half of them are translucent.
func gradient(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			alpha := uint8(255)
			if x%2 == 1 {
				alpha = 128
			}
			m.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / width), uint8(y * 255 / height), uint8(x ^ y), alpha})
		}
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, m))
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

var (
	red  = color.RGBA{255, 0, 0, 255}
	blue = color.RGBA{0, 0, 255, 255}
)

// gifOf returns an animation. Its frames have one colour each and cover the given rectangles of the canvas.
func gifOf(t testing.TB, width, height int, frames ...image.Rectangle) []byte {
	t.Helper()
	g := gif.GIF{Config: image.Config{Width: width, Height: height}}
	for i, frame := range frames {
		m := image.NewPaletted(frame, color.Palette{color.Transparent, red, blue})
		for j := range m.Pix {
			m.Pix[j] = uint8(1 + i%2)
		}
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	var b bytes.Buffer
	must.Do(t, gif.EncodeAll(&b, &g))
	return b.Bytes()
}

// bits writes numbers bit by bit, the lowest bit first.
type bits struct {
	b []byte
	n int
}

func (w *bits) write(v uint32, count int) {
	for i := range count {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// losslessWebP returns the chunk of an image of one colour (RFC 9649, section 3). The pixels take no bits, because a
// prefix code with one symbol has none.
func losslessWebP(width, height int, c color.NRGBA) []byte {
	w := bits{}
	w.write(0x2f, 8)
	w.write(uint32(width-1), 14)
	w.write(uint32(height-1), 14)
	w.write(1, 1) // alpha is used
	w.write(0, 3) // version
	w.write(0, 3) // no transform, no colour cache, one group of codes
	for _, symbol := range []uint8{c.G, c.R, c.B, c.A} {
		w.write(0b101, 3) // a simple code of one symbol of 8 bits
		w.write(uint32(symbol), 8)
	}
	w.write(0b0001, 4) // distances: a simple code of the symbol 0, of one bit
	return chunk("VP8L", w.b)
}

func chunk(id string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(data)))
	b = append(b, data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func webpOf(chunks ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WEBP"), bytes.Join(chunks, nil)...))
}

func uint24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

// canvasOf returns the first chunk of an animation.
func canvasOf(width, height int) []byte {
	return chunk("VP8X", bytes.Join([][]byte{{0x12, 0, 0, 0}, uint24(width - 1), uint24(height - 1)}, nil))
}

// frameOf returns a frame of an animation. x and y must be even.
func frameOf(x, y, width, height int, picture []byte) []byte {
	header := bytes.Join([][]byte{uint24(x / 2), uint24(y / 2), uint24(width - 1), uint24(height - 1), uint24(100), {0}}, nil)
	return chunk("ANMF", append(header, picture...))
}

// lossyWebP is an image of one pixel.
var lossyWebP = unhex("52494646220000005745425056503820160000003001009d012a010001000ec0fe25a400037000000000")

// progressiveJPEG returns a grey JPEG with minimal scans. Its pixels are only complete if the size is 8×8.
func progressiveJPEG(width, height, scans int) []byte {
	b := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	b = append(b, bytes.Repeat([]byte{1}, 64)...)
	b = append(b, 0xff, 0xc2, 0, 11, 8)
	b = binary.BigEndian.AppendUint16(b, uint16(height))
	b = binary.BigEndian.AppendUint16(b, uint16(width))
	b = append(b, 1, 1, 0x11, 0)
	b = append(b, 0xff, 0xc4, 0, 20, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for range scans {
		b = append(b, 0xff, 0xda, 0, 8, 1, 1, 0x00, 0, 0, 0x00, 0x7f)
	}
	return append(b, 0xff, 0xd9)
}

func svgOf(inner string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="10">` + inner + `</svg>`)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// pngClaiming returns a PNG whose header claims this size, but which has only one pixel.
func pngClaiming(t testing.TB, width, height uint32) []byte {
	t.Helper()
	b := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	return withChecksum(b)
}

// ifdOf returns a TIFF whose directory is followed by data. Each entry has a tag, a type (3 for SHORT, 4 for LONG), a count
// and a value.
func ifdOf(order binary.AppendByteOrder, data []byte, entries ...[4]uint32) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint16(order.AppendUint32(b, 8), uint16(len(entries)))
	for _, e := range entries {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, uint16(e[0])), uint16(e[1])), e[2])
		if e[1] == 3 {
			b = order.AppendUint16(order.AppendUint16(b, uint16(e[3])), 0)
		} else {
			b = order.AppendUint32(b, e[3])
		}
	}
	return append(order.AppendUint32(b, 0), data...)
}

// exifOf returns Exif data with an orientation.
func exifOf(order binary.AppendByteOrder, orientation uint32) []byte {
	return ifdOf(order, nil, [4]uint32{271, 4, 1, 7}, [4]uint32{274, 3, 1, orientation})
}

// greyTIFF returns a TIFF of one uncompressed strip, with further tags above 279.
func greyTIFF(order binary.AppendByteOrder, m *image.Gray, orientation uint32, more ...[4]uint32) []byte {
	entries := [][4]uint32{
		{256, 4, 1, uint32(m.Rect.Dx())}, {257, 4, 1, uint32(m.Rect.Dy())}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
		{273, 4, 1, 0}, {274, 3, 1, orientation}, {278, 4, 1, 0xffffffff}, {279, 4, 1, uint32(len(m.Pix))},
	}
	entries = append(entries, more...)
	entries[5][3] = uint32(8 + 2 + 12*len(entries) + 4)
	return ifdOf(order, m.Pix, entries...)
}

// withExif returns a JPEG with Exif data after its first marker.
func withExif(jpeg, exif []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe1"), uint16(2+6+len(exif)))
	return bytes.Join([][]byte{segment, []byte("Exif\x00\x00"), exif, jpeg[2:]}, nil)
}

// withChunk returns a PNG with a chunk before its last one.
func withChunk(png []byte, kind string, data []byte) []byte {
	end := len(png) - 12
	b := append(binary.BigEndian.AppendUint32(bytes.Clone(png[:end]), uint32(len(data))), kind...)
	b = append(b, data...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[end+4:]))
	return append(b, png[end:]...)
}
