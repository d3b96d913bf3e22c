package engine

import "context"

// Exchange holds what is known about a request besides its parameters. The context of every request carries one.
type Exchange struct {
	ID        string  // names the request in the log
	Target    string  // as the client wrote it
	Client    string  // its address and port
	operation string  // set when the route is known
	family    *Family // to which the target belongs; nil for none, and while the target has not been routed
	least     int64   // the number of events that the answer has to reflect at least; 0 for any
	// parameters are the operation's parameters in canonical form, set when they have been checked.
	parameters []byte
	// ignored is the header that names the parameters that the operation does not know; nil if there are none.
	ignored []string
	// plan receives the request's plan instead of having it executed; nil for an ordinary request.
	plan func(*Plan)
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// ExchangeOf returns the exchange of a request's context; an empty one when the context has none.
func ExchangeOf(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}
