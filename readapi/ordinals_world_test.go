package readapi_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/readapi"
)

// What the tests of ordinals-api are made of.
const (
	txA = "38c46a8bf7ec90bc7f6b797e7dc84baa97f4e5fd4286b92fe1b50176d03b18dc"
	txB = "9f4a9b73b0713c5da01c0a47f97c6c001af9028d6bdd9e264dfacbc4e6790201"
	txC = "b9cd9489fe30b81d007f753663d12766f1368721a87f4c69056c8215caa57993"
	txD = "bdda0d240132bab2af7f797d1507beb1acab6ad43e2c0ef7f96291aea5cc3444"
	txE = "e3af144354367de58c675e987febcb49f17d6c19e645728b833fe95408feab85"
	txF = "f351d86c6e6cae3c64e297e7463095732f216875bcc1f3c03f950a492bb25421"
	txG = "567c7605439dfdc3a289d13fd2132237852f4a56e784b9364ba94499d5f9baf1"
	txH = "7ac73ecd01b9da4a7eab904655416dbfe8e03f193e091761b5a63ad0963570cd"
	txI = "abe7deebd0c6bacc9b1ddd234f9442db0530180448e934f34b9cbf3d7e6d91cb"
	txJ = "5cabafe04aaf98b1f325b0c3ffcbff904dbdb6f3d2e9e451102fda36f1056b5e"
	tx0 = "0268dd9743c862d80ab02cb1d0228036cfe172522850eb96be60cfee14b31fb8"
	tx5 = "53957f47697096cef4ad24dae6357b3d7ffe1e3eb9216ce0bb01d6b6a2c8cf4a"
	ad1 = "bc1p3cyx5e2hgh53w7kpxcvm8s4kkega9gv5wfw7c4qxsvxl0u8x834qf0u2td"
	ad2 = "bc1pscktlmn99gyzlvymvrezh6vwd0l4kg06tg5rvssw0czg8873gz5sdkteqj"
	ad3 = "bc1p3xqwzmddceqrd6x9yxplqzkl5vucta2gqm5szpkmpuvcvgs7g8psjf8htd"
	ad4 = "bc1pkjq7cerr6h53qm86k9t3dq0gqg8lcfz5jx7z4aj2mpqrjggrnass0u7qqj"
	ad5 = "bc1ptrehxtus25xx8jp5pchljxg2aps7mdemc4264zzzsdcvs6q25hhsf3rrph"
	ad6 = "bc1pxq6t85qp57aw8yf8eh9t7vsgd9zm5a8372rdll5jzrmc3cxqdpmqfucdry"
	bh1 = "00000000000000000002a90330a99f67e3f01eb2ce070b45930581e82fb7a91d"
	bhB = "00000000000000000002a90330a99f67e3f01eb2ce070b45930581e82fb7bbbb"
	bhC = "00000000000000000002a90330a99f67e3f01eb2ce070b45930581e82fb7cccc"
	bhD = "163de66dc9c0949905bfe8e148bde04600223cf88d19f26fdbeba1d6e6fa0f88"

	sat         = 257418248345364
	helloHex    = "0x48656C6C6F"
	defaultTime = 1677803510
)

// fields are members of a JSON object.
type fields = map[string]any

// with gives a copy with other members.
func with(base, others fields) fields {
	merged := maps.Clone(base)
	maps.Copy(merged, others)
	return merged
}

// revealOf is an operation that reveals the first inscription of a transaction.
func revealOf(tx string, number, sat int, others fields) fields {
	return fields{"inscription_revealed": with(fields{
		"content_bytes": helloHex, "content_type": "image/png", "content_length": 5, "inscription_number": fields{"classic": number, "jubilee": number},
		"inscription_fee": 2805, "inscription_output_value": 10000, "inscription_id": tx + "i0", "inscription_input_index": 0, "inscription_pointer": nil,
		"inscriber_address": ad1, "delegate": nil, "metaprotocol": nil, "metadata": nil, "parent": nil, "ordinal_number": sat, "ordinal_block_height": 650000,
		"ordinal_offset": 0, "tx_index": 0, "transfers_pre_inscription": 0, "satpoint_post_inscription": tx + ":0:0", "curse_type": nil,
	}, others)}
}

func ra(number, sat int, others ...fields) feedTransaction {
	return inTx(txA, revealOf(txA, number, sat, merge(others)))
}

func rb(number, sat int, others ...fields) feedTransaction {
	return inTx(txB, revealOf(txB, number, sat, with(fields{"content_type": "text/plain;charset=utf-8", "inscription_fee": 705, "inscriber_address": ad2}, merge(others))))
}

func rg(number, sat int) feedTransaction {
	return inTx(txG, revealOf(txG, number, sat, fields{"inscriber_address": ad6}))
}

func merge(all []fields) fields {
	merged := fields{}
	for _, f := range all {
		maps.Copy(merged, f)
	}
	return merged
}

// moveOf is an operation that moves a sat.
func moveOf(sat int, address, satpoint string, value any, txIndex int) fields {
	destination := fields{"type": "transferred", "value": address}
	if address == "" {
		destination = fields{"type": "spent_in_fees"}
	}
	return fields{"inscription_transferred": fields{
		"ordinal_number": sat, "destination": destination, "satpoint_pre_transfer": txA + ":0:0", "satpoint_post_transfer": satpoint,
		"post_transfer_output_value": value, "tx_index": txIndex,
	}}
}

