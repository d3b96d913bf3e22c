package metadata_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	pixels "image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	domain "strata/domain/document"
	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata"
	"strata/metadata/picture"
)

// shape is a document or an image as the world has it.
type shape struct {
	name string
	// uri has {A} for the address of host a; if empty, the URI is of scheme ipfs.
	uri string
	// a and b are what two hosts answer, which are also the gateways, in this order. Nil answers 404.
	a, b http.HandlerFunc
	// want is what comes of it: the name of the document, or the type and size of the image; otherwise the reason and the
	// severity. Then the number of exchanges.
	want string
}

// sends answers 200 with a body.
func sends[T string | []byte](body T) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func fails(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// only answers 200 with a body at one path, and as other elsewhere.
func only(path, body string, other http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			other(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}
}

const (
	shapeCID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
	html     = "<!DOCTYPE html>\n<html><head><title>Gateway</title></head><body>Please wait</body></html>"
	listing  = "<!DOCTYPE html><html><body><a href=\"1.json\">1.json</a></body></html>"
	ape      = `{"name":"Ape"}`
)

func documentShapes() []shape {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(ape))
	_ = w.Close()
	var bomb bytes.Buffer
	w = gzip.NewWriter(&bomb)
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Close()
	return []shape{
		{"plain", "", sends(ape), nil, "Ape 1"},
		{"with a byte order mark", "", sends("\ufeff" + ape), nil, "Ape 1"},
		{"JSON5", "", sends("{name: 'Ape', /* x */ properties: {},}\n"), nil, "Ape 1"},
		{"number for a name", "", sends(`{"name":7}`), nil, "7 1"},
		{"no UTF-8", "", sends("{\"name\":\"Ap\xe9\"}"), nil, "Ap\ufffd 1"},
		{"UTF-16", "", sends("\xff\xfe{\x00}\x00"), sends("\xff\xfe{\x00}\x00"), "105 wrong 2"},
		{"packed, and nobody says so", "", sends(packed.Bytes()), nil, "Ape 1"},
		{"packed, and too large", "", sends(bomb.Bytes()), sends(ape), "101 wrong 1"},
		{"too large", "", sends(`{"name":"` + strings.Repeat("x", 1000) + `"}`), sends(ape), "101 wrong 1"},
		{"page of the first gateway", "", sends(html), sends(ape), "Ape 2"},
		{"page of both gateways", "", sends(html), sends(html), "105 wrong 2"},
		{"page, then nothing", "", sends(html), nil, "107 wrong 2"},
		{"page, then down", "", sends(html), fails(502), "107 troubled 2"},
		{"page, then busy", "", sends(html), fails(429), "107 troubled 2"},
		{"down, then page", "", fails(504), sends(html), "107 troubled 2"},
		{"busy, then there", "", fails(429), sends(ape), "Ape 2"},
		{"busy twice", "", fails(429), fails(429), "107 waiting 2"},
		{"forbidden, then there", "", fails(403), sends(ape), "Ape 2"},
		{"nowhere", "", nil, nil, "107 wrong 2"},
		{"empty, then there", "", sends(""), sends(ape), "Ape 2"},
		{"text, then there", "", sends("ipfs resolve -r: no link named"), sends(ape), "Ape 2"},
		{"no content", "", fails(204), fails(204), "105 wrong 2"},
		{"array", "", sends("[" + ape + "]"), sends("[" + ape + "]"), "105 wrong 2"},
		{"without a name", "", sends(`{"image":"x"}`), sends(ape), "105 wrong 1"}, // a translation needs none
		{"cut off", "", sends(`{"name":"Ape`), sends(ape), "Ape 2"},
		{"scheme twice", "ipfs://ipfs/" + shapeCID + "/twice.json", only("/ipfs/"+shapeCID+"/twice.json", ape, fails(404)), nil, "Ape 1"},
		{"blank in the name", "ipfs://" + shapeCID + "/an ape.json", only("/ipfs/"+shapeCID+"/an ape.json", ape, fails(404)), nil, "Ape 1"},
		{"number sign in the name", "ipfs://" + shapeCID + "/Ape #1.json", nil, only("/ipfs/"+shapeCID+"/Ape #1.json", ape, fails(404)), "Ape 4"},
		{"number sign in a folder", "ipfs://" + shapeCID + "/#2.json", only("/ipfs/"+shapeCID+"/#2.json", ape, sends(listing)), sends(listing), "Ape 3"},
		{"fragment", "ipfs://" + shapeCID + "/3.json#x", only("/ipfs/"+shapeCID+"/3.json", ape, fails(404)), nil, "Ape 1"},
		{"bare identifier", shapeCID, only("/ipfs/"+shapeCID, ape, fails(404)), nil, "Ape 1"},
		{"Arweave", "ar://II4z2ziYyqG7-kWDa98lWGfjxRdYOx9Zdld9P_I_kzE/1", sends(html), sends(ape), "Ape 2"},
		{"web", "{A}/1.json", sends(ape), nil, "Ape 1"},
		{"page of the web", "{A}/2.json", sends(html), nil, "105 wrong 1"},
		{"redirected", "{A}/here", only("/there", ape, redirectTo("/there")), nil, "Ape 1"},
		{"redirected for ever", "{A}/loop", redirectTo("/loop"), nil, "107 wrong 1"},
		{"gone", "{A}/gone", fails(410), nil, "107 wrong 1"},
		{"server's error", "{A}/500", fails(500), nil, "107 troubled 1"},
		{"private network", "http://10.0.0.1/1.json", nil, nil, "110 wrong 1"},
		{"unknown scheme", "ftp://x.example/1.json", nil, nil, "105 wrong 1"},
		{"word", "none", nil, nil, "105 wrong 1"},
	}
}

