package eventstore

// A body that comes again is stored once. Where the log looks for it depends on its size
// (docs/decisions/021-small-bodies-are-known-for-a-while.md):
//
//   - log.body has the large ones, for ever. Recording one costs little beside writing it.
//   - log.small_body has the others by spans of positions, and only the newest two spans are looked at. So an append reads and
//     writes the newest end of that index alone, however long the log is, and what comes again soon is found: a node's retry, and
//     what several nodes post.
const (
	// largeBody is the size of the smallest large body, in bytes.
	largeBody    = 16 << 10
	largeBodySQL = "16384"
	// spanBits is the number of low bits of a position that do not tell its span: spans have 262,144 positions. The schema has it,
	// too.
	spanShift = 18
	spanBits  = "18"
)

func isLarge(size int64) bool { return size >= largeBody }

// spanOf returns the span of a position.
func spanOf(seq int64) int64 { return seq >> spanShift }
