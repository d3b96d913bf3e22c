package names_test

import (
	"errors"
	"strings"
	"testing"

	"strata/domain/names"
	"strata/internal/testkit/must"
)

// A zonefile as it was published, whose hash is the one that the name has.
const (
	publishedHash = "c5f5b4197c94d4561f6332160f624d728b0da8bf"
	publishedLine = `$ORIGIN 0.id\n$TTL 3600\n_http._tcp` + "\tIN\tURI\t10\t1\t" + `"https://gaia.blockstack.org/hub/1A4aeTdM35rYtUoiCiV81jKwKyi1Egzb32/profile.json"\n\n`
)

func TestExportedZonefile(t *testing.T) {
	t.Parallel()
	p := names.ExportPart{Kind: names.ExportZonefiles, FirstLine: 1, Text: publishedHash + "\n" + publishedLine + "\n"}
	body := must.Get(p.Encode())(t)
	read, err := names.DecodeExport(body)
	if err != nil || len(read.Zonefiles) != 1 {
		t.Fatalf("got %+v, %v", read, err)
	}
	if z := read.Zonefiles[0]; names.ZonefileHash(z.Content) != z.Hash {
		t.Errorf("%q has not the hash %x", z.Content, z.Hash)
	}
}

// TestExportedLines counts lines that hold no name, and refuses what is not the export.
func TestExportedLines(t *testing.T) {
	t.Parallel()
	const address = "SP2CTPPV8BHBVSQR727A3MK00ZD85RNY903KAG9F3"
	read := func(kind names.ExportKind, columns string, lines ...string) (*names.ExportPart, error) {
		p := &names.ExportPart{File: "f", Kind: kind, FirstLine: 5, Columns: columns, Text: strings.Join(lines, "\n")}
		return p, p.Read()
	}
	p, err := read(names.ExportNames, "zonefile_hash,x,name,address", ",,a.id,"+address+"\r", publishedHash+",,b.id,"+address, "00,,c.id,"+address, ",,Upper.id,"+address, ",,d.id,1Bitcoin", "short")
	if err != nil || len(p.Names) != 2 || p.Names[1].Name.String() != "b.id" || len(p.Names[1].ZonefileHash) != 20 {
		t.Errorf("names: got %+v, %v", p.Names, err)
	}
	var lines []int64
	for _, e := range p.Unusable {
		lines = append(lines, e.Line)
	}
	if len(lines) != 4 || lines[0] != 7 || lines[3] != 10 {
		t.Errorf("unusable lines: got %v, want 7 to 10", lines)
	}
	p, err = read(names.ExportSubdomains, "zonefile_hash,parent_zonefile_hash,fully_qualified_subdomain,owner,resolver", ",,s.a.id,1Bitcoin,", ",,a.id,x,", ",,s.a.id,,")
	if err != nil || len(p.Subdomains) != 1 || p.Subdomains[0].Label != "s" || len(p.Unusable) != 2 {
		t.Errorf("subdomains: got %+v, %v, %v", p.Subdomains, p.Unusable, err)
	}
	p, err = read(names.ExportNamespaces, "namespace_id,address,buckets,base,coeff,nonalpha_discount,no_vowel_discount,lifetime", "id,"+address+",1;2,4,250,4,4,0", "id,"+address+",1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;-1,4,250,4,4,0")
	if err != nil || len(p.Namespaces) != 0 || len(p.Unusable) != 2 {
		t.Errorf("namespaces: got %+v, %v", p.Namespaces, err)
	}
	for _, tc := range []struct {
		kind    names.ExportKind
		columns string
		lines   []string
	}{{names.ExportNames, "name,address", []string{"a.id," + address}}, {names.ExportZonefiles, "", []string{publishedHash}}, {"prices", "", []string{"x"}}} {
		var line *names.LineError
		if _, err := read(tc.kind, tc.columns, tc.lines...); !errors.As(err, &line) || line.Line != 5 {
			t.Errorf("%s %q: got %v, want an error of line 5", tc.kind, tc.columns, err)
		}
	}
}

func FuzzDecodeExport(f *testing.F) {
	for _, kind := range []string{"names", "namespaces", "subdomains", "zonefiles"} {
		f.Add([]byte(`{"file":"f","kind":"` + kind + `","columns":"name,address,zonefile_hash","first_line":1,"text":"a.id,x,\n"}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := names.DecodeExport(body)
		if err != nil {
			return
		}
		for _, n := range p.Names {
			if !n.Name.Valid() {
				t.Errorf("%q is no name", n.Name)
			}
		}
	})
}
