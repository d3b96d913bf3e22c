package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// parts are what a process of this program can be besides the bench itself: it is asked on its standard input and answers on
// its standard output, in JSON. It ends when there are no more questions, so that it never outlives the bench.
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

// partFlag is the first argument of such a process.
const partFlag = "part"

// part is this process as one of the parts.
func part(ctx context.Context, name string) error {
	run, ok := parts[name]
	if !ok {
		return fmt.Errorf("there is no part %q", name)
	}
	return run(ctx, json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout))
}

// helper is a process that plays a part.
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

// ask asks the process something and waits for its answer.
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
	_ = h.command.Wait() // if it failed, it has said why, and a question to it has failed
}