// feedTransaction is one with its operations.
type feedTransaction struct {
	tx         string
	operations []fields
}

func inTx(tx string, operations ...fields) feedTransaction { return feedTransaction{tx, operations} }

func move(sat int, address, satpoint string, value any, txIndex int) feedTransaction {
	return inTx(satpoint[:64], moveOf(sat, address, satpoint, value, txIndex))
}

// feedBlock is a block as the feed has it.
func feedBlock(height int, hash string, time int, transactions ...feedTransaction) fields {
	list := []fields{}
	for i, t := range transactions {
		list = append(list, fields{
			"transaction_identifier": fields{"hash": "0x" + t.tx}, "operations": []any{},
			"metadata": fields{"ordinal_operations": t.operations, "proof": nil, "index": i, "fee": 0, "inputs": []any{}, "outputs": []any{}, "stacks_operations": []any{}},
		})
	}
	return fields{
		"block_identifier":        fields{"index": height, "hash": "0x" + hash},
		"parent_block_identifier": fields{"index": height - 1, "hash": "0x117374e7078440835a744b6b1b13dd2c48c4eff8c58dde07162241a8f15d1e03"},
		"timestamp":               time, "transactions": list, "metadata": fields{},
	}
}

// at is a block of most tests.
func at(height, time int, transactions ...feedTransaction) fields {
	return feedBlock(height, bh1, time, transactions...)
}

// ordinalsSite is an API over tables that a feed fills.
type ordinalsSite struct {
	*site
	store *eventstore.Log
}

func newOrdinalsSite(t testing.TB, blocks ...fields) *ordinalsSite {
	t.Helper()
	return newOrdinalsSiteWith(t, readapi.Config{OrdinalsTxIDBare: true}, blocks...)
}

func newOrdinalsSiteWith(t testing.TB, config readapi.Config, blocks ...fields) *ordinalsSite {
	t.Helper()
	log := replay.NewLog(t)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond},
		projections.Feed(ordinals.New(nil), inscriptions.New(nil)))
	s := &ordinalsSite{newSiteOn(t, log.Pool(), config), log}
	s.apply(blocks...)
	return s
}

// post puts a payload into the log and waits until it is in the tables.
func (s *ordinalsSite) post(rollback, apply []fields) {
	s.t.Helper()
	body, err := json.Marshal(fields{
		"chainhook": fields{"uuid": "1", "predicate": fields{"scope": "ordinals_protocol", "operation": "inscription_feed"}, "is_streaming_blocks": false},
		"apply":     append([]fields{}, apply...), "rollback": append([]fields{}, rollback...),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.postBody(body)
}

func (s *ordinalsSite) postBody(body []byte) {
	s.t.Helper()
	replay.Append(s.t, s.store, replay.Post{Path: "/payload", Body: body})
	replay.Wait(s.t, s.store)
}

func (s *ordinalsSite) apply(blocks ...fields) {
	s.t.Helper()
	if len(blocks) > 0 {
		s.post(nil, blocks)
	}
}

func (s *ordinalsSite) rollback(blocks ...fields) {
	s.t.Helper()
	s.post(blocks, nil)
}

// json is the body of a target with status 200, from both of its paths.
func (s *ordinalsSite) json(path string) fields {
	s.t.Helper()
	got, short := s.get("/ordinals/v1"+path), s.get("/ordinals"+path)
	if got.status != 200 || short.status != 200 || got.body != short.body {
		s.t.Fatalf("%s: got %d %s, and without the version %d %s\n%s", path, got.status, got.body, short.status, short.body, s.log)
	}
	var object fields
	if err := json.Unmarshal([]byte(got.body), &object); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
	return object
}

// page is the total and results of a list.
func (s *ordinalsSite) page(path string) (total int, results []fields) {
	s.t.Helper()
	object := s.json(path)
	for _, r := range object["results"].([]any) {
		results = append(results, r.(fields))
	}
	return int(object["total"].(float64)), results
}

// expectPage checks the total of a list, and one member of each of its results.
func (s *ordinalsSite) expectPage(path string, total int, member string, values ...any) {
	s.t.Helper()
	n, results := s.page(path)
	got := []string{}
	for _, r := range results {
		got = append(got, fmt.Sprint(r[member]))
	}
	want := []string{}
	for _, v := range values {
		want = append(want, fmt.Sprint(v))
	}
	if n != total || strings.Join(got, " ") != strings.Join(want, " ") {
		s.t.Errorf("%s: got total %d, %s %v; want %d, %v", path, n, member, got, total, want)
	}
}

// expectMembers checks members of an object, as JSON.
func (s *ordinalsSite) expectMembers(where string, object, want fields) {
	s.t.Helper()
	for name, value := range want {
		if got := asJSON(s.t, object[name]); got != asJSON(s.t, value) {
			s.t.Errorf("%s: got %s %s, want %s", where, name, got, asJSON(s.t, value))
		}
	}
}

func asJSON(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hexOf is content as the feed has it.
func hexOf(content string) string { return "0x" + hex.EncodeToString([]byte(content)) }
