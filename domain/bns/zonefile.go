package bns

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Format is the form of a zonefile. The resolver stores any bytes; by convention they are UTF-8 JSON.
type Format string

// Formats of zonefiles.
const (
	// FormatFields is the form of the public service: an object with the texts owner, general, twitter, url, nostr,
	// lightning and btc.
	FormatFields Format = "fields"
	// FormatProfile is an object with the text owner, and optional members such as bio, social and addresses.
	FormatProfile Format = "profile"
	// FormatJSON is any other JSON.
	FormatJSON Format = "json"
	// FormatText is any other UTF-8, such as a link to a file.
	FormatText Format = "text"
	// FormatBytes is everything else.
	FormatBytes Format = "bytes"
)

// Fields are the texts of a zonefile in the form of the public service. Those of a profile are derived; they are empty
// if it has none.
type Fields struct {
	Owner     string `json:"owner"`
	General   string `json:"general"`
	Twitter   string `json:"twitter"`
	URL       string `json:"url"`
	Nostr     string `json:"nostr"`
	Lightning string `json:"lightning"`
	BTC       string `json:"btc"`
}

// Zonefile is a zonefile as far as it can be read.
type Zonefile struct {
	Format Format
	Fields Fields
	// Subdomains maps labels to their data, as far as the zonefile lists them; nil if it does not.
	Subdomains map[string]json.RawMessage
	// External is the address of a JSON file with subdomains; empty for none. Nothing here fetches it.
	External string
	// JSON is the whole zonefile, for those that are JSON.
	JSON json.RawMessage
}

// ParseZonefile reads a zonefile. It never fails: unknown forms are FormatText or FormatBytes.
func ParseZonefile(content []byte) Zonefile {
	if !utf8.Valid(content) {
		return Zonefile{Format: FormatBytes}
	}
	if !json.Valid(content) {
		return Zonefile{Format: FormatText}
	}
	z := Zonefile{Format: FormatJSON, JSON: content}
	members, ok := object(content)
	if !ok {
		return z
	}
	owner, ok := member(members, "owner")
	if !ok {
		return z
	}
	if fields, ok := oldForm(members); ok {
		z.Format, z.Fields = FormatFields, fields
	} else {
		z.Format, z.Fields = FormatProfile, profile(owner, members)
	}
	if subdomains, ok := object(members["subdomains"]); ok {
		z.Subdomains = subdomains
	}
	for _, name := range []string{"externalSubdomainFile", "externalSubdomainsFile"} {
		if link, ok := member(members, name); ok && link != "" {
			z.External = link
		}
	}
	return z
}

// object returns the members of a JSON object.
func object(text json.RawMessage) (members map[string]json.RawMessage, ok bool) {
	if len(text) == 0 || json.Unmarshal(text, &members) != nil {
		return nil, false
	}
	return members, members != nil
}

// member returns a member that is a string.
func member(members map[string]json.RawMessage, name string) (text string, ok bool) {
	raw := members[name]
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// oldForm returns the texts of a zonefile that has all of them.
func oldForm(members map[string]json.RawMessage) (f Fields, ok bool) {
	for _, m := range []struct {
		name string
		into *string
	}{
		{"owner", &f.Owner}, {"general", &f.General}, {"twitter", &f.Twitter}, {"url", &f.URL}, {"nostr", &f.Nostr},
		{"lightning", &f.Lightning}, {"btc", &f.BTC},
	} {
		if *m.into, ok = member(members, m.name); !ok {
			return Fields{}, false
		}
	}
	return f, true
}

// profile derives the texts of a zonefile from a profile.
func profile(owner string, members map[string]json.RawMessage) Fields {
	f := Fields{Owner: owner}
	f.General, _ = member(members, "bio")
	f.URL, _ = member(members, "website")
	f.BTC, _ = member(members, "btc")
	for _, account := range objects(members["social"]) {
		name, _ := member(account, "username")
		switch platform, _ := member(account, "platform"); strings.ToLower(platform) {
		case "twitter", "x":
			f.Twitter = name
		case "nostr":
			f.Nostr = name
		}
	}
	for _, entry := range objects(members["addresses"]) {
		address, _ := member(entry, "address")
		network, _ := member(entry, "network")
		switch network = strings.ToLower(network); {
		case slices.Contains([]string{"btc", "bitcoin"}, network) && f.BTC == "":
			f.BTC = address
		case network == "lightning":
			f.Lightning = address
		case network == "nostr" && f.Nostr == "":
			f.Nostr = address
		}
	}
	return f
}

// objects returns the objects in a JSON array.
func objects(text json.RawMessage) (all []map[string]json.RawMessage) {
	var elements []json.RawMessage
	if len(text) == 0 || json.Unmarshal(text, &elements) != nil {
		return nil
	}
	for _, element := range elements {
		if members, ok := object(element); ok {
			all = append(all, members)
		}
	}
	return all
}
