package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// goPackage is a package as go list describes it.
type goPackage struct {
	Dir, ImportPath, Export string
	DepOnly                 bool
	GoFiles, TestGoFiles    []string
	XTestGoFiles            []string
	Module                  struct{ Dir string }
}

// schema is a build with all mutants.
type schema struct {
	root     string
	packages []goPackage
	mutants  []Mutant
	overlay  string // path of the list of files that the build sees in place of those in the tree
}

// newSchema rewrites the packages that a pattern matches, into dir.
func newSchema(ctx context.Context, dir string, patterns ...string) (*schema, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-deps", "-json=Dir,ImportPath,Export,DepOnly,GoFiles,TestGoFiles,XTestGoFiles,Module"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	s, exports := &schema{overlay: filepath.Join(dir, "overlay.json")}, map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			s.packages, s.root = append(s.packages, p), p.Module.Dir
		}
	}
	set, replace := token.NewFileSet(), map[string]string{}
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	write := func(path string, text []byte) error {
		to := filepath.Join(dir, fmt.Sprintf("%d_%s", len(replace), filepath.Base(path)))
		replace[path] = to
		return os.WriteFile(to, text, 0o600)
	}
	for _, p := range s.packages {
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		pkg, err := (&types.Config{Importer: imports}).Check(p.ImportPath, set, files, info)
		if err != nil {
			return nil, err
		}
		for i, file := range files {
			path := filepath.Join(p.Dir, p.GoFiles[i])
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			r := &rewriter{set: set, info: info, pkg: pkg, source: source, file: file, root: s.root, mutants: &s.mutants}
			if err := write(path, r.rewrite()); err != nil {
				return nil, err
			}
		}
		if err := write(filepath.Join(p.Dir, "zm_mutants.go"), fmt.Appendf(nil, runtime, pkg.Name())); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return s, os.WriteFile(s.overlay, text, 0o600)
}
