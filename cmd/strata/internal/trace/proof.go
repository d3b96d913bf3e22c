package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"strata/cmd/strata/internal/proof"
)

// writeProofs writes a proof file for each event. If there are several, each name has the number of its event before the
// extension.
func (a *answer) writeProofs(ctx context.Context, server, name string) error {
	if len(a.Events) == 0 {
		return fmt.Errorf("--proof %s: no event is behind this answer", name)
	}
	for _, e := range a.Events {
		body, err := askServer(ctx, server+e.Proof)
		if err != nil {
			return fmt.Errorf("--proof: ask for the proof of event %d: %w", e.Seq, err)
		}
		var inclusion proof.Inclusion
		if err := json.Unmarshal(body, &inclusion); err != nil {
			return fmt.Errorf("--proof: decode the proof of event %d: %w", e.Seq, err)
		}
		file, err := inclusion.Encode()
		if err != nil {
			return fmt.Errorf("--proof: event %d: %w", e.Seq, err)
		}
		out := name
		if len(a.Events) > 1 {
			extension := filepath.Ext(name)
			out = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, extension), e.Seq, extension)
		}
		if err := os.WriteFile(out, file, 0o644); err != nil { //nolint:gosec // a proof is made to be shown
			return fmt.Errorf("--proof: %w", err)
		}
		fmt.Fprintf(os.Stderr, "wrote the proof of event %d to %s; check it with strata check-proof --key KEY %s\n", e.Seq, out, out)
	}
	return nil
}
