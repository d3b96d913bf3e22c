package engine

import (
	"context"
	"io"

	"strata/readapi/internal/answer"
)

// File is an answer whose body is bytes rather than JSON.
type File struct {
	ContentType string
	Head        []byte
	Rest        func(ctx context.Context, w io.Writer) error
	Open        func(ctx context.Context) io.ReadSeekCloser // instead of Head and Rest
	Size        int64
	Tag         answer.Tag // identifies the content; default a digest of the body, or of the state that a streamed body is read from
	Fields      []answer.Field
}

// isStreamed reports whether the body is not held in memory as a whole.
func (f *File) isStreamed() bool { return f.Rest != nil || f.Open != nil }

func (f *File) describe(c *answer.Config) {
	c.ContentType, c.Body, c.Rest, c.Open, c.Size = f.ContentType, f.Head, f.Rest, f.Open, f.Size
	if f.Tag != (answer.Tag{}) {
		c.Tag = f.Tag
	}
	c.Fields = append(c.Fields, f.Fields...)
	c.Fields = append(c.Fields, answer.Field{Name: "X-Content-Type-Options", Values: []string{"nosniff"}})
}
