// Package outside imitates what tokens depend on besides the chain: a node that answers read-only calls, and a gateway
// with the documents and images that these name. Both are one http.Handler for a real server, for tests, measurements
// and demonstrations. Answers depend only on the contract and the token, so the expected rows are known.
package outside

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/big"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"strata/domain/clarity"
	"strata/internal/synth/value"
)

// World is a node and a gateway.
type World struct {
	// Latency is the duration of each request.
	Latency time.Duration
	// Supply returns the supply of a contract's token, in base units; nil for a million.
	Supply func(contract string) uint64
	// LastTokenID returns the last token id of a contract; nil for 0.
	LastTokenID func(contract string) uint64
	// Refuse returns the cause for which the node refuses a call, or "" if it does not; nil for none.
	Refuse func(contract, function string) string

	calls, documents, images atomic.Int64
}

// Calls returns the number of requests for read-only calls.
func (w *World) Calls() int64 { return w.calls.Load() }

// Documents returns the number of requests for documents.
func (w *World) Documents() int64 { return w.documents.Load() }

// Images returns the number of requests for images.
func (w *World) Images() int64 { return w.images.Load() }

// ServeHTTP implements http.Handler.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if w.Latency > 0 {
		select {
		case <-time.After(w.Latency):
		case <-r.Context().Done():
			return
		}
	}
	path := r.URL.Path
	switch {
	case path == "/v2/info":
		rw.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(rw, info)
	case r.Method == http.MethodPost && strings.HasPrefix(path, "/v2/contracts/call-read/"):
		w.calls.Add(1)
		w.call(rw, r, strings.Split(strings.TrimPrefix(path, "/v2/contracts/call-read/"), "/"))
	case strings.HasPrefix(path, "/v2/contracts/interface/S") && strings.HasPrefix(path[len("/v2/contracts/interface/S")+1:], "000000000000000000002"): // of the boot
		rw.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(rw, bootInterface)
	case strings.HasPrefix(path, "/ipfs/") && strings.HasSuffix(path, ".json"):
		w.documents.Add(1)
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(Document(strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".json")))
	case strings.HasPrefix(path, "/ipfs/") && strings.HasSuffix(path, ".png"):
		w.images.Add(1)
		rw.Header().Set("Content-Type", "image/png")
		_, _ = rw.Write(Image(strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".png")))
	default:
		http.NotFound(rw, r)
	}
}

// info is the node's answer to /v2/info.
const info = `{"network_id":1,"server_version":"outside","burn_block_height":1,"stacks_tip_height":1,` +
	`"stacks_tip":"0000000000000000000000000000000000000000000000000000000000000001",` +
	`"stacks_tip_consensus_hash":"0000000000000000000000000000000000000001","is_fully_synced":true}`

// bootInterface is that of any boot contract. It follows no standard for tokens.
const bootInterface = `{"functions":[{"name":"told","access":"public","args":[{"name":"amount","type":"uint128"}],` +
	`"outputs":{"type":{"response":{"ok":"bool","error":"none"}}}}],"variables":[],"maps":[],"fungible_tokens":[],"non_fungible_tokens":[]}`

// call answers a read-only call.
func (w *World) call(rw http.ResponseWriter, r *http.Request, parts []string) {
	var body struct {
		Arguments []string `json:"arguments"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(parts) != 3 {
		http.Error(rw, "bad call", http.StatusBadRequest)
		return
	}
	contract, id := parts[0]+"."+parts[1], "1"
	if len(body.Arguments) > 0 {
		id = argument(body.Arguments[0])
	}
	answer, ok := w.answer(contract, parts[2], id)
	rw.Header().Set("Content-Type", "application/json")
	if w.Refuse != nil {
		if cause := w.Refuse(contract, parts[2]); cause != "" {
			_, _ = fmt.Fprintf(rw, `{"okay":false,"cause":%q}`, cause)
			return
		}
	}
	if !ok {
		_, _ = fmt.Fprintf(rw, `{"okay":false,"cause":"RuntimeCheck(UndefinedFunction(%q))"}`, parts[2])
		return
	}
	_, _ = fmt.Fprintf(rw, `{"okay":true,"result":%q}`, clarity.NewOk(answer).Hex())
}

// argument returns the number in a serialised Clarity value; empty if there is none.
func argument(text string) string {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return ""
	}
	v, err := clarity.DecodeAll(raw)
	if err != nil {
		return ""
	}
	id, _ := v.Decimal()
	return id
}

func (w *World) answer(contract, function, id string) (clarity.Value, bool) {
	switch function {
	case "get-name":
		return value.Text(Name(contract)), true
	case "get-symbol":
		return value.Text(Symbol(contract)), true
	case "get-decimals":
		return clarity.NewUint64(6), true
	case "get-total-supply":
		return clarity.NewUint64(number(w.Supply, contract, 1_000_000)), true
	case "get-last-token-id":
		return clarity.NewUint64(number(w.LastTokenID, contract, 0)), true
	case "get-token-uri":
		return value.Some(URI(contract, id)), true
	}
	return clarity.Value{}, false
}

// number returns what of says of a contract, or a default without of.
func number(of func(contract string) uint64, contract string, otherwise uint64) uint64 {
	if of == nil {
		return otherwise
	}
	return of(contract)
}

// digest returns a hash of a contract that is short enough for names, and long enough that a million contracts have different ones.
func digest(contract string) string {
	sum := sha256.Sum256([]byte(contract))
	return hex.EncodeToString(sum[:6])
}

// Name returns the name of a contract's fungible token.
func Name(contract string) string { return "Coin " + digest(contract) }

// Symbol returns the symbol of a contract's fungible token.
func Symbol(contract string) string { return strings.ToUpper(digest(contract)[:4]) }

// cid is a well-formed content id without any content.
const cid = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"

// URI returns the URI of a token's document.
func URI(contract, id string) string {
	return fmt.Sprintf("ipfs://%s/%s-%s.json", cid, digest(contract), id)
}

// ImageURI returns the URI of the image in the document with a name.
func ImageURI(name string) string { return fmt.Sprintf("ipfs://%s/%s.png", cid, name) }

// Document returns the JSON document with a name, such as "c0ffee-7".
func Document(name string) []byte {
	return value.Must(json.Marshal(map[string]any{
		"sip": 16, "name": "Token " + name, "description": "A token that was made up.", "image": ImageURI(name),
		"attributes": []any{map[string]any{"trait_type": "colour", "value": "#" + name[:min(len(name), 6)]}},
		"properties": map[string]any{"collection": "Synthetic", "rank": new(big.Int).SetBytes([]byte(name)).Text(10)},
	}))
}

// Image returns the PNG image with a name: 480 by 360 pixels of one colour, which depends on the name.
func Image(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	picture := image.NewPaletted(image.Rect(0, 0, 480, 360), color.Palette{color.RGBA{sum[0], sum[1], sum[2], 255}})
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err)
	}
	return b.Bytes()
}
