package engine

import (
	"context"
	"io"

	"strata/readapi/internal/answer"
)

// file is an answer that is bytes, not JSON.
type File struct {
	ContentType string
	Head        []byte
	Rest        func(ctx context.Context, w io.Writer) error
	Open        func(ctx context.Context) io.ReadSeeker // instead of head and rest
	Size        int64
	Content     answer.Tag // that entity tags are made of; zero for none of its own
	Fields      []answer.Field
}

func (f *File) describe(c *answer.Config) {
	c.ContentType, c.Body, c.Rest, c.Open, c.Size, c.Content = f.ContentType, f.Head, f.Rest, f.Open, f.Size, f.Content
	c.Fields = append(c.Fields, f.Fields...)
	c.Fields = append(c.Fields, answer.Field{Name: "X-Content-Type-Options", Values: []string{"nosniff"}})
}
