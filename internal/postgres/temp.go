package postgres

import (
	"fmt"
	"os"
)

// MkdirTemp creates a temporary folder whose subfolders may hold data directories. Under root the server runs as another
// user, who can pass through the folder. The caller removes it.
func MkdirTemp(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		_ = os.Remove(dir)
		return "", fmt.Errorf("let other users pass through %s: %w", dir, err)
	}
	return dir, nil
}
