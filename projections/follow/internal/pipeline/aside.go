package pipeline

import "slices"

// A block of a thousand transactions has thousands of rows for COPY, which keep the server busy for longer than it took to compute
// them. So rows are copied aside, in a goroutine that has the connection for itself, while lanes go on to compute.

// aside is what is sent in a goroutine. What that uses of the pipeline, its owner may use again after settle.
type aside struct {
	ended chan struct{} // closed when all is sent; nil for nothing
}

// busy reports whether something is being sent aside.
func (a *aside) busy() bool {
	if a.ended == nil {
		return false
	}
	select {
	case <-a.ended:
		a.ended = nil
		return false
	default:
		return true
	}
}

// settle waits until what is sent aside is sent.
func (a *aside) settle() {
	if a.ended != nil {
		<-a.ended
		a.ended = nil
	}
}

func (a *aside) run(send func()) {
	ended := make(chan struct{})
	a.ended = ended
	go func() {
		defer close(ended)
		send()
	}()
}

// advance sends what is queued, as far as that needs no answer and is worth it, between the turns of lanes.
func (p *pipeline) advance() {
	switch {
	case p.aside.busy() || p.failure() != nil:
	case slices.ContainsFunc(p.queue, (*request).copies):
		p.sendAside()
	case len(p.queue) >= postMin:
		p.post()
	}
}

// sendAside sends the front of the queue in a goroutine, up to what the server must prepare before, or answer.
func (p *pipeline) sendAside() {
	n := 0
	for n < len(p.queue) && (p.queue[n].copies() || p.isPrepared(p.queue[n])) {
		n++
	}
	front := p.queue[:n:n]
	if !slices.ContainsFunc(front, (*request).copies) {
		return
	}
	p.queue = p.queue[n:]
	p.aside.run(func() {
		for i, r := range front {
			if p.failure() != nil {
				p.posted = append(p.posted, front[i:]...) // for abort
				return
			}
			if r.copies() {
				p.sendByItself(r)
			} else {
				p.postOne(r)
			}
		}
		p.flush()
	})
}
