//go:build !linux && !darwin

package importer

// freeSpace is not known here.
func freeSpace(string) (bytes uint64, known bool, err error) { return 0, false, nil }
