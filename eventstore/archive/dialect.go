package archive

import "fmt"

// Dialect says how the columns of a file are escaped. See the package comment.
type Dialect int

const (
	// Auto lets the content decide when reading. A writer takes it for Copy.
	Auto Dialect = iota
	// Copy is Postgres COPY text format.
	Copy
	// Raw has no escaping.
	Raw
)

// String is the name that ParseDialect reads.
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

// ParseDialect reads "auto", "copy" or "raw".
func ParseDialect(s string) (Dialect, error) {
	for _, d := range []Dialect{Auto, Copy, Raw} {
		if s == d.String() {
			return d, nil
		}
	}
	return Auto, fmt.Errorf("archive dialect %q: want auto, copy or raw", s)
}

// MarshalText writes the name.
func (d Dialect) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the name.
func (d *Dialect) UnmarshalText(text []byte) error {
	parsed, err := ParseDialect(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
