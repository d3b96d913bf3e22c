package program

// MismatchError marks an error that reports differences found by a comparison. Such errors have an exit code of their own,
// so that scripts can tell them from failures.
type MismatchError struct{ Err error }

func (e MismatchError) Error() string { return e.Err.Error() }

func (e MismatchError) Unwrap() error { return e.Err }
