package picture

import (
	"context"
	"crypto/sha256"
	"errors"

	"strata/domain/fetch"
)

// Keep inspects an image, makes its thumbnail, and puts both into the store. With a nil store it only inspects.
//
// An error that wraps ErrRefused is the image's own. After any other error the facts, unless they are zero, hold all the
// same: the store failed, and [Handler] will make up for it.
func Keep(ctx context.Context, store Store, body []byte) (fetch.ImageFacts, error) {
	facts, small, err := look(ctx, body, store != nil)
	if err != nil || store == nil {
		return facts, err
	}
	key := Key{SHA256: sha256.Sum256(body)}
	err = store.Put(ctx, key, body)
	key.Thumb = true
	return facts, errors.Join(err, store.Put(ctx, key, small))
}
