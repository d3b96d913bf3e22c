package clarity

const (
	// DefaultDepth is the limit of nodes, whose types nest at most 32 levels deep.
	DefaultDepth = 32

	// LegacyDepth is the limit of existing API decoders and of nodes before epoch 2.4: fifteen wrappers and a leaf.
	LegacyDepth = 16

	// maxDepth bounds the recursion, whatever limit a caller sets.
	maxDepth = 256
)

// Option changes how strictly a value is decoded.
type Option func(options) options

type options struct {
	depth  int
	strict bool
}

// WithDepth sets the number of levels that a value may have, itself included. The default is DefaultDepth, the highest
// limit 256.
func WithDepth(levels int) Option {
	return func(o options) options {
		o.depth = min(levels, maxDepth)
		return o
	}
}

// Strict refuses what a node refuses: illegal characters in a string-ascii, ill-formed UTF-8, names that break the
// grammar, duplicate tuple keys, lists without a common element type, and more than 2 MiB. A node also limits the size
// of a value's type to 1 MiB, by its own accounting; Strict does not check that.
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
