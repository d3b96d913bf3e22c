package importer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/domain/names"
	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
)

// writeExport makes a folder with a small export of Stacks 1.0, with n names.
func writeExport(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	const address = "SP2CTPPV8BHBVSQR727A3MK00ZD85RNY903KAG9F3"
	var chainstate, zonefiles, subdomains, own strings.Builder
	chainstate.WriteString("-----BEGIN STX BALANCES-----\naddress,balance\n" + address + ",1\n-----END STX BALANCES-----\n")
	chainstate.WriteString("-----BEGIN NAMESPACES-----\nnamespace_id,address,buckets,base,coeff,nonalpha_discount,no_vowel_discount,lifetime\n")
	chainstate.WriteString("id," + address + ",6;5;4;3;2;1;0;0;0;0;0;0;0;0;0;0,4,250,4,4,52595\n-----END NAMESPACES-----\n-----BEGIN NAMES-----\nname,address,zonefile_hash\n")
	subdomains.WriteString("zonefile_hash,parent_zonefile_hash,fully_qualified_subdomain,owner,block_height,parent_zonefile_index,zonefile_offset,resolver\n")
	for i := range n {
		zonefile := fmt.Sprintf("$ORIGIN name%d.id\n", i)
		h := names.ZonefileHash([]byte(zonefile))
		fmt.Fprintf(&chainstate, "name%d.id,%s,%x\n", i, address, h[:])
		fmt.Fprintf(&zonefiles, "%x\n%s\n", h[:], strings.ReplaceAll(zonefile, "\n", `\n`))
		fmt.Fprintf(&subdomains, "%x,%x,sub.name%d.id,%s,1,0,0,\n", h[:], h[:], i, address)
		fmt.Fprintf(&own, "%x\n%s\n", h[:], strings.ReplaceAll(zonefile, "\n", `\n`))
	}
	chainstate.WriteString("Not.A.Name,x,\n-----END NAMES-----\n")
	for name, text := range map[string]string{
		"chainstate.txt": chainstate.String(), "name_zonefiles.txt": zonefiles.String(), "subdomains.csv": subdomains.String(), "subdomain_zonefiles.txt": own.String(),
	} {
		write := func(name, text string) {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		write(name, text)
		write(name+".sha256", fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name))
	}
	return dir
}

// contents returns what the events of the export say, line by line.
func contents(t testing.TB, log *eventstore.Log) (lines []string) {
	t.Helper()
	for _, event := range readAll(t, log) {
		if event.Path != names.PathExport {
			continue
		}
		body := event.Body
		if body == nil {
			all := must.Get(log.GetMany(t.Context(), []int64{event.Seq}))(t)
			body = all[0].Body
		}
		part := must.Get(names.DecodeExport(body))(t)
		for i, line := range strings.Split(strings.TrimSuffix(part.Text, "\n"), "\n") {
			lines = append(lines, fmt.Sprintf("%s:%d %s %s", part.File, part.FirstLine+int64(i), part.Kind, line))
		}
	}
	return lines
}

func TestImportBNSv1(t *testing.T) {
	t.Parallel()
	dir, log := writeExport(t, 100), openLog(t)
	o := importer.BNSv1Options{Dir: dir}.WithSizes(500, 3)
	result := must.Get(importer.ImportBNSv1(t.Context(), log, o))(t)
	lines := contents(t, log)
	if want := 1 + 101 + 200 + 100 + 200; len(lines) != want || result.Events < 20 {
		t.Errorf("got %d lines in %d events, want %d lines", len(lines), result.Events, want)
	}
	for i, want := range map[int]string{
		0:         "chainstate.txt:7 namespaces id,",
		1:         "chainstate.txt:11 names name0.id,",
		101:       "chainstate.txt:111 names Not.A.Name,x,",
		103:       `name_zonefiles.txt:2 zonefiles $ORIGIN name0.id\n`,
		102 + 200: "subdomains.csv:2 subdomains ",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d: got %s, want %s…", i, lines[i], want)
		}
	}
	again, err := importer.ImportBNSv1(t.Context(), log, o)
	if err != nil || again.Events != 0 || !again.Files[0].AlreadyImported() {
		t.Errorf("once more: got %+v, %v; want nothing to do", again, err)
	}
}

func TestImportBNSv1Refuses(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"a wrong hash": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "subdomains.csv.sha256"), bytes.Repeat([]byte("0"), 64), 0o600)
		}, "does not have its published SHA-256"},
		"no hash":         {func(dir string) error { return os.Remove(filepath.Join(dir, "subdomains.csv.sha256")) }, "read the published SHA-256 of subdomains.csv"},
		"no file":         {func(dir string) error { return os.Remove(filepath.Join(dir, "name_zonefiles.txt")) }, "name_zonefiles.txt"},
		"another content": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "chainstate.txt"), nil, 0o600) }, "chainstate.txt"},
	} {
		t.Run(strings.ReplaceAll(what, " ", "_"), func(t *testing.T) {
			t.Parallel()
			dir, log := writeExport(t, 3), openLog(t)
			must.Do(t, tc.spoil(dir))
			_, err := importer.ImportBNSv1(t.Context(), log, importer.BNSv1Options{Dir: dir})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
			if what == "a wrong hash" && !errors.Is(err, importer.ErrDigest) {
				t.Errorf("got %v, want ErrDigest", err)
			}
			wantSize(t, log, 0)
		})
	}
}

// An import that is killed in the middle goes on where it was.
func TestKilledImportBNSv1(t *testing.T) {
	short.Skip(t, "kills several imports")
	t.Parallel()
	dir := writeExport(t, 2000)
	url := migrated.Fresh(t)
	kill(t, url, 3, 60, func(ctx context.Context, log *eventstore.Log) error {
		_, err := importer.ImportBNSv1(ctx, log, importer.BNSv1Options{Dir: dir}.WithSizes(500, 3))
		return err
	})
	log := logAt(t, url)
	must.Get(importer.ImportBNSv1(t.Context(), log, importer.BNSv1Options{Dir: dir}.WithSizes(500, 3)))(t)
	whole := openLog(t)
	must.Get(importer.ImportBNSv1(t.Context(), whole, importer.BNSv1Options{Dir: dir}.WithSizes(500, 3)))(t)
	got, want := contents(t, log), contents(t, whole)
	wantText(t, "after three kills", strings.Join(got, "\n"), strings.Join(want, "\n"))
}
