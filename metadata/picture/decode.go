package picture

import (
	"context"
	"fmt"
	"image"
	"math"

	"golang.org/x/sync/semaphore"
)

const (
	// pixelsMax bounds width times height: 50 megapixels are more than most cameras make.
	pixelsMax = 50_000_000
	// memoryMax is how many bytes all decodes at one time may take together. An image that needs more alone is refused.
	memoryMax = 256 << 20
	// decodesMax is how many run at one time, however small they are.
	decodesMax = 4
	// framesMax bounds animations.
	framesMax = 5000
)

// extent is what decoding would give and take.
type extent struct {
	width, height int
	// memory is how many bytes decoding takes at most.
	memory int64
}

// pixels is the extent of an image whose decoder takes so many bytes a pixel. A header's numbers have 32 bits at most.
func pixels(width, height, bytesEach int) extent {
	count := min(int64(width)*int64(height), math.MaxInt32)
	return extent{width, height, count * int64(bytesEach)}
}

func (e extent) check() error {
	switch {
	case e.width < 1 || e.height < 1:
		return fmt.Errorf("it has %d×%d pixels", e.width, e.height)
	case int64(e.width)*int64(e.height) > pixelsMax:
		return fmt.Errorf("it has %d×%d pixels; at most %d are decoded", e.width, e.height, pixelsMax)
	case e.work() > memoryMax:
		return fmt.Errorf("decoding its %d×%d pixels would take %d bytes of memory, more than %d", e.width, e.height, e.work(), memoryMax)
	}
	return nil
}

// work is the memory for decoding and shrinking. The scaler holds a row of the thumbnail for each row of the image,
// as four float64 a pixel.
func (e extent) work() int64 {
	if e.width <= ThumbnailWidth {
		return e.memory
	}
	return e.memory + int64(e.height)*ThumbnailWidth*32
}

// memory is shared by all decodes of the process.
var memory = semaphore.NewWeighted(memoryMax)

// decode gives the first frame. release is called when the caller is done with it.
func decode(ctx context.Context, k *kind, body []byte) (picture image.Image, release func(), err error) {
	e, err := k.measure(body)
	if err == nil {
		err = e.check()
	}
	if err != nil {
		return nil, nil, refused("%s: %w", k.contentType, err)
	}
	share := max(e.work(), memoryMax/decodesMax)
	if err := memory.Acquire(ctx, share); err != nil {
		return nil, nil, fmt.Errorf("wait for memory to decode an image: %w", err)
	}
	release = func() { memory.Release(share) }
	picture, err = safely(k, body)
	if err == nil && picture.Bounds().Size() != image.Pt(e.width, e.height) {
		err = fmt.Errorf("its header promises %d×%d pixels, it has %v", e.width, e.height, picture.Bounds().Size())
	}
	if err != nil {
		release()
		return nil, nil, refused("%s: %w", k.contentType, err)
	}
	return picture, release, nil
}

// safely decodes. Decoders of formats this intricate have been made to panic before; that must not end the process.
func safely(k *kind, body []byte) (picture image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			picture, err = nil, fmt.Errorf("its decoder panicked: %v", r)
		}
	}()
	return k.decode(body)
}
