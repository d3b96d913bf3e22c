package picture

import (
	"context"
	"fmt"
	"image"
	"math"

	"golang.org/x/sync/semaphore"
)

const (
	// pixelsMax bounds width times height. 50 megapixels are more than most cameras produce.
	pixelsMax = 50_000_000
	// memoryMax bounds the memory of all concurrent decodes together, in bytes. An image that needs more alone is
	// refused.
	memoryMax = 256 << 20
	// decodesMax is the maximum number of concurrent decodes, however small they are.
	decodesMax = 4
	// framesMax bounds the frames of an animation.
	framesMax = 5000
)

// extent is the size of an image and the cost of decoding it, derived from its header.
type extent struct {
	width, height int
	// memory is the maximum memory that decoding takes, in bytes.
	memory int64
	// orientation says where the picture's first row and column are to be shown (CIPA DC-008, 4.6.4): 1 to 8, or 0 for
	// unknown. 1 is upright; 5 to 8 lie on their side.
	orientation int
}

// upright returns the size in which the picture is shown.
func (e extent) upright() (width, height int) {
	if e.orientation >= 5 {
		return e.height, e.width
	}
	return e.width, e.height
}

// pixels returns the extent of an image whose decoder takes bytesEach bytes per pixel. The numbers in a header have at
// most 32 bits.
func pixels(width, height, bytesEach int) extent {
	count := min(int64(width)*int64(height), math.MaxInt32)
	return extent{width: width, height: height, memory: count * int64(bytesEach)}
}

func (e extent) check() error {
	switch {
	case e.width < 1 || e.height < 1:
		return fmt.Errorf("it has %d×%d pixels", e.width, e.height)
	case int64(e.width)*int64(e.height) > pixelsMax:
		return fmt.Errorf("it has %d×%d pixels; at most %d are decoded", e.width, e.height, pixelsMax)
	case e.peakMemory() > memoryMax:
		return fmt.Errorf("decoding its %d×%d pixels would take %d bytes of memory, more than %d", e.width, e.height, e.peakMemory(), memoryMax)
	}
	return nil
}

// peakMemory returns the memory for decoding, scaling and turning, in bytes. The scaler holds one row of the thumbnail
// for each row of the image, with four float64 per pixel; of an image that lies on its side, one column for each column.
// To turn a thumbnail takes another one.
func (e extent) peakMemory() int64 {
	width, height := e.upright()
	memory := e.memory
	if width > ThumbnailWidth {
		memory += int64(height) * ThumbnailWidth * 32
	}
	if e.orientation > 1 {
		memory += int64(height) * int64(min(width, ThumbnailWidth)) * 4
	}
	return memory
}

// decodeMemory is the memory that all decodes of the process share.
var decodeMemory = semaphore.NewWeighted(memoryMax)

// decode returns the first frame of an image, as it is stored. The caller must call release when it no longer needs the
// picture.
func decode(ctx context.Context, k *kind, body []byte) (picture image.Image, e extent, release func(), err error) {
	e, err = k.measure(body)
	if err == nil {
		err = e.check()
	}
	if err != nil {
		return nil, e, nil, refused("%s: %w", k.contentType, err)
	}
	share := max(e.peakMemory(), memoryMax/decodesMax)
	if err := decodeMemory.Acquire(ctx, share); err != nil {
		return nil, e, nil, fmt.Errorf("wait for memory to decode an image: %w", err)
	}
	release = func() { decodeMemory.Release(share) }
	picture, err = decodeRecovering(k, body)
	if err == nil && picture.Bounds().Size() != image.Pt(e.width, e.height) {
		err = fmt.Errorf("its header promises %d×%d pixels, it has %v", e.width, e.height, picture.Bounds().Size())
	}
	if err != nil {
		release()
		return nil, e, nil, refused("%s: %w", k.contentType, err)
	}
	return picture, e, release, nil
}

// decodeRecovering decodes an image and turns a panic into an error. Decoders of such intricate formats have panicked
// before, and that must not end the process.
func decodeRecovering(k *kind, body []byte) (picture image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			picture, err = nil, fmt.Errorf("its decoder panicked: %v", r)
		}
	}()
	return k.decode(body)
}