func redirectTo(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, path, http.StatusFound) }
}

func imageShapes(t *testing.T) []shape {
	small := pixels.NewGray(pixels.Rect(0, 0, 6, 4))
	encode := func(write func(b *bytes.Buffer) error) string {
		var b bytes.Buffer
		must.Do(t, write(&b))
		return b.String()
	}
	pngBody := encode(func(b *bytes.Buffer) error { return png.Encode(b, small) })
	jpegBody := encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, small, nil) })
	gifBody := encode(func(b *bytes.Buffer) error { return gif.Encode(b, small, nil) })
	tiffBody := encode(func(b *bytes.Buffer) error { return tiff.Encode(b, small, nil) })
	webpBody := string(must.Get(hex.DecodeString("52494646220000005745425056503820160000003001009d012a010001000ec0fe25a400037000000000"))(t))
	onItsSide := jpegBody[:2] + "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00" + jpegBody[2:]
	bomb := []byte(pngBody)
	binary.BigEndian.PutUint32(bomb[16:], 60000)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="6" height="4"><rect width="1" height="1" fill="#f00"/></svg>`
	drawn := `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` + svg
	script := strings.Replace(svg, "<rect", "<script>x()</script><rect", 1)
	avif, film := "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1miaf", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42"
	raw := *must.Get(domain.Parse(must.Get(json.Marshal(map[string]string{"name": "a", "image": svg}))(t)))(t).Image
	svgz := encode(func(b *bytes.Buffer) error {
		w := gzip.NewWriter(b)
		_, err := w.Write([]byte(svg))
		if err != nil {
			return err
		}
		return w.Close()
	})
	in64 := base64.StdEncoding.EncodeToString
	return []shape{
		{"PNG", "", sends(pngBody), nil, "image/png 6x4 1"},
		{"JPEG", "", sends(jpegBody), nil, "image/jpeg 6x4 1"},
		{"JPEG on its side", "", sends(onItsSide), nil, "image/jpeg 4x6 1"},
		{"GIF", "", sends(gifBody), nil, "image/gif 6x4 1"},
		{"WebP", "", sends(webpBody), nil, "image/webp 1x1 1"},
		{"TIFF", "", sends(tiffBody), nil, "image/tiff 6x4 1"},
		{"SVG", "", sends(svg), nil, "image/svg+xml 6x4 1"},
		{"SVG of a drawing program", "", sends(drawn), nil, "image/svg+xml 6x4 1"},
		{"SVG, packed", "", sends(svgz), nil, "image/svg+xml 6x4 1"},
		{"SVG with a script", "", sends(script), sends(script), "106 wrong 2"},
		{"AVIF", "", sends(avif), sends(pngBody), "203 final 1"},
		{"film", "", sends(film), nil, "203 final 1"},
		{"AVIF of the web", "{A}/1.avif", sends(avif), nil, "203 absent 1"},
		{"page of the first gateway", "", sends(html), sends(pngBody), "image/png 6x4 2"},
		{"page of both gateways", "", sends(html), sends(html), "106 wrong 2"},
		{"page, then down", "", sends(html), fails(503), "108 troubled 2"},
		{"page of the web", "{A}/1.png", sends(html), nil, "106 wrong 1"},
		{"cut off, then whole", "", sends(pngBody[:40]), sends(pngBody), "image/png 6x4 2"},
		{"bomb", "", sends(bomb), sends(bomb), "106 wrong 2"},
		{"too large", "", sends(pngBody + strings.Repeat("\x00", 50_000)), sends(pngBody), "102 wrong 1"},
		{"document for an image", "", sends(ape), sends(ape), "106 wrong 2"},
		{"empty", "", sends(""), sends(""), "106 wrong 2"},
		{"nowhere", "", nil, nil, "108 wrong 2"},
		{"number sign in the name", "ipfs://" + shapeCID + "/Ape #1.png", nil, only("/ipfs/"+shapeCID+"/Ape #1.png", pngBody, fails(404)), "image/png 6x4 4"},
		{"PNG in the URI", "data:image/png;base64," + in64([]byte(pngBody)), nil, nil, "image/png 6x4 1"},
		{"PNG in the URI, after a blank", "\n data:image/PNG;base64," + in64([]byte(pngBody)), nil, nil, "image/png 6x4 1"},
		{"PNG in the URI, without a type", "data:;base64," + in64([]byte(pngBody)), nil, nil, "image/png 6x4 1"},
		{"PNG in the URI, said to be text", "data:text/plain;base64," + in64([]byte(pngBody)), nil, nil, "image/png 6x4 1"},
		{"SVG in the URI, as it stands", "data:image/svg+xml;utf8," + svg, nil, nil, "image/svg+xml 6x4 1"},
		{"SVG in the URI, in base 64", "data:image/svg+xml;base64," + in64([]byte(svg)), nil, nil, "image/svg+xml 6x4 1"},
		{"SVG in the document", raw, nil, nil, "image/svg+xml 6x4 1"},
		{"script in the URI", "data:image/svg+xml," + script, nil, nil, "106 final 1"},
		{"text in the URI", "data:text/plain,hello", nil, nil, "106 final 1"},
		{"page in the URI", "data:text/html," + html, nil, nil, "106 final 1"},
		{"AVIF in the URI", "data:image/avif;base64," + in64([]byte(avif)), nil, nil, "203 final 1"},
		{"no data in the URI", "data:image/png;base64", nil, nil, "106 final 1"},
		{"no base 64 in the URI", "data:image/png;base64,!!", nil, nil, "106 final 1"},
		{"too large in the URI", "data:image/png," + strings.Repeat("x", 50_001), nil, nil, "102 final 1"},
		{"text", "a picture of an ape", nil, nil, "106 wrong 1"},
	}
}

// What comes of documents and images in the shapes that people publish, from the URI to the report.
func TestShapes(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gateways := map[string]domain.Gateways{}
	type expected struct{ name, want string }
	wants := map[string]expected{} // by the key of the want
	for kind, shapes := range map[fetch.Kind][]shape{fetch.Document: documentShapes(), fetch.Image: imageShapes(t)} {
		for i, s := range shapes {
			var hosts []string
			for _, handler := range []http.HandlerFunc{s.a, s.b} {
				if handler == nil {
					handler = fails(404)
				}
				host := httptest.NewServer(handler)
				t.Cleanup(host.Close)
				hosts = append(hosts, host.URL)
			}
			want := fetch.Want{Kind: kind, URI: strings.ReplaceAll(s.uri, "{A}", hosts[0])}
			if s.uri == "" {
				want.URI = fmt.Sprintf("ipfs://%s/%s/%d", shapeCID, kind, i)
			}
			gateways[want.URI] = domain.Gateways{IPFS: hosts, Arweave: hosts}
			wants[want.Key()] = expected{string(kind) + ": " + s.name, s.want}
			raise(t, log.Pool(), "ft_v1", row{want: want})
		}
	}
	c := config(log)
	c.Web = must.Get(metadata.NewWeb(metadata.WebConfig{Allow: []string{"127.0.0.1"}}))(t)
	c.Images, c.Data, c.DocumentLimit, c.ImageLimit = metadata.KeepIn(must.Get(picture.NewDir(t.TempDir()))(t)), domain.ParseData, 1000, 50_000
	c.Resolve = func(uri string) ([]metadata.Candidate, error) {
		found, err := domain.Resolve(uri, gateways[uri])
		var candidates []metadata.Candidate
		for _, f := range found {
			candidates = append(candidates, metadata.Candidate{URL: f.URL, Gateway: f.Gateway})
		}
		return candidates, err
	}
	for _, r := range run(t, c).awaitReports(t, len(wants)) {
		s := wants[r.Want.Key()]
		if got := fmt.Sprintf("%s %d", outcomeOf(r), len(r.Exchanges)); got != s.want {
			last, _ := r.Last()
			t.Errorf("%s: got %s, want %s; %s %s", s.name, got, s.want, last.Failure, last.Error)
		}
	}
}

// outcomeOf returns what a report brings, as the projections of tokens read it.
func outcomeOf(r *fetch.Report) string {
	body, problem := r.ResourceBody()
	switch {
	case problem == nil && r.Want.Kind == fetch.Image:
		return fmt.Sprintf("%s %dx%d", r.Image.ContentType, r.Image.Width, r.Image.Height)
	case problem == nil:
		d, err := domain.Parse(body)
		if err == nil {
			return *d.Name
		}
		problem = &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonMetadataUnparsable}
	}
	severities := map[fetch.Severity]string{fetch.Waiting: "waiting", fetch.Troubled: "troubled", fetch.Wrong: "wrong", fetch.Absent: "absent", fetch.Final: "final"}
	return fmt.Sprintf("%d %s", problem.Reason, severities[problem.Severity])
}
