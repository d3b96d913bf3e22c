package tip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/eventstore/archive"
)

// recorded is a part of the name of the recording that is posted one by one.
const recorded = "epoch-3-transition"

// recordings posts what a node posted while it was recorded to a new server, one event after the other, and measures until
// all is folded.
func (m *measured) recordings(ctx context.Context) error {
	for i, path := range m.Recordings {
		if !strings.Contains(filepath.Base(path), recorded) {
			continue
		}
		events, err := readArchive(path)
		if err != nil {
			return err
		}
		w, err := m.open(ctx, fmt.Sprintf("_recording_%d", i), transfers, "--network", "testnet") // or the server would find it out, and start again
		if err != nil {
			return err
		}
		began := time.Now()
		for _, e := range events {
			if err := bench.Post(ctx, w.server.Observer+e.Path, e.Payload); err != nil {
				w.close()
				return err
			}
		}
		err = w.wait(ctx)
		took := time.Since(began)
		w.close()
		if err != nil {
			return err
		}
		m.row(fmt.Sprintf("%s, %d events one by one, new server, until folded", recorded, len(events)), fmt.Sprintf("%.2f s", took.Seconds()), "≤ 0.8 s")
	}
	return nil
}

func readArchive(path string) (events []archive.Record, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	records := archive.NewReader(file, archive.Options{Name: filepath.Base(path)})
	for {
		r, err := records.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		events = append(events, r.Clone())
	}
}
