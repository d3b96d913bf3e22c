package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/readapi"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// revealed checks that an inscription of a trace is the reveal that its event has at the pointer.
func (s *OrdinalsSite) Revealed(r RowOf) {
	s.T.Helper()
	reveal, ok := s.Fact(r, "source_seq")["inscription_revealed"].(Fields)
	if !ok || reveal["inscription_id"] != r.Column("id") || fmt.Sprint(reveal["inscription_number"].(Fields)["jubilee"]) != r.Column("number") ||
		fmt.Sprint(reveal["ordinal_number"]) != r.Column("sat") {
		s.T.Errorf("inscription %v %v: got %v", r.Key, r.Values, reveal)
	}
}

// moved checks that a location of a trace is the operation that its event has at the pointer.
func (s *OrdinalsSite) Moved(r RowOf) {
	s.T.Helper()
	for kind, operation := range s.Fact(r, "source_seq") {
		o := operation.(Fields)
		satpoint := o["satpoint_post_inscription"]
		if kind == "inscription_transferred" {
			satpoint = o["satpoint_post_transfer"]
		}
		want := strings.TrimPrefix(r.Column("output_txid"), "0x") + ":" + r.Column("vout") + ":"
		if fmt.Sprint(o["ordinal_number"]) != r.Column("sat") || !strings.HasPrefix(fmt.Sprint(satpoint), want) {
			s.T.Errorf("%s %v: got %v, want it at %s", r.Table, r.Key, o, want)
		}
	}
}

// blocks checks the blocks of a trace, and says at which heights they are.
func (s *OrdinalsSite) TracedBlocks(traced TraceOf, projection string) (heights []string) {
	s.T.Helper()
	for _, r := range traced.In(projection + ".block") {
		identifier := s.Fact(r, "source_seq")["block_identifier"].(Fields)
		if fmt.Sprint(identifier["index"]) != r.Column("height") || identifier["hash"] != r.Column("block_hash") {
			s.T.Errorf("%s: block %v is of %v", traced.Path, r, identifier)
		}
		heights = append(heights, r.Column("height"))
	}
	return heights
}

// learn reads what there is, in no order.
func (s *OrdinalsSite) Learn() []Known {
	s.T.Helper()
	return collect(s.Site, pgx.RowToStructByPos[Known], schemas.In(`
		SELECT i.id, coalesce(o.address, ''), coalesce(i.genesis_address, ''), i.mime_type, i.number, i.sat, i.height, i.tx_index, b.time, i.rarity, i.recursive
		FROM {inscriptions}.inscription i JOIN {inscriptions}.owner o USING (id) JOIN {inscriptions}.block b ON b.height = i.height`))
}

// expectInscription checks members of an inscription by its id and by its number.
func (s *OrdinalsSite) ExpectInscription(id, number string, want Fields) Fields {
	s.T.Helper()
	byID, byNumber := s.Get("/ordinals/v1/inscriptions/"+id), s.Get("/ordinals/v1/inscriptions/"+number)
	if byID.Status != 200 || byID.Body != byNumber.Body || byID.Header.Get("ETag") != byNumber.Header.Get("ETag") {
		s.T.Errorf("by id %d %s, by number %d %s: want the same", byID.Status, byID.Body, byNumber.Status, byNumber.Body)
	}
	object := s.JSON("/inscriptions/" + id)
	s.ExpectMembers(id, object, want)
	return object
}

// expectTag checks that a target is 304 with an entity tag, or 200 with another one.
func (s *OrdinalsSite) ExpectTag(target, tag string, same bool) (now string) {
	s.T.Helper()
	got := s.Request("GET", "/ordinals/v1"+target, "If-None-Match", tag)
	now = got.Header.Get("ETag")
	if same != (got.Status == 304) || same != (now == tag) || got.Status != 200 && got.Status != 304 || !StrongTag.MatchString(now) {
		s.T.Errorf("%s: got %d with the tag %s, after %s: want the same: %t", target, got.Status, now, tag, same)
	}
	if got.Header.Get("Cache-Control") != "public, no-cache, must-revalidate" {
		s.T.Errorf("%s: got Cache-Control %q", target, got.Header.Get("Cache-Control"))
	}
	return now
}

