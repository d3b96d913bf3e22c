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
type Part func(ctx context.Context, in *json.Decoder, out *json.Encoder)

// Parts are parts, by the names by which Bench.Helper starts them.
type Parts map[string]Part

// PartFlag is the first argument of a helper process. The second one is the name of its part.
const PartFlag = "part"

// Run runs a part in this process.
func (p Parts) Run(ctx context.Context, name string) {
	part, ok := p[name]
	if !ok {
		Check(fmt.Errorf("there is no part %q", name))
	}
	part(ctx, json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout))
}

// AnswerQuestions reads questions and writes an answer to each, until the input ends.
func AnswerQuestions[Q, A any](in *json.Decoder, out *json.Encoder, answer func(Q) A) {
	for {
		var question Q
		err := in.Decode(&question)
		if errors.Is(err, io.EOF) {
			return
		}
		Check(err)
		Check(out.Encode(answer(question)))
	}
}

// WaitForEnd waits for the end of the input.
func WaitForEnd(in *json.Decoder) {
	if err := in.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		Check(err)
	}
}

// ServeHelper serves HTTP as a helper process until its input ends. It writes its address.
func ServeHelper(handler http.Handler, in *json.Decoder, out *json.Encoder) {
	address, server := ServeHTTP(handler)
	defer server.Close() //nolint:errcheck // the process ends
	Check(out.Encode(address))
	WaitForEnd(in)
}

// ServeHTTP starts a server on a free port of the loopback interface and returns its address.
func ServeHTTP(handler http.Handler) (address string, server *http.Server) {
	listener := Must(net.Listen("tcp", "127.0.0.1:0"))
	server = &http.Server{Handler: handler} //nolint:gosec // nobody but the bench connects
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), server
}

// Helper is a helper process.
type Helper struct {
	command *exec.Cmd
	stdin   io.Closer
	in      *json.Encoder
	out     *json.Decoder
}

// Helper starts a helper process with a part.
func (b *Bench) Helper(ctx context.Context, name string) *Helper {
	program := Must(os.Executable())
	command := exec.CommandContext(ctx, program, PartFlag, name)
	command.Stderr = os.Stderr
	stdin := Must(command.StdinPipe())
	stdout := Must(command.StdoutPipe())
	Check(command.Start())
	return &Helper{command: command, stdin: stdin, in: json.NewEncoder(stdin), out: json.NewDecoder(stdout)}
}

// Ask sends a question to the process and waits for the answer.
func (h *Helper) Ask(question, answer any) {
	err := h.in.Encode(question)
	if err == nil {
		err = h.out.Decode(answer)
	}
	CheckOf(fmt.Sprintf("ask the process %q", h.command.Args[2:]), err)
}

// Read waits for an answer without a question.
func (h *Helper) Read(answer any) { Check(h.out.Decode(answer)) }

// Pid returns the id of the process.
func (h *Helper) Pid() int { return h.command.Process.Pid }

// Stop ends the process.
func (h *Helper) Stop() {
	_ = h.stdin.Close()
	_ = h.command.Wait() // if the process failed, it has printed the reason, and a question to it has failed
}
