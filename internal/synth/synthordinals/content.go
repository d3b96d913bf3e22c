package synthordinals

import (
	"encoding/json"
	"strings"

	"strata/domain/ordinals"
)

// kind is a kind of content.
type kind struct {
	posted, mime string // content type, MIME type
	text         bool   // UTF-8, so the content can refer to inscriptions
}

var kinds = []kind{
	{"text/plain;charset=utf-8", "text/plain", true},
	{"text/plain", "text/plain", true},
	{"text/html;charset=utf-8", "text/html", true},
	{"image/svg+xml", "image/svg+xml", true},
	{"text/javascript", "text/javascript", true},
	{"text/plain; charset=utf-8", "text/plain", true},
	{"application/json\x00", "application/json", true},
	{"image/png", "image/png", false},
	{"image/webp", "image/webp", false},
	{"image/jpeg", "image/jpeg", false},
	{"video/mp4;codecs=\"avc1\"", "video/mp4", false},
	{"model/gltf-binary", "model/gltf-binary", false},
	{"text/\x00plain;\x00", "text/plain", false},
	{"Image/PNG", "Image/PNG", false},
	{"unknown", "unknown", false},
	{"", "", false},
}

// fragments are the parts of random texts. None has a slash.
var fragments = []string{
	"sat", " ", "Ordinals ", "\n", "<div>", "é", "🔥", "\"", "\\", "{}", "0123456789", "&amp;", "\t", "ルーン", "lorem ipsum dolor ",
}

// metadatas are metadata as posted and as shown. What JavaScript takes for false is shown as null.
var metadatas = []metadata{
	{json.RawMessage(`{"foo":"bar","test":1337}`), json.RawMessage(`{"foo":"bar","test":1337}`)},
	{json.RawMessage(`{"a":{"b":[1,2.5,-3e10,null,true]},"name":"🔥 #1"}`), json.RawMessage(`{"a":{"b":[1,2.5,-3e10,null,true]},"name":"🔥 #1"}`)},
	{json.RawMessage(`"text with \u0000 in it"`), json.RawMessage(`"text with \u0000 in it"`)},
	{json.RawMessage(`["a",18446744073709551615]`), json.RawMessage(`["a",18446744073709551615]`)},
	{json.RawMessage(`{}`), json.RawMessage(`{}`)},
	{json.RawMessage(`[]`), json.RawMessage(`[]`)},
	{json.RawMessage(`true`), json.RawMessage(`true`)},
	{json.RawMessage(`0`), nil},
	{json.RawMessage(`false`), nil},
	{json.RawMessage(`""`), nil},
}

// body sets the content of an envelope.
func (f *Feed) body(e *envelope) {
	k := kinds[f.random.IntN(len(kinds))]
	recursive := f.random.Chance(f.cfg.RecursionShare)
	for recursive && !k.text {
		k = kinds[f.random.IntN(len(kinds))]
	}
	e.contentType, e.mime = k.posted, k.mime
	size := f.random.In(f.cfg.ContentBytes)
	if !k.text {
		e.content = make([]byte, size)
		f.random.Fill(e.content)
		return
	}
	var text strings.Builder
	for text.Len() < size {
		part := fragments[f.random.IntN(len(fragments))]
		if text.Len()+len(part) > size {
			part = "."
		}
		text.WriteString(part)
	}
	if recursive {
		f.addReferences(e, &text)
	}
	e.content = []byte(text.String())
}

// addReferences appends references to a content: to existing inscriptions, to missing ones, sometimes to one twice.
func (f *Feed) addReferences(e *envelope, text *strings.Builder) {
	for n := 1 + f.random.IntN(3); n > 0; n-- {
		id := f.someInscription()
		e.refs = append(e.refs, id)
		text.WriteString(`<img src="/content/` + string(id) + `">`)
		if f.random.IntN(4) == 0 {
			text.WriteString(" /content/" + string(id))
		}
	}
	text.WriteString(" /content/ and /content/nothing")
	e.refs = distinct(e.refs)
}

// someInscription returns a recent inscription, or one that never exists.
func (f *Feed) someInscription() ordinals.InscriptionID {
	recent := f.world.recent.Value
	if n := f.random.IntN(10); n == 0 || len(recent) == 0 {
		return ordinals.NewInscriptionID(f.random.Hash32(), uint32(f.random.IntN(3)))
	}
	return recent[f.random.IntN(len(recent))]
}

// distinct returns the ids without repetitions, in the order of their first occurrences.
func distinct(all []ordinals.InscriptionID) []ordinals.InscriptionID {
	var list []ordinals.InscriptionID
	seen := map[ordinals.InscriptionID]bool{}
	for _, id := range all {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}

// envelope returns a random inscription.
func (f *Feed) envelope() *envelope {
	e := &envelope{hops: uint64(f.random.IntN(1000))}
	f.body(e)
	if f.random.Chance(f.cfg.CursedShare) {
		e.flaw = flaws[f.random.IntN(len(flaws))]
	}
	if f.random.Chance(f.cfg.MetadataShare) {
		e.metadata = metadatas[f.random.IntN(len(metadatas))]
	}
	if f.random.Chance(f.cfg.ParentShare) {
		for n := 1 + f.random.IntN(2); n > 0; n-- {
			e.parents = append(e.parents, f.someInscription())
		}
		e.parents = distinct(e.parents)
	}
	if f.random.Chance(f.cfg.DelegateShare) {
		e.delegate = f.someInscription()
		if f.random.IntN(2) == 0 {
			e.content, e.refs = []byte{}, nil
		}
	}
	if f.random.IntN(12) == 0 {
		e.protocol = []string{"cbrc-20:mint:BTC=1", "sns", "a \"protocol\" é"}[f.random.IntN(3)]
	}
	return e
}
