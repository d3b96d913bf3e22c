package names

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what a subdomain record may hold. Nodes take zonefiles of up to 40 kB.
const (
	subdomainLabelMax = 128 // bytes
	subdomainOwnerMax = 160 // bytes; a contract's principal has at most 170, an address 41
	recordsMax        = 5000
)

// Zonefile is the part of a zonefile that the naming system reads.
type Zonefile struct {
	// Resolver is the target of the first URI record whose name contains "resolver": who answers for subdomains that are
	// not on the chain yet. Empty for none.
	Resolver string
	// Subdomains in the order of the records.
	Subdomains []Subdomain
}

// Subdomain is a TXT record that gives a subdomain to an owner.
type Subdomain struct {
	Label string // the subdomain without its name: "alice" of alice.bob.id
	// Owner is an address as the record has it, which may be one of Bitcoin.
	Owner string
	// Sequence counts the changes of the subdomain from 0; 0 if it is missing or not a number.
	Sequence int64
	Parts    int64
	// Content is the zonefile of the subdomain itself.
	Content []byte
}

// Hash returns the hash of the subdomain's zonefile in the form of stacks-blockchain-api: the last 16 bytes of SHA-256.
func (s *Subdomain) Hash() []byte {
	sum := sha256.Sum256(s.Content)
	return sum[16:]
}

// ParseZonefile reads a zonefile, in the form of RFC 1035. It ignores what it does not understand, because strangers
// write zonefiles: unknown records, broken lines, and TXT records that define no subdomain.
func ParseZonefile(content []byte) (z Zonefile) {
	for _, record := range zoneRecords(content) {
		switch {
		case record.kind == "TXT" && len(z.Subdomains) < recordsMax:
			if s, ok := readSubdomain(record); ok {
				z.Subdomains = append(z.Subdomains, s)
			}
		case record.kind == "URI" && z.Resolver == "" && strings.Contains(record.name, "resolver"):
			if len(record.values) == 3 { // priority, weight, target
				z.Resolver = record.values[2]
			}
		}
	}
	return z
}

// readSubdomain reads the values key=value of a TXT record. ok is false without an owner, and for a name that can't be
// looked up.
func readSubdomain(r zoneRecord) (s Subdomain, ok bool) {
	s.Label = r.name
	type part struct {
		n    int
		text string
	}
	var parts []part
	for _, value := range r.values {
		key, text, found := strings.Cut(value, "=")
		if !found {
			continue
		}
		switch key {
		case "owner":
			s.Owner = text
		case "seqn":
			s.Sequence = count(text)
		case "parts":
			s.Parts = count(text)
		default:
			digits, isPart := strings.CutPrefix(key, "zf")
			if n, err := strconv.ParseUint(digits, 10, 31); isPart && err == nil {
				parts = append(parts, part{int(n), text})
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.n, b.n) })
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.text)
	}
	s.Content = decodeBase64(text.String())
	return s, s.Owner != "" && len(s.Owner) <= subdomainOwnerMax && isPlain(s.Owner) && validSubdomain(s.Label)
}

// count returns a whole number that is not negative; 0 for any other text.
func count(text string) int64 {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0
	}
	return int64(n)
}

// decodeBase64 decodes base64 with or without padding, up to the first character that does not belong to it.
func decodeBase64(text string) []byte {
	text = strings.TrimRight(text, "=")
	content, _ := base64.RawStdEncoding.DecodeString(text) // with an error, what came before it
	return content
}

// validSubdomain reports whether a subdomain can be part of a name with three labels.
func validSubdomain(label string) bool {
	return label != "" && len(label) <= subdomainLabelMax && !strings.Contains(label, ".") && isPlain(label)
}

// isPlain reports whether a text is UTF-8 without spaces and control characters.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// zoneRecord is a resource record of a zonefile.
type zoneRecord struct {
	name, kind string
	values     []string
}

// recordKinds are the types of records, which tell where the values of a record begin.
var recordKinds = map[string]bool{
	"SOA": true, "NS": true, "A": true, "AAAA": true, "CNAME": true, "MX": true, "PTR": true, "SRV": true, "SPF": true, "TXT": true, "URI": true,
}

// zoneRecords splits a zonefile into its records. A record is a line, or several within parentheses: a name, optionally
// a time to live and a class, the type, and values, which may be in quotes. A line that begins with a space continues
// with the name of the record before.
func zoneRecords(content []byte) (records []zoneRecord) {
	name := ""
	lex := zoneLexer{rest: content}
	for {
		line, indented, ok := lex.line()
		if !ok {
			return records
		}
		if len(line) == 0 || strings.HasPrefix(line[0], "$") {
			continue
		}
		if !indented {
			name, line = line[0], line[1:]
		}
		for i, token := range line {
			if kind := strings.ToUpper(token); recordKinds[kind] {
				records = append(records, zoneRecord{name, kind, line[i+1:]})
				break
			}
			if _, err := strconv.ParseUint(token, 10, 32); err != nil && !strings.EqualFold(token, "IN") {
				break // not a record
			}
		}
	}
}

// zoneLexer splits a zonefile into the tokens of its lines.
type zoneLexer struct{ rest []byte }

// line returns the tokens of the next line, of which there may be none. Parentheses join lines. ok is false at the end.
func (l *zoneLexer) line() (tokens []string, indented, ok bool) {
	if len(l.rest) == 0 {
		return nil, false, false
	}
	indented = l.rest[0] == ' ' || l.rest[0] == '\t'
	depth := 0
	for len(l.rest) > 0 {
		c := l.rest[0]
		switch c {
		case '\n':
			l.rest = l.rest[1:]
			if depth == 0 {
				return tokens, indented, true
			}
		case ' ', '\t', '\r':
			l.rest = l.rest[1:]
		case ';':
			l.comment()
		case '(':
			depth++
			l.rest = l.rest[1:]
		case ')':
			depth = max(depth-1, 0)
			l.rest = l.rest[1:]
		default:
			tokens = append(tokens, l.token())
		}
	}
	return tokens, indented, true
}

// comment skips what follows up to the end of the line.
func (l *zoneLexer) comment() {
	end := slices.Index(l.rest, '\n')
	if end < 0 {
		end = len(l.rest)
	}
	l.rest = l.rest[end:]
}

// token returns the next token. Quotes may be anywhere in it, and hold spaces; a backslash makes the next character an
// ordinary one.
func (l *zoneLexer) token() string {
	var text []byte
	quoted := false
	for len(l.rest) > 0 {
		c := l.rest[0]
		switch {
		case c == '\n', !quoted && (c == ' ' || c == '\t' || c == '\r' || c == ';' || c == '(' || c == ')'):
			return string(text)
		case c == '"':
			quoted = !quoted
		case c == '\\' && len(l.rest) > 1 && l.rest[1] != '\n':
			l.rest = l.rest[1:]
			text = append(text, l.rest[0])
		default:
			text = append(text, c)
		}
		l.rest = l.rest[1:]
	}
	return string(text)
}
