package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
)

// Plan is the meaning of a request: an operation, its parameters, and what the answer depends on. Requests with the same
// meaning have equal plans, however they are written. A plan outlives its request: the next request with the same target
// needs neither routing nor parsing.
type Plan struct {
	Operation *Endpoint
	// Handler computes the answer's value; the parameters are bound to it.
	Handler handler
	Input   any // the parameters: a pointer to the operation's input
	// ignored is the header that names what the target has and the operation does not know; nil for nothing.
	ignored []string
	// digest is a digest of the program, the operation and its parameters.
	digest [sha256.Size]byte
	// declared is what the answer depends on; nil if the operation learns it.
	declared *Dependencies
	hits
}

// dependencies returns what the answer depends on, as far as it is known.
func (p *Plan) dependencies() *Dependencies {
	if p.declared != nil {
		return p.declared
	}
	return p.Operation.learned.known()
}

// LeastAdvanced returns the active version among the dependencies that reflects the fewest events; nil when there is none.
func (p *Plan) LeastAdvanced(s *register.State) *register.Version {
	return p.dependencies().LeastAdvanced(s)
}

// handler computes the value of an answer from a snapshot.
type handler func(ctx context.Context, s *Snapshot) (any, error)

// newPlan returns the plan of a request whose parameters are given in canonical form. program separates this program's
// answers from those of other builds that share a cache with it.
func newPlan(program string, o *Endpoint, parameters []byte, declared *Dependencies, h handler) *Plan {
	b := make([]byte, 0, 256)
	for _, part := range []string{program, o.ID} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return &Plan{Operation: o, Handler: h, digest: sha256.Sum256(append(b, parameters...)), declared: declared}
}

// Kinds of keys.
const (
	keyUnchanging = iota // of an answer that never changes
	keyOfState           // of an answer that belongs to a state
	keyOfFlight          // of the answers to a plan while no state is known
)

// key returns the key of the answer in a state. Equal keys mean equal answers, whichever process built them, and when.
func (p *Plan) key(s *register.State) cache.Key {
	var buffer [256]byte
	b := append(append(buffer[:0], p.digest[:]...), keyOfState)
	return KeyOf(p.dependencies().appendState(b, s))
}

// keys returns the keys under which to look for an answer.
func (p *Plan) keys(s *register.State) cache.Keys {
	keys := cache.Keys{Current: p.key(s)}
	if p.dependencies().Unchanging {
		keys.Lasting = p.unchangingKey(s)
	}
	return keys
}

// unchangingKey returns the key of an answer that never changes.
func (p *Plan) unchangingKey(s *register.State) cache.Key {
	var buffer [256]byte
	b := append(append(buffer[:0], p.digest[:]...), keyUnchanging)
	return KeyOf(append(b, s.Archive[:]...))
}

// flightKey returns the key under which requests share an answer while no state is known.
func (p *Plan) flightKey() cache.Key {
	var buffer [64]byte
	return KeyOf(append(append(buffer[:0], p.digest[:]...), keyOfFlight))
}

// learn notes what was read for an answer to the plan.
func (p *Plan) learn(s *Snapshot) {
	if p.declared == nil {
		p.Operation.learned.add(s.read)
	}
}

// KeyOf returns a digest of b as a cache key.
func KeyOf(b []byte) (key cache.Key) {
	digest := sha256.Sum256(b)
	copy(key[:], digest[:])
	return key
}

// weight estimates the memory that a plan and its request target take, in bytes.
func (p *Plan) weight(target string) int {
	weight := 512 + len(target)
	if d := p.declared; d != nil {
		weight += 32 * (len(d.shards) + len(d.tips))
	}
	return weight
}

// TagOf returns a digest as an entity tag.
func TagOf(key cache.Key) answer.Tag { return answer.Tag(key) }
