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
	Content     answer.Tag // see answer.Config; zero for none
	Fields      []answer.Field
}

func (f *File) describe(c *answer.Config) {
	c.ContentType, c.Body, c.Rest, c.Open, c.Size, c.Content = f.ContentType, f.Head, f.Rest, f.Open, f.Size, f.Content
	c.Fields = append(c.Fields, f.Fields...)
	c.Fields = append(c.Fields, answer.Field{Name: "X-Content-Type-Options", Values: []string{"nosniff"}})
}
