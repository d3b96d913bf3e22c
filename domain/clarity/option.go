package clarity

const (
	// DefaultDepth is the number of levels that every value of a node fits in: its types nest 32 deep at most.
	DefaultDepth = 32

	// LegacyDepth is the limit of existing API decoders, and of nodes before epoch 2.4: fifteen wrappers and a leaf.
	LegacyDepth = 16

	// maxDepth bounds recursion whatever is asked for.
	maxDepth = 256
)

// Option changes how strictly bytes are read.
type Option func(options) options

type options struct {
	depth  int
	strict bool
}

// WithDepth sets the number of levels a value may have, itself included: DefaultDepth without this option, 256 at most.
func WithDepth(levels int) Option {
	return func(o options) options {
		o.depth = min(levels, maxDepth)
		return o
	}
}

// Strict refuses what a node refuses: characters outside the set of string-ascii, invalid UTF-8, names that break the
// grammar, duplicate tuple keys, lists without a common element type, more than 2 MiB. (A node also limits the size of
// a value's type to 1 MiB, which depends on its own accounting and is not checked here.)
func Strict() Option {
	return func(o options) options {
		o.strict = true
		return o
	}
}

func resolve(opts []Option) options {
	o := options{depth: DefaultDepth}
	for _, opt := range opts {
		o = opt(o)
	}
	return o
}
