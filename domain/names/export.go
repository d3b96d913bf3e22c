package names

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
)

// PathExport is the path of the events that hold the published export of Stacks 1.0. The path of a posted event begins
// with a slash, so nobody can post these events.
const PathExport = "strata:bns-v1"

// ExportKind says what the lines of a part of the export are.
type ExportKind string

// Kinds of lines.
const (
	ExportNamespaces ExportKind = "namespaces"
	ExportNames      ExportKind = "names"
	ExportZonefiles  ExportKind = "zonefiles" // two lines each: the hash, and the zonefile with its line breaks as \n
	ExportSubdomains ExportKind = "subdomains"
)

// exportColumns are the columns that a kind of lines must have; they may be in any order, among others.
var exportColumns = map[ExportKind][]string{
	ExportNamespaces: {"namespace_id", "address", "buckets", "base", "coeff", "nonalpha_discount", "no_vowel_discount", "lifetime"},
	ExportNames:      {"name", "address", "zonefile_hash"},
	ExportZonefiles:  nil,
	ExportSubdomains: {"zonefile_hash", "parent_zonefile_hash", "fully_qualified_subdomain", "owner", "resolver"},
}

// ExportPart is some consecutive lines of a file of the export: the body of an event.
type ExportPart struct {
	File   string     `json:"file"`
	SHA256 string     `json:"sha256"` // of the whole file
	Kind   ExportKind `json:"kind"`
	// FirstLine is the number of the first line within the file, from 1.
	FirstLine int64 `json:"first_line"`
	// Columns is the line with the names of the columns; empty for zonefiles.
	Columns string `json:"columns,omitempty"`
	// Text has the lines, each with its line break. Bytes that are not UTF-8 are not in the export.
	Text string `json:"text"`

	Namespaces []ExportedNamespace `json:"-"`
	Names      []ExportedName      `json:"-"`
	Zonefiles  []ExportedZonefile  `json:"-"`
	Subdomains []ExportedSubdomain `json:"-"`
	// Unusable are the lines that hold nothing that the naming system could have.
	Unusable []*LineError `json:"-"`
}

// ExportedNamespace is a namespace that Stacks 1.0 had. Its names' leases begin at height 0.
type ExportedNamespace struct {
	Namespace string
	NamespaceProperties
}

// ExportedName is a name that Stacks 1.0 had.
type ExportedName struct {
	Name         Name
	Owner        string
	ZonefileHash []byte // 20 bytes; empty for none
}

// ExportedZonefile is a zonefile of a name or of a subdomain.
type ExportedZonefile struct {
	Hash    hash.Hash20
	Content []byte
}

// ExportedSubdomain is a subdomain that Stacks 1.0 had.
type ExportedSubdomain struct {
	Line               int64 // within the file
	Label              string
	Name               Name
	Owner              string // may be an address of Bitcoin
	ZonefileHash       []byte // of the subdomain's own zonefile
	ParentZonefileHash []byte // of the zonefile that defined it
	Resolver           string
}

