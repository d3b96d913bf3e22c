// Command license checks that each module which is compiled into a program has a license that the program may be
// distributed with. `make lint` runs it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licenses, by SPDX name, that let a program under Apache-2.0 be distributed with a module.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unlicense", "Zlib"}

// coverageMin is the share of a file, in percent, that the texts of known licenses must make up.
const coverageMin = 75

var licenseFile = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying`)

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("name one package of a program, such as ./cmd/strata"))
	}
	modules, err := modulesOf(os.Args[1])
	if err != nil {
		fail(err)
	}
	var problems []string
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		if err := check(modules[path]); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", path, err))
		}
	}
	if len(problems) > 0 {
		fail(errors.New(strings.Join(problems, "\n")))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// modulesOf returns the folders of the modules, without the program's own, that a package is compiled with.
func modulesOf(program string) (map[string]string, error) {
	list := exec.Command("go", "list", "-deps", "-json=Module", program)
	list.Stderr = os.Stderr
	output, err := list.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, err
	}
	modules := map[string]string{}
	for decoder := json.NewDecoder(output); ; {
		var p struct {
			Module *struct {
				Path, Dir string
				Main      bool
			}
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go list says: %w", err)
		}
		if p.Module != nil && !p.Module.Main {
			modules[p.Module.Path] = p.Module.Dir
		}
	}
	if err := list.Wait(); err != nil {
		return nil, fmt.Errorf("list the modules of %s: %w", program, err)
	}
	if len(modules) == 0 {
		return nil, fmt.Errorf("%s is compiled with no modules: is it a program?", program)
	}
	return modules, nil
}

// check returns what is wrong with the licenses in a folder; nil when one file has an allowed license, and none has another.
func check(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	found := false
	for _, entry := range entries {
		if entry.IsDir() || !licenseFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		coverage := licensecheck.Scan(text)
		if coverage.Percent < coverageMin {
			continue // a notice, or a license that is not known
		}
		for _, match := range coverage.Match {
			if !slices.Contains(allowed, match.ID) {
				return fmt.Errorf("%s has the license %s, which is not one of %s", entry.Name(), match.ID, strings.Join(allowed, ", "))
			}
		}
		found = true
	}
	if !found {
		return errors.New("no file has the text of a license that is known")
	}
	return nil
}