// What the tests of ordinals-api are made of.
const (
	TxA = "38c46a8bf7ec90bc7f6b797e7dc84baa97f4e5fd4286b92fe1b50176d03b18dc"
	TxB = "9f4a9b73b0713c5da01c0a47f97c6c001af9028d6bdd9e264dfacbc4e6790201"
	TxC = "b9cd9489fe30b81d007f753663d12766f1368721a87f4c69056c8215caa57993"
	TxD = "bdda0d240132bab2af7f797d1507beb1acab6ad43e2c0ef7f96291aea5cc3444"
	TxE = "e3af144354367de58c675e987febcb49f17d6c19e645728b833fe95408feab85"
	TxF = "f351d86c6e6cae3c64e297e7463095732f216875bcc1f3c03f950a492bb25421"
	TxG = "567c7605439dfdc3a289d13fd2132237852f4a56e784b9364ba94499d5f9baf1"
	TxH = "7ac73ecd01b9da4a7eab904655416dbfe8e03f193e091761b5a63ad0963570cd"
	TxI = "abe7deebd0c6bacc9b1ddd234f9442db0530180448e934f34b9cbf3d7e6d91cb"
	TxJ = "5cabafe04aaf98b1f325b0c3ffcbff904dbdb6f3d2e9e451102fda36f1056b5e"
	tx0 = "0268dd9743c862d80ab02cb1d0228036cfe172522850eb96be60cfee14b31fb8"
	Tx5 = "53957f47697096cef4ad24dae6357b3d7ffe1e3eb9216ce0bb01d6b6a2c8cf4a"
	Ad1 = "bc1p3cyx5e2hgh53w7kpxcvm8s4kkega9gv5wfw7c4qxsvxl0u8x834qf0u2td"
	Ad2 = "bc1pscktlmn99gyzlvymvrezh6vwd0l4kg06tg5rvssw0czg8873gz5sdkteqj"
	Ad3 = "bc1p3xqwzmddceqrd6x9yxplqzkl5vucta2gqm5szpkmpuvcvgs7g8psjf8htd"
	Ad4 = "bc1pkjq7cerr6h53qm86k9t3dq0gqg8lcfz5jx7z4aj2mpqrjggrnass0u7qqj"
	Ad5 = "bc1ptrehxtus25xx8jp5pchljxg2aps7mdemc4264zzzsdcvs6q25hhsf3rrph"
	Ad6 = "bc1pxq6t85qp57aw8yf8eh9t7vsgd9zm5a8372rdll5jzrmc3cxqdpmqfucdry"
	Bh1 = "00000000000000000002a90330a99f67e3f01eb2ce070b45930581e82fb7a91d"
	BhB = "00000000000000000002a90330a99f67e3f01eb2ce070b45930581e82fb7bbbb"
	BhC = "00000000000000000002a90330a99f67e3f01eb2ce070b45930581e82fb7cccc"
	BhD = "163de66dc9c0949905bfe8e148bde04600223cf88d19f26fdbeba1d6e6fa0f88"

	Sat         = 257418248345364
	HelloHex    = "0x48656C6C6F"
	DefaultTime = 1677803510
)

// fields are members of a JSON object.
type Fields = map[string]any

// with gives a copy with other members.
func With(base, others Fields) Fields {
	merged := maps.Clone(base)
	maps.Copy(merged, others)
	return merged
}

// revealOf is an operation that reveals the first inscription of a transaction.
func RevealOf(tx string, number, sat int, others Fields) Fields {
	return Fields{"inscription_revealed": With(Fields{
		"content_bytes": HelloHex, "content_type": "image/png", "content_length": 5, "inscription_number": Fields{"classic": number, "jubilee": number},
		"inscription_fee": 2805, "inscription_output_value": 10000, "inscription_id": tx + "i0", "inscription_input_index": 0, "inscription_pointer": nil,
		"inscriber_address": Ad1, "delegate": nil, "metaprotocol": nil, "metadata": nil, "parent": nil, "ordinal_number": sat, "ordinal_block_height": 650000,
		"ordinal_offset": 0, "tx_index": 0, "transfers_pre_inscription": 0, "satpoint_post_inscription": tx + ":0:0", "curse_type": nil,
	}, others)}
}

func Ra(number, sat int, others ...Fields) FeedTransaction {
	return InTx(TxA, RevealOf(TxA, number, sat, merge(others)))
}

func Rb(number, sat int, others ...Fields) FeedTransaction {
	return InTx(TxB, RevealOf(TxB, number, sat, With(Fields{"content_type": "text/plain;charset=utf-8", "inscription_fee": 705, "inscriber_address": Ad2}, merge(others))))
}

func Rg(number, sat int) FeedTransaction {
	return InTx(TxG, RevealOf(TxG, number, sat, Fields{"inscriber_address": Ad6}))
}

func merge(all []Fields) Fields {
	merged := Fields{}
	for _, f := range all {
		maps.Copy(merged, f)
	}
	return merged
}

// moveOf is an operation that moves a sat.
func MoveOf(sat int, address, satpoint string, value any, txIndex int) Fields {
	destination := Fields{"type": "transferred", "value": address}
	if address == "" {
		destination = Fields{"type": "spent_in_fees"}
	}
	return Fields{"inscription_transferred": Fields{
		"ordinal_number": sat, "destination": destination, "satpoint_pre_transfer": TxA + ":0:0", "satpoint_post_transfer": satpoint,
		"post_transfer_output_value": value, "tx_index": txIndex,
	}}
}

