package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"strata/eventstore/transparency"
)

// Format is the version of the manifest.
const Format = 1

// MaxManifest is the size in bytes of the largest manifest that is read. That of a million files has half of it.
const MaxManifest = 512 << 20

// Manifest says what a history has.
type Manifest struct {
	Format int `json:"format"`
	// Network is mainnet or testnet, and ChainID that of its transactions (SIP-005).
	Network string `json:"network"`
	ChainID uint32 `json:"chain_id"`
	// PublishedAt is when the manifest was made.
	PublishedAt time.Time `json:"published_at"`
	// Previous is the SHA-256 of the manifest before, in hex; empty for the first one.
	Previous string `json:"previous"`
	// Checkpoint is a signed note about the log, with the cosignatures of witnesses (https://c2sp.org/tlog-checkpoint). The files of
	// Log have the events that it covers.
	Checkpoint string `json:"checkpoint"`
	Log        Layer  `json:"log"`
	Chain      Layer  `json:"chain"`
	// Tables are read tables, as they were folded from events of Log. Leaders come first.
	Tables []TableSet `json:"tables,omitempty"`
}

// TableSet is the tables of a version of a projection.
type TableSet struct {
	// State is what the version has folded, in the form of its register.
	State json.RawMessage `json:"state"`
	Files []TableFile     `json:"files"`
}

// TableFile is a file with rows of a table, in the binary format of Postgres' COPY.
type TableFile struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Part    int      `json:"part"` // of the table, from 0
	File
}

// Layer is files that follow each other without a gap.
type Layer struct {
	// First and Last are positions of the log, or heights of Stacks blocks; Last is below First if there is nothing.
	First int64  `json:"first"`
	Last  int64  `json:"last"`
	Files []File `json:"files"`
}

// File is a file of a layer: a zstd stream (RFC 8878).
type File struct {
	Path  string `json:"path"` // below the folder, with slashes
	First int64  `json:"first"`
	Last  int64  `json:"last"`
	// Heights are the lowest and the highest height of the Stacks blocks in a file of the log; missing for none.
	Heights []int64 `json:"heights,omitempty"`
	// Records is the number of events in the file.
	Records int64 `json:"records"`
	// Bytes and SHA256 are those of the file; ContentBytes and ContentSHA256 those of what is in it.
	Bytes         int64  `json:"bytes"`
	SHA256        string `json:"sha256"`
	ContentBytes  int64  `json:"content_bytes"`
	ContentSHA256 string `json:"content_sha256"`
	// State is of the end of the file: the Merkle root of the log over all events up to Last, in hex; or the index block hash of
	// the block at height Last.
	State string `json:"state"`
}

// Digest returns the SHA-256 of a text in hex.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ManifestPath returns the path of the manifest with a hash.
func ManifestPath(digest string) string { return "manifests/" + digest + ".json" }

// headName is the file that names the newest manifest.
const headName = "head"

// headTitle is the first line of that file.
const headTitle = "strata-history/1"

// signHead returns the content of the file head: the title, the hash of the manifest, and the verifier key, signed.
func signHead(key *transparency.Key, digest string) ([]byte, error) {
	return key.Sign(headTitle + "\n" + digest + "\n" + key.VerifierKey() + "\n")
}

// openHead returns the hash of the manifest that head names, if the key signed it. An empty key stands for the one that head names.
func openHead(head []byte, verifierKey string) (digest, key string, err error) {
	lines := strings.SplitN(string(head), "\n", 4)
	if len(lines) < 4 || lines[0] != headTitle || !isDigest(lines[1]) {
		return "", "", fmt.Errorf("it does not begin with %q, the SHA-256 of a manifest and a verifier key: it is of another program", headTitle)
	}
	if key = verifierKey; key == "" {
		key = lines[2]
	}
	if _, err := transparency.OpenNote(head, key); err != nil {
		return "", "", err
	}
	return lines[1], key, nil
}

