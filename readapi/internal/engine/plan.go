package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
)

// plan is what a request comes to: an operation, its parameters, and what the answer depends on. Requests that come to
// the same have equal plans, however they are written; a plan outlives the request, so that the next one with the same
// target needs neither routing nor parsing.
type Plan struct {
	Operation *endpoint
	// handler makes the answer; it has the parameters.
	Handler handler
	Input   any // the parameters, a pointer to the input of the operation
	// digest is of the program, the operation and its parameters.
	digest [sha256.Size]byte
	Dependencies
}

// handler makes the value of an answer of what is in a snapshot.
type handler func(ctx context.Context, s *Snapshot) (any, error)

// newPlan makes the plan of a request whose parameters are written in their canonical form. program tells this program's
// answers from those of other builds, which may share a cache with it.
func newPlan(program string, o *endpoint, parameters []byte, d Dependencies, h handler) *Plan {
	b := make([]byte, 0, 256)
	for _, part := range []string{program, o.ID} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return &Plan{Operation: o, Handler: h, digest: sha256.Sum256(append(b, parameters...)), Dependencies: d}
}

// Two kinds of keys: of an answer that never changes, and of one that is bound to a state.
const (
	keyUnchanging = iota
	keyOfState
)

// key is the key of the answer in a state. Equal keys mean equal answers, whoever made them and when.
func (p *Plan) key(s *register.State) cache.Key {
	var buffer [256]byte
	b := append(append(buffer[:0], p.digest[:]...), keyOfState)
	return KeyOf(p.appendState(b, s))
}

// keys are those to look for an answer under.
func (p *Plan) keys(s *register.State) cache.Keys {
	keys := cache.Keys{Current: p.key(s)}
	if p.Unchanging {
		keys.Lasting = p.unchangingKey(s)
	}
	return keys
}

// unchangingKey is the key of an answer that never changes.
func (p *Plan) unchangingKey(s *register.State) cache.Key {
	var buffer [256]byte
	b := append(append(buffer[:0], p.digest[:]...), keyUnchanging)
	return KeyOf(append(b, s.Archive[:]...))
}

func KeyOf(b []byte) (key cache.Key) {
	digest := sha256.Sum256(b)
	copy(key[:], digest[:])
	return key
}

// weight of a plan and the target that leads to it, in bytes of memory.
func (p *Plan) weight(target string) int { return 512 + len(target) + 32*(len(p.shards)+len(p.tips)) }

// tagOf is the key as an entity tag: equal keys mean equal answers, which is what a strong tag says.
func TagOf(key cache.Key) answer.Tag { return answer.Tag(key) }
