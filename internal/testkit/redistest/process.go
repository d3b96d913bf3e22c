package redistest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"strata/internal/testkit/serverrig"
)

// process is a running redis-server.
type process struct {
	*serverrig.Process
	output string // path of its log
}

// launch starts the program in a working directory.
func launch(program, dir string, arguments []string) (*process, error) {
	output := filepath.Join(dir, "output")
	file, err := os.OpenFile(output, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // the server has its own descriptor
	cmd := exec.Command(program, arguments...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = dir, file, file, dieWithParent()
	started, err := serverrig.Start(cmd)
	return &process{started, output}, err
}

// kill ends the process, even if it is paused, and returns when it is gone. A graceful shutdown would save nothing.
func (p *process) kill() error { return p.End(os.Kill, time.Minute) }

// failure returns err together with the output of the process.
func (p *process) failure(err error) error {
	printed, readErr := os.ReadFile(p.output)
	if readErr != nil {
		return err
	}
	return fmt.Errorf("%w; it printed:\n%s", err, printed)
}
