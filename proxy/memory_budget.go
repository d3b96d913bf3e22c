package proxy

import (
	"errors"
	"io"

	"golang.org/x/sync/semaphore"
)

// memoryBudget bounds what clients together make the proxy hold, in bytes.
type memoryBudget struct {
	// bodies is for the bodies of requests, as far as they exceed bodyFree.
	bodies *semaphore.Weighted
	// rests is for what nodes have sent of long answers and clients have not taken yet.
	rests *semaphore.Weighted
	// unread is for long answers without memory in rests: each keeps its seat at the node until its client has taken it.
	unread *semaphore.Weighted
}

const (
	bodiesMemory = 64 << 20
	// bodyFree is what each body may have without counting. A body of more takes memory as its bytes arrive.
	bodyFree    = 64 << 10
	restsMemory = 64 << 20
)

// unreadShare is the inverse of the fraction of all seats that may wait for clients.
const unreadShare = 4

func newMemoryBudget(seats int) memoryBudget {
	return memoryBudget{
		bodies: semaphore.NewWeighted(bodiesMemory), rests: semaphore.NewWeighted(restsMemory),
		unread: semaphore.NewWeighted(int64(max(1, seats/unreadShare))),
	}
}

// ahead is what a long answer has taken to be read ahead of its client: memory, or else a place among those that keep their
// seats.
type ahead struct {
	budget *memoryBudget
	bytes  int64 // 0: a place
}

// readAhead takes memory to read the rest of an answer, of a length that is -1 if unknown, and less if there is little; or a
// place. It returns false if there is neither.
func (b *memoryBudget) readAhead(length int64) (taken ahead, ok bool) {
	most := int64(aheadMax)
	if length >= 0 {
		most = min(most, (length+pieceSize-1)/pieceSize*pieceSize)
	}
	for ; most >= pieceSize; most /= 8 {
		if b.rests.TryAcquire(most) {
			return ahead{b, most}, true
		}
	}
	return ahead{b, 0}, b.unread.TryAcquire(1)
}

func (a ahead) release() {
	if a.bytes > 0 {
		a.budget.rests.Release(a.bytes)
		return
	}
	a.budget.unread.Release(1)
}

// errMemoryTaken is the error of readInto if there is no memory for the rest of a body.
var errMemoryTaken = errors.New("all memory for the bodies of requests is taken")

// readInto reads the whole body of a request, whose length is -1 if it was not announced.
func (p *Proxy) readInto(r io.Reader, length int64, x *exchange) ([]byte, error) {
	// One byte more than was announced, so that the last read sees the end.
	body := make([]byte, 0, min(max(length, 511), bodyFree)+1)
	for {
		if len(body) == cap(body) {
			grown := 2 * int64(cap(body))
			if more := grown - bodyFree - x.bodyBytes; more > 0 {
				if !p.memory.bodies.TryAcquire(more) {
					return nil, errMemoryTaken
				}
				x.bodyBytes += more
			}
			body = append(make([]byte, 0, grown), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}
