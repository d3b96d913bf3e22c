package answer

import "strings"

// preferences is what a client thinks of each coding: zero, it doesn't want it, more is better.
type preferences [codings]uint16

const (
	// fullWeight is q=1: weights have at most three digits after the point (RFC 9110 section 12.4.2).
	fullWeight = 1000
	// unnamed is how much identity is liked when the client says nothing about it: it is acceptable, and everything
	// that the client names is better. A named coding with the weight q has 2q, so that there is room below.
	unnamed = 1
)

// What most clients send, so that nothing needs to be parsed. identityOnly is also what no header at all means: any
// coding would be fine then, but a client that doesn't say so most likely can't read it.
var (
	identityOnly = preferences{identity: unnamed}
	gzipAtMost   = preferences{identity: unnamed, gzipCoding: 2 * fullWeight}
	allButZstd   = preferences{identity: unnamed, gzipCoding: 2 * fullWeight, brotliCoding: 2 * fullWeight}
	allOfThem    = preferences{identity: unnamed, gzipCoding: 2 * fullWeight, zstdCoding: 2 * fullWeight, brotliCoding: 2 * fullWeight}
)

// preferencesOf reads the Accept-Encoding header fields of a request (RFC 9110 section 12.5.3). Elements that can't be
// understood are passed over. When a coding is named several times, the last one counts.
func preferencesOf(lines []string) preferences {
	switch len(lines) {
	case 0:
		return identityOnly
	case 1:
		switch lines[0] {
		case "", "identity":
			return identityOnly
		case "gzip", "gzip, deflate":
			return gzipAtMost
		case "gzip, deflate, br", "br, gzip, deflate", "gzip, compress, deflate, br":
			return allButZstd
		case "gzip, deflate, br, zstd":
			return allOfThem
		}
	}
	return parsePreferences(lines)
}

func parsePreferences(lines []string) preferences {
	const unsaid = -1
	given, others := [codings]int{unsaid, unsaid, unsaid, unsaid}, unsaid
	for _, line := range lines {
		for more := true; more; {
			var element string
			element, line, more = strings.Cut(line, ",")
			name, parameters, _ := strings.Cut(element, ";")
			weight, ok := parseWeight(parameters)
			if !ok {
				continue
			}
			switch name = strings.Trim(name, " \t"); {
			case name == "*":
				others = weight
			case strings.EqualFold(name, "identity"):
				given[identity] = weight
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				given[gzipCoding] = weight
			case strings.EqualFold(name, "zstd"):
				given[zstdCoding] = weight
			case strings.EqualFold(name, "br"):
				given[brotliCoding] = weight
			}
		}
	}
	var p preferences
	for c, weight := range given {
		switch {
		case weight != unsaid:
			p[c] = 2 * uint16(weight)
		case others != unsaid:
			p[c] = 2 * uint16(others)
		case coding(c) == identity:
			p[c] = unnamed
		}
	}
	return p
}

// parseWeight finds the weight among the parameters of an element, in thousandths. Without one it is full.
func parseWeight(parameters string) (weight int, ok bool) {
	for more := true; more; {
		var parameter string
		parameter, parameters, more = strings.Cut(parameters, ";")
		parameter = strings.Trim(parameter, " \t")
		if len(parameter) >= 2 && (parameter[0] == 'q' || parameter[0] == 'Q') && parameter[1] == '=' {
			return parseThousandths(parameter[2:])
		}
	}
	return fullWeight, true
}

// parseThousandths reads a number from 0 to 1. Digits after the third are more than the grammar allows; they are
// ignored.
func parseThousandths(s string) (n int, ok bool) {
	if s == "" || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return 0, false
	}
	n = int(s[0]-'0') * fullWeight
	for i, unit := 2, fullWeight/10; i < len(s); i, unit = i+1, unit/10 {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n += int(s[i]-'0') * unit
	}
	return n, n <= fullWeight
}

// choose picks the best of the offered codings. zstd wins a tie, because it costs the least to make and to read; then the
// shortest does. When the client accepts none of
// what there is, it gets identity: most say so by mistake, and a 406 would help nobody.
func (p preferences) choose(offered codingSet) coding {
	best, weight := identity, uint16(0)
	for _, c := range [...]coding{zstdCoding, brotliCoding, gzipCoding, identity} {
		if p[c] > weight && (c == identity || offered.has(c)) {
			best, weight = c, p[c]
		}
	}
	return best
}
