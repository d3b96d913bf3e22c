package picture

import (
	"context"
	"crypto/sha256"
	"errors"

	"strata/domain/fetch"
)

// Keep inspects an image, makes its thumbnail, and puts both into the store. If store is nil, it only inspects the
// image.
//
// An error that wraps ErrRefused is caused by the image. After any other error the facts are still valid unless they
// are zero: the store failed, and [Handler] will regenerate the image.
func Keep(ctx context.Context, store Store, body []byte) (fetch.ImageFacts, error) {
	facts, small, err := inspect(ctx, body, store != nil)
	if err != nil || store == nil {
		return facts, err
	}
	key := Key{SHA256: sha256.Sum256(body)}
	err = store.Put(ctx, key, body)
	key.Thumb = true
	return facts, errors.Join(err, store.Put(ctx, key, small))
}
