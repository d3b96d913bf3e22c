package archive

import "time"

// Layouts of timestamps that a writer uses for a record without TimeText. Postgres omits trailing zeros of the fraction.
const (
	copyTimeLayout = "2006-01-02 15:04:05.999999-07"
	rawTimeLayout  = "2006-01-02T15:04:05.000000Z"
)

// timeShape is the form of a timestamp. It suggests the dialect of the file.
type timeShape int

const (
	postgresTime timeShape = iota // "2024-03-13 15:34:10.446375+00"
	isoTime                       // "2024-03-13T15:34:10.446375Z"
)

// dialect returns the dialect that usually has the shape.
func (s timeShape) dialect() Dialect {
	if s == isoTime {
		return Raw
	}
	return Copy
}

// parseTime parses a date, a space or T, a time with any number of fraction digits (it drops those after the sixth) and
// an offset: Z, +HH, +HH:MM or +HH:MM:SS. It refuses a time without an offset, because its instant is unknown.
func parseTime(text []byte) (t time.Time, shape timeShape, ok bool) {
	p := timeParser{rest: text, ok: true}
	year := p.digits(4)
	p.byte('-')
	month := p.digits(2)
	p.byte('-')
	day := p.digits(2)
	if p.accept('T') {
		shape = isoTime
	} else {
		p.byte(' ')
	}
	hour := p.digits(2)
	p.byte(':')
	minute := p.digits(2)
	p.byte(':')
	second := p.digits(2)
	micros := 0
	if p.accept('.') {
		micros = p.fraction()
	}
	offset := p.offset()
	if !p.ok || len(p.rest) != 0 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, shape, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, micros*1000, time.UTC)
	if t.Day() != day { // 30 February became March
		return time.Time{}, shape, false
	}
	t = t.Add(-offset)
	return t, shape, t.Year() >= 1 && t.Year() <= 9999
}

type timeParser struct {
	rest []byte
	ok   bool
}

func (p *timeParser) accept(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *timeParser) byte(c byte) {
	if !p.accept(c) {
		p.ok = false
	}
}

func (p *timeParser) digits(n int) int {
	if len(p.rest) < n {
		p.ok = false
		return 0
	}
	v := 0
	for _, c := range p.rest[:n] {
		if c < '0' || c > '9' {
			p.ok = false
			return 0
		}
		v = v*10 + int(c-'0')
	}
	p.rest = p.rest[n:]
	return v
}

func (p *timeParser) fraction() (micros int) {
	n := 0
	for len(p.rest) > 0 && p.rest[0] >= '0' && p.rest[0] <= '9' {
		if n < 6 {
			micros = micros*10 + int(p.rest[0]-'0')
		}
		n++
		p.rest = p.rest[1:]
	}
	if n == 0 {
		p.ok = false
	}
	for ; n < 6; n++ {
		micros *= 10
	}
	return micros
}

func (p *timeParser) offset() time.Duration {
	if p.accept('Z') {
		return 0
	}
	sign := 1
	if p.accept('-') {
		sign = -1
	} else {
		p.byte('+')
	}
	hours, minutes, seconds := p.digits(2), 0, 0
	if p.accept(':') {
		minutes = p.digits(2)
		if p.accept(':') {
			seconds = p.digits(2)
		}
	}
	if hours > 23 || minutes > 59 || seconds > 59 {
		p.ok = false
	}
	return time.Duration(sign*(hours*3600+minutes*60+seconds)) * time.Second
}
