package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore/transparency"
)

// Trust says whose histories are believed.
type Trust struct {
	// Key is the verifier key of the publisher: that of the log that it published. strata log-key prints it.
	Key string
	// Unsigned accepts a history that anybody has signed.
	Unsigned bool
	// Witnesses are verifier keys of those that must have cosigned the checkpoint.
	Witnesses []string
}

// ErrUntrusted means that a history is signed by nobody that the user named.
var ErrUntrusted = errors.New("nobody that you named has signed this history")

// Opened is a history whose manifest is believed.
type Opened struct {
	*Manifest
	Source Source
	// Digest is the SHA-256 of the manifest in hex.
	Digest string
	// Key is the verifier key of its publisher.
	Key string
	// Root is the Merkle root over the events of the log, as its checkpoint has it, in hex.
	Root string
}

// HasLog reports whether it has events as they were received, beside the canonical chain.
func (o *Opened) HasLog() bool { return len(o.Log.Files) > 0 }

// Publisher returns the name of the publisher's key.
func (o *Opened) Publisher() string {
	name, _, _ := strings.Cut(o.Key, "+")
	return name
}

// OpenAt opens the history that a user names: see OpenSource.
func OpenAt(ctx context.Context, name string, trust Trust) (*Opened, error) {
	source, err := OpenSource(name)
	if err != nil {
		return nil, err
	}
	return Open(ctx, source, trust)
}

// Open reads what a history has, and checks that the publisher signed it.
func Open(ctx context.Context, from Source, trust Trust) (*Opened, error) {
	head, err := readSmall(ctx, from, headName, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", headName, from, err)
	}
	o, err := open(ctx, from, head, trust)
	if err != nil {
		return nil, fmt.Errorf("the history at %s: %w", from, err)
	}
	return o, nil
}

func open(ctx context.Context, from Source, head []byte, trust Trust) (*Opened, error) {
	if trust.Key == "" && !trust.Unsigned {
		return nil, fmt.Errorf("%w: name its publisher's key with --key (strata log-key prints it there), or say --unsigned to believe anybody", ErrUntrusted)
	}
	digest, key, err := openHead(head, trust.Key)
	if errors.Is(err, transparency.ErrNotSigned) {
		err = fmt.Errorf("%w: %w", ErrUntrusted, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", headName, err)
	}
	o := &Opened{Source: from, Digest: digest, Key: key}
	text, err := readSmall(ctx, from, ManifestPath(o.Digest), MaxManifest)
	if err != nil {
		return nil, err
	}
	if got := Digest(text); got != o.Digest {
		return nil, fmt.Errorf("%w: the manifest has the SHA-256 %s, and %s names %s", errOther, got, headName, o.Digest)
	}
	if o.Manifest, err = parseManifest(text); err != nil {
		return nil, fmt.Errorf("its manifest %s: %w", o.Digest, err)
	}
	checkpoint, err := transparency.ParseCheckpoint([]byte(o.Checkpoint), key)
	if err != nil {
		return nil, fmt.Errorf("its checkpoint: %w", err)
	}
	if o.Root = fmt.Sprintf("%x", checkpoint.Root); checkpoint.Size != o.Log.Last && o.HasLog() {
		return nil, fmt.Errorf("its checkpoint is of %d events, and its log has %d", checkpoint.Size, o.Log.Last)
	}
	return o, trust.cosigned(o.Checkpoint)
}

// cosigned checks that the witnesses have cosigned a checkpoint.
func (t *Trust) cosigned(checkpoint string) error {
	for _, key := range t.Witnesses {
		verifier, err := note.NewVerifierForCosignatureV1(key)
		if err != nil {
			return fmt.Errorf("verifier key of a witness %q: %w", key, err)
		}
		if _, err := sumdb.Open([]byte(checkpoint), sumdb.VerifierList(verifier)); err != nil {
			return fmt.Errorf("%w: the witness %s has not cosigned its checkpoint (%w)", ErrUntrusted, verifier.Name(), err)
		}
	}
	return nil
}
