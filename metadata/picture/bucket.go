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

// BucketConfig configures a Bucket. It contains a secret and must not be logged.
type BucketConfig struct {
	// Endpoint is host or host:port.
	Endpoint string
	Bucket   string
	// Prefix begins the names of all objects. It has no slash at either end, and may be empty.
	Prefix string
	// Region is the region for which requests are signed; RegionDefault if empty.
	Region string
	// AccessKey and SecretKey sign requests. If both are empty, they come from AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY, or from MINIO_…; if those are not set either, requests are not signed.
	AccessKey, SecretKey string
	// Plain disables TLS.
	Plain bool
}

const (
	// RegionDefault is the region if BucketConfig.Region is empty. Most servers other than Amazon's accept it.
	RegionDefault = "us-east-1"
	// bucketAttempts is the maximum number of attempts at a request. It is small because a viewer waits meanwhile.
	bucketAttempts = 3
	// bucketTimeout bounds the time to connect, and then the time until the beginning of an answer.
	bucketTimeout = 10 * time.Second
	// immutable is the Cache-Control of content whose URL contains its digest.
	immutable = "public, max-age=31536000, immutable"
)

// Bucket is a Store in a bucket of an S3-compatible service. Its objects have the right content type, so that a content
// delivery network can serve a public bucket.
type Bucket struct {
	client *minio.Client
	config BucketConfig
}

// NewBucket returns a Bucket. It does not connect, because the service may be down at the moment.
func NewBucket(c BucketConfig) (*Bucket, error) {
	if c.Region == "" {
		c.Region = RegionDefault
	}
	transport, err := minio.DefaultTransport(!c.Plain)
	if err != nil {
		return nil, fmt.Errorf("prepare connections to %s: %w", c.Endpoint, err)
	}
	transport.DialContext = (&net.Dialer{Timeout: bucketTimeout}).DialContext
	transport.ResponseHeaderTimeout = bucketTimeout
	keys := credentials.NewStaticV4(c.AccessKey, c.SecretKey, "")
	if c.AccessKey == "" && c.SecretKey == "" {
		keys = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.EnvMinio{}})
	}
	client, err := minio.New(c.Endpoint, &minio.Options{
		Creds: keys, Secure: !c.Plain, Transport: transport, Region: c.Region, MaxRetries: bucketAttempts,
	})
	if err != nil {
		return nil, fmt.Errorf("use the bucket %s at %s: %w", c.Bucket, c.Endpoint, err)
	}
	return &Bucket{client, c}, nil
}

func (b *Bucket) name(key Key) string { return path.Join(b.config.Prefix, key.String()) }

// Put implements Store.
func (b *Bucket) Put(ctx context.Context, key Key, body []byte) error {
	if err := key.checkBody(body); err != nil {
		return err
	}
	options := minio.PutObjectOptions{CacheControl: immutable, DisableMultipart: true}
	if k, err := sniff(body); err == nil {
		options.ContentType = k.contentType
	}
	_, err := b.client.PutObject(ctx, b.config.Bucket, b.name(key), bytes.NewReader(body), int64(len(body)), options)
	return b.failure("keep", key, err)
}

// Open implements Store. It requests the object's size at once, and its bytes when they are read.
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

// failure adds to an error what was tried, and how to fix it.
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
		advice = ": create the bucket first"
	case response.StatusCode == http.StatusForbidden:
		advice = ": check the keys and their permission to read and write there"
	}
	return fmt.Errorf("%s image %s in bucket %s at %s: %w%s", what, key, b.config.Bucket, b.config.Endpoint, err, advice)
}