// feedTransaction is one with its operations.
type FeedTransaction struct {
	Tx         string
	operations []Fields
}

func InTx(tx string, operations ...Fields) FeedTransaction { return FeedTransaction{tx, operations} }

func Move(sat int, address, satpoint string, value any, txIndex int) FeedTransaction {
	return InTx(satpoint[:64], MoveOf(sat, address, satpoint, value, txIndex))
}

// feedBlock is a block as the feed has it.
func FeedBlock(height int, hash string, time int, transactions ...FeedTransaction) Fields {
	list := []Fields{}
	for i, t := range transactions {
		list = append(list, Fields{
			"transaction_identifier": Fields{"hash": "0x" + t.Tx}, "operations": []any{},
			"metadata": Fields{"ordinal_operations": t.operations, "proof": nil, "index": i, "fee": 0, "inputs": []any{}, "outputs": []any{}, "stacks_operations": []any{}},
		})
	}
	return Fields{
		"block_identifier":        Fields{"index": height, "hash": "0x" + hash},
		"parent_block_identifier": Fields{"index": height - 1, "hash": "0x117374e7078440835a744b6b1b13dd2c48c4eff8c58dde07162241a8f15d1e03"},
		"timestamp":               time, "transactions": list, "metadata": Fields{},
	}
}

// at is a block of most tests.
func At(height, time int, transactions ...FeedTransaction) Fields {
	return FeedBlock(height, Bh1, time, transactions...)
}

// ordinalsSite is an API over tables that a feed fills.
type OrdinalsSite struct {
	*Site
	Store *eventstore.Log
}

func NewOrdinalsSite(t testing.TB, blocks ...Fields) *OrdinalsSite {
	t.Helper()
	log := replay.NewLog(t)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond},
		projections.Feed(ordinals.New(nil), inscriptions.New(nil)))
	s := &OrdinalsSite{NewSiteOn(t, log.Pool(), readapi.Config{OrdinalsTxIDBare: true}), log}
	s.Apply(blocks...)
	return s
}

// post puts a payload into the log and waits until it is in the tables.
func (s *OrdinalsSite) post(rollback, apply []Fields) {
	s.T.Helper()
	s.PostBody(must.Get(json.Marshal(Fields{
		"chainhook": Fields{"uuid": "1", "predicate": Fields{"scope": "ordinals_protocol", "operation": "inscription_feed"}, "is_streaming_blocks": false},
		"apply":     append([]Fields{}, apply...), "rollback": append([]Fields{}, rollback...),
	}))(s.T))
}

func (s *OrdinalsSite) PostBody(body []byte) {
	s.T.Helper()
	replay.Append(s.T, s.Store, replay.Post{Path: "/payload", Body: body})
	replay.Wait(s.T, s.Store)
}

func (s *OrdinalsSite) Apply(blocks ...Fields) {
	s.T.Helper()
	if len(blocks) > 0 {
		s.post(nil, blocks)
	}
}

func (s *OrdinalsSite) Rollback(blocks ...Fields) {
	s.T.Helper()
	s.post(blocks, nil)
}

// json is the body of a target with status 200, from both of its paths.
func (s *OrdinalsSite) JSON(path string) Fields {
	s.T.Helper()
	got, short := s.Get("/ordinals/v1"+path), s.Get("/ordinals"+path)
	if got.Status != 200 || short.Status != 200 || got.Body != short.Body {
		s.T.Fatalf("%s: got %d %s, and without the version %d %s\n%s", path, got.Status, got.Body, short.Status, short.Body, s.Log)
	}
	var object Fields
	if err := json.Unmarshal([]byte(got.Body), &object); err != nil {
		s.T.Fatalf("%s: %v", path, err)
	}
	return object
}

// page is the total and results of a list.
func (s *OrdinalsSite) Page(path string) (total int, results []Fields) {
	s.T.Helper()
	object := s.JSON(path)
	return int(object["total"].(float64)), objectsOf(object["results"])
}

// expectPage checks the total of a list, and one member of each of its results.
func (s *OrdinalsSite) ExpectPage(path string, total int, member string, values ...any) {
	s.T.Helper()
	n, results := s.Page(path)
	if got := textsOf(results, member); n != total || fmt.Sprint(got) != fmt.Sprint([]any(values)) {
		s.T.Errorf("%s: got total %d, %s %v; want %d, %v", path, n, member, got, total, values)
	}
}

// expectMembers checks members of an object, as JSON.
func (s *OrdinalsSite) ExpectMembers(where string, object, want Fields) {
	s.T.Helper()
	for name, value := range want {
		if got := AsJSON(s.T, object[name]); got != AsJSON(s.T, value) {
			s.T.Errorf("%s: got %s %s, want %s", where, name, got, AsJSON(s.T, value))
		}
	}
}

func AsJSON(t testing.TB, value any) string {
	t.Helper()
	return string(must.Get(json.Marshal(value))(t))
}
