package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
)

// Part is the role of a helper process, which runs this program, too. A helper reads questions from its standard input
// and writes answers to its standard output, in JSON. It ends with its input, so it never outlives the bench.
type Part func(ctx context.Context, in *json.Decoder, out *json.Encoder) error

// Parts are the parts of a package, by the names by which Bench.Helper starts them.
type Parts map[string]Part

// PartFlag is the first argument of a helper process. The second one is the name of its part.
const PartFlag = "part"

// Run runs a part in this process.
func (p Parts) Run(ctx context.Context, name string) error {
	part, ok := p[name]
	if !ok {
		return fmt.Errorf("there is no part %q", name)
	}
	return part(ctx, json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout))
}

// AnswerQuestions reads questions and writes an answer to each, until the input ends.
func AnswerQuestions[Q, A any](in *json.Decoder, out *json.Encoder, answer func(Q) (A, error)) error {
	for {
		var question Q
		if err := in.Decode(&question); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a, err := answer(question)
		if err != nil {
			return err
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
}

// WaitForEnd waits for the end of the input.
func WaitForEnd(in *json.Decoder) error {
	if err := in.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// ServeHelper serves HTTP as a helper process until its input ends. It writes its address.
func ServeHelper(handler http.Handler, in *json.Decoder, out *json.Encoder) error {
	address, server, err := ServeHTTP(handler)
	if err != nil {
		return err
	}
	defer server.Close() //nolint:errcheck // the process ends
	if err := out.Encode(address); err != nil {
		return err
	}
	return WaitForEnd(in)
}

// ServeHTTP starts a server on a free port of the loopback interface and returns its address.
func ServeHTTP(handler http.Handler) (address string, server *http.Server, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server = &http.Server{Handler: handler} //nolint:gosec // nobody but the bench connects
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), server, nil
}

// Helper is a helper process.
type Helper struct {
	command *exec.Cmd
	stdin   io.Closer
	in      *json.Encoder
	out     *json.Decoder
}

// Helper starts a helper process with a part.
func (b *Bench) Helper(ctx context.Context, name string) (*Helper, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, program, PartFlag, name)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Helper{command: command, stdin: stdin, in: json.NewEncoder(stdin), out: json.NewDecoder(stdout)}, command.Start()
}

// Ask sends a question to the process and waits for the answer.
func (h *Helper) Ask(question, answer any) error {
	err := h.in.Encode(question)
	if err == nil {
		err = h.out.Decode(answer)
	}
	if err != nil {
		return fmt.Errorf("ask the process %q: %w", h.command.Args[2:], err)
	}
	return nil
}

// Read waits for an answer without a question.
func (h *Helper) Read(answer any) error { return h.out.Decode(answer) }

// Pid returns the id of the process.
func (h *Helper) Pid() int { return h.command.Process.Pid }

// Stop ends the process.
func (h *Helper) Stop() {
	_ = h.stdin.Close()
	_ = h.command.Wait() // if the process failed, it has printed the reason, and a question to it has failed
}
