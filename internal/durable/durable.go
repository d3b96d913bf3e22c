// Package durable replaces files so that they have either their old or their new content, whatever happens.
package durable

import (
	"os"
	"path/filepath"
)

// WriteFile replaces a file, or creates it with the given permissions. Before it returns, the content and the name are on the disk.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	temporary, err := WriteBeside(path, content, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary)
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// WriteBeside writes a new file into the folder of a path, whose name begins with that of the path, and returns its name. The caller
// renames or links it.
func WriteBeside(path string, content []byte, mode os.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
