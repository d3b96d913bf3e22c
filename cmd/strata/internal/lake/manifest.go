package lake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"strata/internal/durable"
)

// manifestName is the file that says what the lake has. Files that it does not name are no part of the lake.
const manifestName = "manifest.json"

// format is the version of the manifest.
const format = 1

// manifest is what the lake has.
type manifest struct {
	Format  int    `json:"format"`
	Archive string `json:"archive"` // the identity of the log
	// Height and IndexBlockHash are of the newest block whose rows are in all partitioned tables.
	Height         int64             `json:"height"`
	IndexBlockHash string            `json:"index_block_hash"`
	Tables         map[string]*table `json:"tables"`
}

// table is a table of the lake.
type table struct {
	Columns []string `json:"columns"`
	// Built says which version of a projection, with which rules, its rows come from.
	Built string `json:"built"`
	// Partitioned says that the files are of rows of some heights each; otherwise there is one file with the state at a height.
	Partitioned bool   `json:"partitioned"`
	Files       []file `json:"files"`
}

// file is a Parquet file.
type file struct {
	Path  string `json:"path"` // below the folder of the lake, with slashes
	First int64  `json:"first_height"`
	Last  int64  `json:"last_height"`
	// IndexBlockHash is of the canonical block at the last height when the file was written.
	IndexBlockHash string `json:"index_block_hash"`
	Rows           int64  `json:"rows"`
	Bytes          int64  `json:"bytes"`
	SHA256         string `json:"sha256"`
	LogSeq         string `json:"log_seq"` // the position of the log that the rows reflect
}

// readManifest reads what a lake has; nil if there is none yet.
func readManifest(dir string) (*manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove the folder, and the lake is written anew", filepath.Join(dir, manifestName), err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s has format %d, and this program writes format %d: remove the folder, and the lake is written anew", filepath.Join(dir, manifestName), m.Format, format)
	}
	return m, nil
}

// write replaces the manifest, and the statements for DuckDB beside it.
func (m *manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, manifestName), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, viewsName), []byte(m.views()), 0o644)
}

// names reports which files the manifest names.
func (m *manifest) names() map[string]bool {
	names := map[string]bool{}
	for _, t := range m.Tables {
		for _, f := range t.Files {
			names[f.Path] = true
		}
	}
	return names
}

// next is the height from which a partitioned table lacks rows.
func (t *table) next() int64 {
	if len(t.Files) == 0 {
		return 0
	}
	return t.Files[len(t.Files)-1].Last + 1
}

// cut drops the files with heights from a height on.
func (t *table) cut(height int64) (dropped int) {
	before := len(t.Files)
	t.Files = slices.DeleteFunc(t.Files, func(f file) bool { return f.Last >= height })
	return before - len(t.Files)
}
