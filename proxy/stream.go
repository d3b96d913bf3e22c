package proxy

import (
	"context"
	"io"
	"net/http"

	"strata/proxy/internal/pool"
)

const (
	// pieceSize is how much of a long answer is read from the node at once, in bytes.
	pieceSize = 64 << 10
	// aheadMax is the most that is read of a long answer before the client takes it, in bytes.
	aheadMax = 8 << 20
)

// stream forwards an answer that is longer than BufferMax. It reads from the node without waiting for the client, as far as
// it has taken memory, so that a slow client does not keep a seat at the node. If the rest is cut short, stream aborts the
// client's connection, so that the client does not take a part for the whole.
func (p *Proxy) stream(w io.Writer, r *http.Request, x *exchange, a *answer, taken ahead) {
	ctx, cancel := context.WithCancel(r.Context())
	defer context.AfterFunc(ctx, a.rest.Close)()
	pieces, ended := make(chan []byte, taken.bytes/pieceSize), make(chan error, 1)
	go func() {
		defer close(pieces)
		ended <- p.readRest(ctx, a, pieces)
	}()
	n, err := w.Write(a.body)
	x.bytes = int64(n)
	for piece := range pieces {
		if err == nil {
			n, err = w.Write(piece)
			x.bytes += int64(n)
		}
		if err != nil {
			cancel() // and take what is still read, to its end
		}
	}
	cancel()
	if cut := <-ended; cut != nil && err == nil {
		panic(http.ErrAbortHandler)
	}
}

// readRest reads the rest of an answer, and leaves the seat when the node is done. ctx ends when the client has gone.
func (p *Proxy) readRest(ctx context.Context, a *answer, pieces chan<- []byte) error {
	for {
		piece := make([]byte, pieceSize)
		n, err := a.rest.Read(piece, p.config.Timeouts.Stall)
		switch {
		case err == io.EOF: //nolint:errorlint // Read returns it as it is
			a.rest.Close()
			a.seat.Leave(pool.OfStatus(a.status))
			if n > 0 {
				pieces <- piece[:n]
			}
			return nil
		case ctx.Err() != nil:
			a.rest.Close()
			a.seat.Leave(pool.Cancelled)
			return ctx.Err()
		case err != nil:
			a.rest.Close()
			a.seat.Leave(pool.Broken)
			return err
		case n > 0:
			pieces <- piece[:n]
		}
	}
}
