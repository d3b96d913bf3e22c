package proxy

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"strata/cmd/bench/internal/bench"
)

// nginxConfig makes nginx forward requests to one node over persistent connections, without features that Strata lacks.
// On its second port nginx also caches answers.
const nginxConfig = `daemon off;
worker_processes auto;
pid %[1]s/nginx.pid;
events { worker_connections 1024; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	proxy_cache_path %[1]s/cache keys_zone=answers:16m max_size=64m;
	keepalive_requests 1000000000;
	tcp_nodelay on;
	upstream node {
		server %[2]s;
		keepalive 128;
		keepalive_requests 1000000000;
	}
	proxy_http_version 1.1;
	proxy_set_header Connection "";
	server {
		listen %[3]s;
		location / { proxy_pass http://node; }
	}
	server {
		listen %[4]s;
		location / {
			proxy_pass http://node;
			proxy_cache answers;
			proxy_cache_valid 200 30s;
			proxy_cache_lock on;
		}
	}
}
`

// nginx is a separate instance, independent of the system's configuration.
type nginx struct {
	command           *exec.Cmd
	forwards, keeping string // addresses
}

func (b *Bench) startNginx(ctx context.Context, node string) (*nginx, error) {
	program, err := exec.LookPath("nginx")
	if err != nil { // it may be outside the PATH of ordinary users
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			return nil, fmt.Errorf("%w: install Debian's package nginx-light, or your system's", err)
		}
	}
	dir := filepath.Join(b.Dir, "nginx")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	n := &nginx{}
	for _, address := range []*string{&n.forwards, &n.keeping} {
		if *address, err = bench.FreePort(); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxConfig, dir, node, n.forwards, n.keeping), 0o644); err != nil {
		return nil, err
	}
	n.command = exec.CommandContext(ctx, program, "-p", dir, "-c", file, "-e", "stderr")
	n.command.Stderr = os.Stderr
	n.command.Cancel = func() error { return n.command.Process.Signal(syscall.SIGTERM) } // SIGKILL would leave its workers
	if err := n.command.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", n.keeping)
		if err == nil {
			return n, conn.Close()
		}
		if time.Now().After(deadline) {
			n.stop()
			return nil, fmt.Errorf("nginx does not answer: %w", err)
		}
	}
}

func (n *nginx) pid() int { return n.command.Process.Pid }

func (n *nginx) stop() {
	_ = n.command.Process.Signal(syscall.SIGTERM)
	_ = n.command.Wait()
}