// LineError is the error of a line of the export that can't be read.
type LineError struct {
	File string
	Line int64
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s: line %d: %v", e.File, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Encode returns the body of the event.
func (p *ExportPart) Encode() ([]byte, error) {
	if !utf8.ValidString(p.Text) {
		return nil, fmt.Errorf("%s: the lines from %d on are not UTF-8", p.File, p.FirstLine)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		return nil, fmt.Errorf("%s: encode the lines from %d on: %w", p.File, p.FirstLine, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// DecodeExport decodes the body of an event, and reads its lines.
func DecodeExport(body []byte) (*ExportPart, error) {
	p := &ExportPart{}
	if err := json.Unmarshal(body, p); err != nil {
		return nil, fmt.Errorf("export of Stacks 1.0: %w", err)
	}
	return p, p.Read()
}

// Read reads the lines into the lists. The error, a *LineError, means that these are not lines of the export.
func (p *ExportPart) Read() error {
	wanted, ok := exportColumns[p.Kind]
	if !ok {
		return &LineError{p.File, p.FirstLine, fmt.Errorf("unknown kind %q", p.Kind)}
	}
	columns, err := findColumns(p.Columns, wanted)
	if err != nil {
		return &LineError{p.File, p.FirstLine, err}
	}
	lines := strings.Split(strings.TrimSuffix(p.Text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	for i := 0; i < len(lines); i++ {
		line := p.FirstLine + int64(i)
		var err error
		if p.Kind == ExportZonefiles {
			if i++; i == len(lines) {
				return &LineError{p.File, line, errors.New("a zonefile's hash without its content")}
			}
			err = p.readZonefile(lines[i-1], lines[i])
		} else {
			err = p.readRow(line, lines[i], columns)
		}
		if err != nil {
			p.Unusable = append(p.Unusable, &LineError{p.File, line, err})
		}
	}
	return nil
}

// findColumns returns where the wanted columns are.
func findColumns(header string, wanted []string) (at []int, err error) {
	there := strings.Split(header, ",")
	for _, column := range wanted {
		i := slices.Index(there, column)
		if i < 0 {
			return nil, fmt.Errorf("there is no column %s among %q", column, header)
		}
		at = append(at, i)
	}
	return at, nil
}

func (p *ExportPart) readRow(line int64, text string, columns []int) error {
	fields := strings.Split(text, ",")
	values := make([]string, len(columns))
	for i, at := range columns {
		if at >= len(fields) {
			return fmt.Errorf("%d fields, want %d or more", len(fields), at+1)
		}
		values[i] = fields[at]
	}
	switch p.Kind {
	case ExportNamespaces:
		return p.readNamespace(values)
	case ExportNames:
		return p.readName(values)
	default:
		return p.readSubdomain(line, values)
	}
}

func (p *ExportPart) readNamespace(values []string) error {
	n := ExportedNamespace{Namespace: values[0]}
	if !ValidNamespace(n.Namespace) {
		return fmt.Errorf("%q is not a namespace", n.Namespace)
	}
	var err error
	if n.Importer, err = clarity.ParsePrincipal(values[1]); err != nil {
		return fmt.Errorf("the address of namespace %s: %w", n.Namespace, err)
	}
	n.RevealedAt, n.LaunchedAt, n.CanUpdatePriceFunction = new(big.Int), new(big.Int), true
	buckets := strings.Split(values[2], ";")
	if len(buckets) != BucketCount {
		return fmt.Errorf("namespace %s has %d buckets, want %d", n.Namespace, len(buckets), BucketCount)
	}
	for i, text := range buckets {
		if err := readUint(&n.Price.Buckets[i], text); err != nil {
			return err
		}
	}
	for i, to := range []**big.Int{&n.Price.Base, &n.Price.Coefficient, &n.Price.NonAlphaDiscount, &n.Price.NoVowelDiscount, &n.Lifetime} {
		if err := readUint(to, values[3+i]); err != nil {
			return err
		}
	}
	p.Namespaces = append(p.Namespaces, n)
	return nil
}

func readUint(to **big.Int, text string) error {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || n.Sign() < 0 || n.Cmp(uintMax) > 0 {
		return fmt.Errorf("%q is not a number of 128 bits", text)
	}
	*to = n
	return nil
}

func (p *ExportPart) readName(values []string) (err error) {
	n := ExportedName{Owner: values[1]}
	if n.Name, err = Parse(values[0]); err != nil {
		return err
	}
	if _, err := c32.ParseAddress(n.Owner); err != nil {
		return fmt.Errorf("the owner of %s: %w", n.Name, err)
	}
	if n.ZonefileHash, err = readHash(values[2], 20); err != nil {
		return err
	}
	p.Names = append(p.Names, n)
	return nil
}

// readHash reads a hash in hex of a number of bytes, or an empty one.
func readHash(text string, size int) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != size && len(b) != 0 {
		return nil, fmt.Errorf("%q is not a hash of %d bytes in hex", text, size)
	}
	return b, nil
}

func (p *ExportPart) readZonefile(hashText, content string) error {
	h, err := readHash(hashText, 20)
	if err != nil || len(h) == 0 {
		return fmt.Errorf("%q is not the hash of a zonefile", hashText)
	}
	p.Zonefiles = append(p.Zonefiles, ExportedZonefile{hash.Hash20(h), []byte(strings.ReplaceAll(content, `\n`, "\n"))})
	return nil
}

func (p *ExportPart) readSubdomain(line int64, values []string) (err error) {
	s := ExportedSubdomain{Line: line, Owner: values[3], Resolver: values[4]}
	label, name, _ := strings.Cut(values[2], ".")
	if s.Name, err = Parse(name); err != nil || label == "" || len(label) > subdomainLabelMax {
		return fmt.Errorf("%q is not a subdomain", values[2])
	}
	if s.Label = label; s.Owner == "" || len(s.Owner) > subdomainOwnerMax {
		return fmt.Errorf("subdomain %s has no owner", values[2])
	}
	if s.ZonefileHash, err = readHash(values[0], 20); err != nil {
		return err
	}
	if s.ParentZonefileHash, err = readHash(values[1], 20); err != nil {
		return err
	}
	p.Subdomains = append(p.Subdomains, s)
	return nil
}
