package apitest

// Invalid returns the body of the answer to a request with a parameter that matches no schema.
func Invalid(message string) string {
	return `{"statusCode":400,"code":"FST_ERR_VALIDATION","error":"Bad Request","message":"` + message + `"}`
}

// BadRequest returns the body of the answer to a request that makes no sense.
func BadRequest(message string) string {
	return `{"statusCode":400,"error":"Bad Request","message":"` + message + `"}`
}

// NotFound returns the body of an answer with status 404.
func NotFound(message string) string {
	return `{"statusCode":404,"error":"Not Found","message":"` + message + `"}`
}
