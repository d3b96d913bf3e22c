package transparency

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/internal/durable"
)

// Key signs checkpoints (Ed25519). Its name is the log's origin, the first line of every checkpoint.
type Key struct {
	signer   sumdb.Signer
	verifier sumdb.Verifier
	text     string
}

// ParseKey parses a private key in the form of golang.org/x/mod/sumdb/note: PRIVATE+KEY+<origin>+<hash>+<base64>.
func ParseKey(text string) (*Key, error) {
	signer, verifier, err := note.NewEd25519SignerVerifier(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("parse a key of the log (want PRIVATE+KEY+<origin>+<hash>+<base64>): %w", err)
	}
	public, err := publicOf(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return &Key{signer: signer, verifier: verifier, text: public}, nil
}

// Origin returns the name of the log that the key signs for.
func (k *Key) Origin() string { return k.signer.Name() }

// VerifierKey returns the public key that checks the signatures: <origin>+<hash>+<base64>
// (https://c2sp.org/signed-note).
func (k *Key) VerifierKey() string { return k.text }

// Sign returns a text as a note that the key has signed (https://c2sp.org/signed-note).
func (k *Key) Sign(text string) ([]byte, error) {
	return sumdb.Sign(&sumdb.Note{Text: text}, k.signer)
}

// OpenNote returns the text of a note, if the key of a verifier key signed it.
func OpenNote(text []byte, verifierKey string) (string, error) {
	verifier, err := note.NewVerifier(verifierKey)
	if err != nil {
		return "", fmt.Errorf("verifier key %q: %w", verifierKey, err)
	}
	signed, err := sumdb.Open(text, sumdb.VerifierList(verifier))
	var unverified *sumdb.UnverifiedNoteError
	switch {
	case errors.As(err, &unverified):
		return "", ErrNotSigned
	case err != nil:
		return "", fmt.Errorf("read a signed note: %w", err)
	}
	return signed.Text, nil
}

// OpenKey reads the key in a file. If the file does not exist, it creates a key for the origin. It fails if the key has
// another origin, unless origin is empty. Only the owner can read the file. Processes that create it at the same time
// get the same key.
func OpenKey(file, origin string) (*Key, error) {
	key, err := readKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(file, origin); err != nil {
			return nil, fmt.Errorf("make a key of the log: %w", err)
		}
		key, err = readKey(file)
	}
	if err != nil {
		return nil, err
	}
	if origin != "" && key.Origin() != origin {
		return nil, fmt.Errorf("the key in %s is of the origin %q, not %q: a log with another origin has another key", file, key.Origin(), origin)
	}
	return key, nil
}

// ReadKey reads the key in a file.
func ReadKey(file string) (*Key, error) { return readKey(file) }

func readKey(file string) (*Key, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the key of the log: %w", err)
	}
	key, err := ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

// makeKey writes a new key. The file appears with its whole content. If another process was faster, its key stays.
func makeKey(file, origin string) error {
	if !validOrigin(origin) {
		return fmt.Errorf("origin %q: want a name without spaces and plus signs, such as example.org/stacks", origin)
	}
	private, _, err := sumdb.GenerateKey(rand.Reader, origin)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary, err := durable.WriteBeside(file, []byte(private+"\n"), 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary) }()
	if err := os.Link(temporary, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return durable.SyncFolder(filepath.Dir(file))
}

// validOrigin reports whether a text can be the name of a key, and so a line of a checkpoint.
func validOrigin(origin string) bool {
	return origin != "" && !strings.ContainsFunc(origin, func(r rune) bool { return r <= ' ' || r == '+' || r >= 0x7f })
}

// publicOf returns the verifier key of a private key,
// PRIVATE+KEY+<origin>+<hash>+<base64 of the algorithm and the seed>.
func publicOf(private string) (string, error) {
	const parts = 5
	part := strings.SplitN(private, "+", parts) // base64 has plus signs, too
	if len(part) != parts {
		return "", fmt.Errorf("parse a key of the log: got %d parts, want %d", len(part), parts)
	}
	secret, err := base64.StdEncoding.DecodeString(part[parts-1])
	if err != nil || len(secret) != 1+ed25519.SeedSize {
		return "", fmt.Errorf("parse a key of the log: got a secret of %d bytes, want %d", len(secret), 1+ed25519.SeedSize)
	}
	public := ed25519.NewKeyFromSeed(secret[1:]).Public().(ed25519.PublicKey)
	return sumdb.NewEd25519VerifierKey(part[2], public)
}

// DefaultOrigin returns the origin for a log whose operator gave none: "strata/" and the archive's id, which is unique to
// the database.
func DefaultOrigin(ctx context.Context, pool *pgxpool.Pool) (string, error) {
	var id string
	if err := pool.QueryRow(ctx, `SELECT id::text FROM strata.archive`).Scan(&id); err != nil {
		return "", fmt.Errorf("read the archive's id: %w", err)
	}
	return "strata/" + id, nil
}
