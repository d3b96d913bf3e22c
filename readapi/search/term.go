package search

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"strata/domain/hash"
)

// term is what a client looks for. Each field is set if the text can be meant so; several may be.
type term struct {
	hashes          *hashes
	height          *int64
	address         string // the beginning of an address
	contract, asset reading
}

// hashes are those that begin with some hexadecimal digits.
type hashes struct {
	first, last hash.Hash32
	whole       bool // all digits were given
}

// reading is a text as a part of the identifiers of contracts or assets.
type reading struct {
	beginning string // of the identifier
	part      string // of the identifier, in small letters
}

// The least numbers of characters to search for.
const (
	addressLeast = 6
	partLeast    = 3
)

// heightMost is the largest height that the reference takes for one.
const heightMost = 1<<31 - 1

var (
	hexDigits = regexp.MustCompile(`^[0-9a-fA-F]{8,64}$`) // fewer find too much
	digits    = regexp.MustCompile(`^[0-9]+$`)
	// addressStart is the beginning of an address in capital letters, in the alphabet of c32 (SIP-005).
	addressStart = regexp.MustCompile(`^S[0-9ABCDEFGHJKMNPQRSTVWXYZ]{0,40}$`)
	contractPart = regexp.MustCompile(`^[a-zA-Z0-9_-]*$`)
	namePart     = regexp.MustCompile(`^[a-z0-9_.-]+$`)
	assetPart    = regexp.MustCompile(`^[a-zA-Z0-9_!?+<>=/*-]*$`)
)

// parseTerm returns what a text can be meant as.
func parseTerm(text string) (t term) {
	digitsOnly, marked := strings.CutPrefix(strings.Replace(text, "0X", "0x", 1), "0x")
	if hexDigits.MatchString(digitsOnly) {
		t.hashes = newHashes(digitsOnly)
	}
	if marked {
		return t
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && digits.MatchString(text) && n <= heightMost {
		t.height = &n
	}
	address, rest, dotted := strings.Cut(text, ".")
	contract, asset, isAsset := strings.Cut(text, "::")
	if dotted {
		address = strings.ToUpper(address)
		name, assetName, _ := strings.Cut(rest, "::")
		if addressStart.MatchString(address) && contractPart.MatchString(name) && assetPart.MatchString(assetName) {
			t.contract.beginning, t.asset.beginning = address+"."+name, address+"."+rest
		}
		return t
	}
	if upper := strings.ToUpper(text); len(text) >= addressLeast && addressStart.MatchString(upper) {
		t.address = upper
	}
	if len(contract) >= partLeast && contractPart.MatchString(contract) {
		t.contract.part = strings.ToLower(contract)
	}
	if len(text) >= partLeast && assetPart.MatchString(contract) && assetPart.MatchString(asset) && (!isAsset || contractPart.MatchString(contract)) {
		t.asset.part = strings.ToLower(text)
	}
	return t
}

// newHashes returns the hashes that begin with digits.
func newHashes(digits string) *hashes {
	h := &hashes{whole: len(digits) == 2*len(hash.Hash32{})}
	for filling, into := range map[string]*hash.Hash32{"0": &h.first, "f": &h.last} {
		bytes, _ := hex.DecodeString(digits + strings.Repeat(filling, 2*len(into)-len(digits)))
		copy(into[:], bytes)
	}
	return h
}

// senseless reports whether the text can't be anything that is searched.
func (t *term) senseless() bool { return *t == term{} }
