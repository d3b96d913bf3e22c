package picture

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// BucketConfig says where a bucket is. It has a secret: don't log it.
type BucketConfig struct {
	// Endpoint is host or host:port.
	Endpoint string
	Bucket   string
	// Prefix of the names of all objects, without slashes at either end; empty for none.
	Prefix string
	// Region in which requests are signed; empty for us-east-1, which most servers other than Amazon's accept.
	Region string
	// AccessKey and SecretKey; without either, those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or MINIO_…, are
	// taken, and where there are none, requests are not signed.
	AccessKey, SecretKey string
	// Plain is without TLS.
	Plain bool
}

const (
	// RegionDefault is what BucketConfig.Region is when it is empty.
	RegionDefault = "us-east-1"
	// bucketTries bounds how often a request is made before it fails: whoever looks at an image waits for it.
	bucketTries = 3
	// bucketPatience is how long to wait for a connection, and then for the beginning of an answer.
	bucketPatience = 10 * time.Second
	// forever is for what has its digest in its name.
	forever = "public, max-age=31536000, immutable"
)

// Bucket is a store in a bucket of an S3-compatible service. The objects have the content type of what they hold, so
// that a public bucket may stand behind a content delivery network.
type Bucket struct {
	client *minio.Client
	config BucketConfig
}

// NewBucket does not connect: the service may be away for a while.
func NewBucket(c BucketConfig) (*Bucket, error) {
	if c.Region == "" {
		c.Region = RegionDefault
	}
	transport, err := minio.DefaultTransport(!c.Plain)
	if err != nil {
		return nil, fmt.Errorf("prepare connections to %s: %w", c.Endpoint, err)
	}
	transport.DialContext = (&net.Dialer{Timeout: bucketPatience}).DialContext
	transport.ResponseHeaderTimeout = bucketPatience
	keys := credentials.NewStaticV4(c.AccessKey, c.SecretKey, "")
	if c.AccessKey == "" && c.SecretKey == "" {
		keys = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.EnvMinio{}})
	}
	client, err := minio.New(c.Endpoint, &minio.Options{
		Creds: keys, Secure: !c.Plain, Transport: transport, Region: c.Region, MaxRetries: bucketTries,
	})
	if err != nil {
		return nil, fmt.Errorf("use the bucket %s at %s: %w", c.Bucket, c.Endpoint, err)
	}
	return &Bucket{client, c}, nil
}

func (b *Bucket) name(key Key) string { return path.Join(b.config.Prefix, key.String()) }

// Put writes an object.
func (b *Bucket) Put(ctx context.Context, key Key, body []byte) error {
	if err := key.fits(body); err != nil {
		return err
	}
	options := minio.PutObjectOptions{CacheControl: forever, DisableMultipart: true}
	if k, err := sniff(body); err == nil {
		options.ContentType = k.contentType
	}
	_, err := b.client.PutObject(ctx, b.config.Bucket, b.name(key), bytes.NewReader(body), int64(len(body)), options)
	return b.failure("keep", key, err)
}

// Open asks for the object's size at once, and for its bytes when they are read.
func (b *Bucket) Open(ctx context.Context, key Key) (io.ReadSeekCloser, int64, error) {
	object, err := b.client.GetObject(ctx, b.config.Bucket, b.name(key), minio.GetObjectOptions{})
	if err != nil {
		return nil, 0, b.failure("open", key, err)
	}
	info, err := object.Stat()
	if err != nil {
		_ = object.Close()
		return nil, 0, b.failure("open", key, err)
	}
	return object, info.Size, nil
}

// failure says what was tried, and with what advice an error can be mended.
func (b *Bucket) failure(what string, key Key, err error) error {
	if err == nil {
		return nil
	}
	response := minio.ToErrorResponse(err)
	advice := ""
	switch {
	case response.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %s", ErrNotFound, key)
	case response.Code == minio.NoSuchBucket:
		advice = ": make the bucket first"
	case response.StatusCode == http.StatusForbidden:
		advice = ": check the keys, and that they may read and write there"
	}
	return fmt.Errorf("%s image %s in bucket %s at %s: %w%s", what, key, b.config.Bucket, b.config.Endpoint, err, advice)
}
