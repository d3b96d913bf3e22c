package archive

import "fmt"

// Dialect is the way in which the columns of a file are escaped. See the package comment.
type Dialect int

const (
	// Auto makes a reader detect the dialect. For a writer it means Copy.
	Auto Dialect = iota
	// Copy is the text format of Postgres COPY.
	Copy
	// Raw has no escaping.
	Raw
)

// String returns the name that ParseDialect accepts.
func (d Dialect) String() string {
	switch d {
	case Auto:
		return "auto"
	case Copy:
		return "copy"
	case Raw:
		return "raw"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// ParseDialect parses "auto", "copy" or "raw".
func ParseDialect(s string) (Dialect, error) {
	for _, d := range []Dialect{Auto, Copy, Raw} {
		if s == d.String() {
			return d, nil
		}
	}
	return Auto, fmt.Errorf("archive dialect %q: want auto, copy or raw", s)
}

// MarshalText returns the name.
func (d Dialect) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the name.
func (d *Dialect) UnmarshalText(text []byte) error {
	parsed, err := ParseDialect(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
