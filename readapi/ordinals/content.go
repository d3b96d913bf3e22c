package ordinals

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/ordinals"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

// contentPolicy restricts contents, which come from strangers: a content may show itself, but not run or load anything.
const contentPolicy = "sandbox; default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

var contentFields = []answer.Field{
	{Name: "Accept-Ranges", Values: []string{"bytes"}},
	{Name: "Content-Security-Policy", Values: []string{contentPolicy}},
	{Name: "Cross-Origin-Resource-Policy", Values: []string{"cross-origin"}},
}

func (a *api) registerInscriptionContent() {
	o := ordinal.OrdinalsResource(engine.Operation{
		ID: "getInscriptionContent", Path: "/inscriptions/{id}/content", Tag: "Inscriptions", Summary: "The content of an inscription",
		Description: "The bytes, with the type that they were inscribed with; if that has more than 512 bytes, with `application/octet-stream`. An inscription that names a known delegate has the content of that delegate. " +
			"Range requests are supported. Scripts in the content do not run.",
		ContentType: "application/octet-stream", Class: answer.Tip, Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	})
	engine.Get(a.Engine, o, a.inscriptionContent)
	ok := a.OpenAPI().Paths[o.Path].Get.Responses["200"]
	ok.Content = map[string]*huma.MediaType{"*/*": ok.Content[o.ContentType]}
}

// contentRow locates a content in the log.
type contentRow struct {
	contentType                        string
	delegated, delegateKnown           bool
	height                             int64 // of the higher of the blocks of the inscription and of its delegate
	holder                             int64 // event whose body has the content
	at                                 int64 // offset of the hex digits in that body; negative when the digits are escaped
	size                               int64 // bytes of the content
	blockIndex, transaction, operation int32
	digits                             []byte // hex digits of a content of up to answer.MaxBody bytes
}

func (r *contentRow) columns() []any {
	return []any{
		&r.contentType, &r.delegated, &r.delegateKnown, &r.height, &r.holder, &r.at, &r.size, &r.blockIndex, &r.transaction, &r.operation, &r.digits,
	}
}

func (a *api) inscriptionContent(ctx context.Context, s *engine.Snapshot, in *InscriptionInput) (*engine.File, error) {
	if s.Active(ordinal.Inscribed) == nil {
		return nil, ordinal.ErrOrdinalsNotFound
	}
	named, name := in.selectID()
	b := s.Batch()
	found := engine.Query(b, (*contentRow).columns, `
		SELECT {inscriptions.inscription d, inscriptions.inscription i}, c.content_type, i.delegate IS NOT NULL, d.id IS NOT NULL, greatest(i.height, d.height),
		       h.seq, coalesce(c.content_at, -1), c.content_size, b.block_index, c."transaction", c.operation,
		       CASE WHEN c.content_size <= $2::bigint THEN substring(h.body FROM (c.content_at + 1)::int FOR (2 * c.content_size)::int) END
		FROM (`+named+`) p
		JOIN {inscriptions}.inscription i ON i.id = p.id
		LEFT JOIN {inscriptions}.inscription d ON d.id = i.delegate
		JOIN {inscriptions}.inscription c ON c.id = coalesce(d.id, i.id)
		JOIN {inscriptions}.block b ON b.height = c.height
		JOIN log.event e ON e.seq = c.source_seq
		JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq)`, name, answer.MaxBody)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, in.notFound(ctx, s)
	}
	if !row.delegated || row.delegateKnown {
		s.FinalAt(row.height)
	}
	f := &engine.File{ContentType: headerValue(row.contentType), Size: row.size, Tag: row.tag(), Fields: contentFields}
	var err error
	switch {
	case row.at < 0:
		f.Head, err = a.escapedContent(ctx, &row)
	case row.size <= answer.MaxBody:
		f.Head, err = row.decode(row.digits, row.size)
	default:
		f.Open = func(ctx context.Context) io.ReadSeekCloser { return a.openContent(ctx, &row) }
	}
	return f, err
}

// tag returns an entity tag made of the place of the content in the log, which never changes.
func (r *contentRow) tag() answer.Tag {
	b := []byte("content " + r.contentType + "\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(r.holder))
	for _, n := range []int32{r.blockIndex, r.transaction, r.operation} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return engine.TagOf(engine.KeyOf(b))
}

// decode decodes n bytes from their hex digits.
func (r *contentRow) decode(digits []byte, n int64) ([]byte, error) {
	content := make([]byte, n)
	if int64(len(digits)) != 2*n {
		return nil, fmt.Errorf("content at byte %d of event %d: got %d digits of %d", r.at, r.holder, len(digits), 2*n)
	}
	if _, err := hex.Decode(content, digits); err != nil {
		return nil, fmt.Errorf("content at byte %d of event %d: %w", r.at, r.holder, err)
	}
	return content, nil
}

// escapedContent decodes the whole event to read a content whose digits are escaped in the JSON. No known indexer
// escapes them.
func (a *api) escapedContent(ctx context.Context, r *contentRow) ([]byte, error) {
	var body []byte
	if err := a.Config.Pool.QueryRow(ctx, `SELECT body FROM log.event WHERE seq = $1`, r.holder).Scan(&body); err != nil {
		return nil, fmt.Errorf("read event %d: %w", r.holder, err)
	}
	payload, err := ordinals.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("decode event %d: %w", r.holder, err)
	}
	pointer := fmt.Sprintf("/apply/%d/transactions/%d/metadata/ordinal_operations/%d", r.blockIndex, r.transaction, r.operation)
	for i := range payload.Apply {
		for j := range payload.Apply[i].Transactions {
			for _, o := range payload.Apply[i].Transactions[j].Operations {
				if o.Pointer == pointer && o.Reveal != nil {
					return o.Reveal.Content, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("event %d has no reveal at %s", r.holder, pointer)
}

// contentTypeMost is the length in bytes of the longest content type that is served as a header. The name of a media type has at
// most 255 bytes (RFC 6838); this leaves as much for parameters. Clients and proxies refuse answers whose headers are too long, many
// of them from 4 KiB on.
const contentTypeMost = 512

// headerValue returns the header for a content type: without the control characters, which a header must not have, and that of
// bytes of an unknown type if it is too long. The inscription shows the type as it was inscribed.
func headerValue(text string) string {
	if len(text) > contentTypeMost {
		return "application/octet-stream"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}
