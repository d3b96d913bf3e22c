package engine

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
)

// exchange is what is known of a request beside its parameters. There is one in the context of every request.
type exchange struct {
	ID        string // names the request in the log
	Target    string // as the client wrote it
	operation string // set when the route is known
	least     int64  // events that the answer has to reflect; 0 for any
	// parameters of the operation in their canonical form, set when they have been checked.
	parameters []byte
	// plan takes the plan of the request, which is not carried out then; nil for a request to carry out.
	plan func(*Plan)
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func ExchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

func newRequestID() string {
	var b [8]byte
	for i, r := 0, rand.Uint64(); i < len(b); i, r = i+1, r>>8 {
		b[i] = byte(r)
	}
	return hex.EncodeToString(b[:])
}
