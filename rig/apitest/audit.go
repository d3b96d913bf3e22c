package apitest

import (
	"net/http"
)

// plain takes bodies as they are.
var Plain = &http.Client{Transport: &http.Transport{DisableCompression: true}}
