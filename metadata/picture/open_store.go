package picture

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// OpenStore opens the store at an address from an operator:
//
//	(empty)                                   no store: the Store is nil, and images are not stored
//	dir                                       the folder images in dataDir
//	dir:///var/lib/strata/images              that folder
//	s3://KEY:SECRET@HOST:PORT/BUCKET/PREFIX   a bucket (see BucketConfig); ?region=NAME, ?tls=false
//
// Its errors say what to write instead. They must not reveal the secret, so they quote little of the address.
func OpenStore(address, dataDir string) (Store, error) {
	scheme, rest, ok := strings.Cut(address, "://")
	switch {
	case address == "":
		return nil, nil
	case address == "dir":
		return openDir(filepath.Join(dataDir, "images"))
	case ok && scheme == "dir":
		if !filepath.IsAbs(rest) {
			return nil, errors.New("image store: a folder is written dir:///absolute/path, with three slashes")
		}
		return openDir(filepath.Clean(rest))
	case ok && scheme == "s3":
		c, err := parseBucket(address)
		if err != nil {
			return nil, fmt.Errorf("image store: %w", err)
		}
		return openBucket(c)
	}
	return nil, errors.New("image store: want nothing, dir, dir:///absolute/path or s3://KEY:SECRET@HOST:PORT/BUCKET/PREFIX")
}

// endpoint matches a host name or IP address, optionally with a port.
var endpoint = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

func openDir(root string) (Store, error) {
	d, err := NewDir(root)
	if err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	return d, nil
}

func openBucket(c BucketConfig) (Store, error) {
	b, err := NewBucket(c)
	if err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	return b, nil
}

// parseBucket parses an address of the scheme s3. Everything up to the last @ may be the secret, so parseBucket cuts
// that off first. The rest can then appear in errors.
func parseBucket(address string) (c BucketConfig, err error) {
	rest := strings.TrimPrefix(address, "s3://")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		key, secret, ok := strings.Cut(rest[:i], ":")
		if !ok || strings.ContainsAny(rest[:i], "/?#@ ") {
			return c, errors.New("write the keys as KEY:SECRET@ with %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %, and %40 for any later @")
		}
		var keyErr, secretErr error
		c.AccessKey, keyErr = url.PathUnescape(key)
		c.SecretKey, secretErr = url.PathUnescape(secret)
		if keyErr != nil || secretErr != nil {
			return c, errors.New("the keys have a % without two hex digits after it: write %25 for %")
		}
		if c.AccessKey == "" || c.SecretKey == "" {
			return c, errors.New("one of the keys is empty: write KEY:SECRET@, or neither to take them from the environment")
		}
		rest = rest[i+1:]
	}
	u, err := url.Parse("s3://" + rest)
	if err != nil || u.Host != "" && !endpoint.MatchString(u.Host) {
		// A host that can't be parsed may be the keys, if the rest of the address was left out.
		return c, errors.New("want s3://KEY:SECRET@HOST:PORT/BUCKET/PREFIX, with a name or address for HOST and a number for PORT")
	}
	c.Endpoint = u.Host
	c.Bucket, c.Prefix, _ = strings.Cut(strings.Trim(u.Path, "/"), "/")
	if c.Endpoint == "" || c.Bucket == "" {
		return c, errors.New("want s3://KEY:SECRET@HOST:PORT/BUCKET/PREFIX, of which host and bucket are never empty")
	}
	return c, c.set(u)
}

// set sets the options in the query of an address.
func (c *BucketConfig) set(u *url.URL) error {
	if u.Fragment != "" {
		return errors.New("the address has a #: write %23 for #")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return fmt.Errorf("what follows the ?: %w", err)
	}
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "region":
			c.Region = value
		case "tls":
			secure, err := strconv.ParseBool(value)
			if err != nil {
				return fmt.Errorf("tls=%q: want true or false", value)
			}
			c.Plain = !secure
		default:
			return fmt.Errorf("unknown option %q: the options are region and tls", name)
		}
	}
	return nil
}