var digests = regexp.MustCompile(`^[0-9a-f]{64}$`)

func isDigest(text string) bool { return digests.MatchString(text) }

// paths are those of files: no path leads out of the folder.
var paths = regexp.MustCompile(`^(log|chain|tables)/[0-9a-z][0-9a-z_.-]{0,120}$`)

// parseManifest reads a manifest that can be trusted to be what its publisher wrote, but not to be right.
func parseManifest(text []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if m.Format != Format {
		return nil, fmt.Errorf("it has format %d, and this program reads format %d: use a newer program", m.Format, Format)
	}
	if m.Network != "mainnet" && m.Network != "testnet" {
		return nil, fmt.Errorf("it is of the network %q, which is neither mainnet nor testnet", m.Network)
	}
	if m.Log.First != 1 {
		return nil, fmt.Errorf("its log begins with event %d, not with 1", m.Log.First)
	}
	return m, errors.Join(m.Log.check("log"), m.Chain.check("chain"), m.checkTables())
}

// checkTables refuses files that are not what files of tables are.
func (m *Manifest) checkTables() error {
	for _, set := range m.Tables {
		for _, f := range set.Files {
			switch {
			case !paths.MatchString(f.Path) || !strings.HasPrefix(f.Path, "tables/"):
				return fmt.Errorf("the tables have a file with the path %q", f.Path)
			case f.Bytes < 0 || f.ContentBytes < 0 || !isDigest(f.SHA256) || !isDigest(f.ContentSHA256):
				return fmt.Errorf("the tables have %s with %d bytes and the SHA-256 %q", f.Path, f.Bytes, f.SHA256)
			}
		}
	}
	return nil
}

// files returns all files of the manifest.
func (m *Manifest) files() []File {
	all := slices.Concat(m.Log.Files, m.Chain.Files)
	for _, set := range m.Tables {
		for _, f := range set.Files {
			all = append(all, f.File)
		}
	}
	return all
}

// check refuses holes, and files whose numbers contradict each other.
func (l *Layer) check(name string) error {
	next := l.First
	for _, f := range l.Files {
		switch {
		case !paths.MatchString(f.Path) || !strings.HasPrefix(f.Path, name+"/"):
			return fmt.Errorf("the %s has a file with the path %q", name, f.Path)
		case f.First > next:
			return fmt.Errorf("the %s has a hole: %d to %d are missing", name, next, f.First-1)
		case f.First < next || f.Last < f.First:
			return fmt.Errorf("the %s has %s from %d to %d, want one from %d on", name, f.Path, f.First, f.Last, next)
		case f.Records < f.Last-f.First+1 || f.Bytes < 0 || f.ContentBytes < f.Records:
			return fmt.Errorf("the %s has %s with %d records in %d bytes", name, f.Path, f.Records, f.ContentBytes)
		case !isDigest(f.SHA256) || !isDigest(f.ContentSHA256):
			return fmt.Errorf("the %s has %s without SHA-256", name, f.Path)
		}
		next = f.Last + 1
	}
	if l.Last != next-1 {
		return fmt.Errorf("the %s ends at %d, and its files at %d", name, l.Last, next-1)
	}
	return nil
}

// Between returns the files that may have Stacks blocks at heights from first to last.
func (l *Layer) Between(first, last int64) (files []File) {
	for _, f := range l.Files {
		from, to := f.First, f.Last
		if strings.HasPrefix(f.Path, "log/") {
			if len(f.Heights) != 2 {
				continue
			}
			from, to = f.Heights[0], f.Heights[1]
		}
		if from <= last && to >= first {
			files = append(files, f)
		}
	}
	return files
}

// ContentBytes is the size of what is in the files of a layer.
func (l *Layer) ContentBytes() (n int64) {
	for _, f := range l.Files {
		n += f.ContentBytes
	}
	return n
}

func (l *Layer) records() (n int64) {
	for _, f := range l.Files {
		n += f.Records
	}
	return n
}
