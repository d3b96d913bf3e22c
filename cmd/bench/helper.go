package main

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

// parts are the roles of helper processes, which run this program, too. A helper reads questions from its standard
// input and writes answers to its standard output, in JSON. It ends with its input, so it never outlives the bench.
var parts = map[string]func(ctx context.Context, in *json.Decoder, out *json.Encoder) error{
	"handler":      serveConstants,
	"select":       selectBalances,
	"tokens":       selectTokens,
	"keys":         floodAPI,
	"outside":      serveOutside,
	"inscriptions": selectInscriptions,
	"transactions": selectTransactions,
	"node":         serveNode,
	"floor":        serveFloor,
	"rebuild":      rebuildAll,
	"audience":     followStream,
}

// partFlag is the first argument of a helper process.
const partFlag = "part"

// runPart runs a part in this process.
func runPart(ctx context.Context, name string) error {
	run, ok := parts[name]
	if !ok {
		return fmt.Errorf("there is no part %q", name)
	}
	return run(ctx, json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout))
}

// answerQuestions reads questions and writes an answer to each, until the input ends.
func answerQuestions[Q, A any](in *json.Decoder, out *json.Encoder, answer func(Q) (A, error)) error {
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

// waitForEnd waits for the end of the input.
func waitForEnd(in *json.Decoder) error {
	if err := in.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// serveHTTP starts a server on a free port of the loopback interface and returns its address.
func serveHTTP(handler http.Handler) (address string, server *http.Server, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server = &http.Server{Handler: handler} //nolint:gosec // nobody but the bench connects
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), server, nil
}

// helper is a helper process.
type helper struct {
	command *exec.Cmd
	stdin   io.Closer
	in      *json.Encoder
	out     *json.Decoder
}

func (b *bench) helper(ctx context.Context, name string) (*helper, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, program, partFlag, name)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &helper{command: command, stdin: stdin, in: json.NewEncoder(stdin), out: json.NewDecoder(stdout)}, command.Start()
}

// ask sends a question to the process and waits for the answer.
func (h *helper) ask(question, answer any) error {
	err := h.in.Encode(question)
	if err == nil {
		err = h.out.Decode(answer)
	}
	if err != nil {
		return fmt.Errorf("ask the process %q: %w", h.command.Args[2:], err)
	}
	return nil
}

func (h *helper) stop() {
	_ = h.stdin.Close()
	_ = h.command.Wait() // if the process failed, it has printed the reason, and a question to it has failed
}
