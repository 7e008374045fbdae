//go:build unix

package demo

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit/agenttest"
)

const wellDone = `{"type":"text","session":"s","text":"I begin."}` + "\n" + `{"type":"result","session":"s","end":"done","text":"` + agenttest.Words + `","result":{}}` + "\n"

// streams are what the agent does not say by itself, said by a script.
var streams = map[agenttest.Behaviour]func(io.Writer){
	agenttest.Invalid: say(`{"type":"result","end":"done","text":"no","result":` + agenttest.NoVerdict + `}`),
	agenttest.Quoted:  say(fmt.Sprintf(`{"type":"result","end":"done","text":%q,"result":{}}`, agenttest.Quote)),
	agenttest.LongLine: func(w io.Writer) {
		fmt.Fprintf(w, "{\"type\":\"text\",\"text\":\"%s\"}\n%s", strings.Repeat("x", agenttest.Long), wellDone)
	},
	agenttest.Many: func(w io.Writer) {
		for i := range agenttest.Events {
			fmt.Fprintf(w, "{\"type\":\"tool\",\"tool\":\"read\",\"input\":\"file %d\",\"denied\":true}\n", i)
		}
		fmt.Fprint(w, wellDone)
	},
}

func say(line string) func(io.Writer) { return func(w io.Writer) { fmt.Fprintln(w, line) } }

// switched are what the agent shows by itself.
var switched = map[agenttest.Behaviour]string{agenttest.Limit: limit, agenttest.Hang: hang, agenttest.Crash: hang, agenttest.Cancel: hang, agenttest.Leaves: orphan, agenttest.Holds: orphan}

// signs are what the agent makes where the suite looks for a file.
var signs = map[agenttest.Behaviour]string{agenttest.ToolUse: "demo_ac_01.txt", agenttest.ReadOnly: "demo_ac_01.txt", agenttest.Leaves: orphanFile}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Case{
		Name: Name,
		Show: show,
		Not: map[agenttest.Behaviour]string{
			agenttest.E401: "it needs no login", agenttest.E402: "it costs nothing", agenttest.E404: "it has no model", agenttest.Refusal: "it refuses nothing",
			agenttest.Incomplete: "it leaves nothing out",
			agenttest.E429:       noInterface, agenttest.E529: noInterface, agenttest.E500: noInterface, agenttest.Broken: noInterface,
		},
	})
}

const noInterface = "it calls no interface over a network"

func show(t *testing.T, b agenttest.Behaviour) agenttest.Scene {
	dir := t.TempDir()
	s := agenttest.Scene{
		Environ: os.Environ(), Dir: dir, Prompt: "- [ ] AC-01: the one thing", Idle: 2 * time.Second,
		// That it goes on under its name, whatever it is asked, is all the
		// memory it has; the suite compares the names.
		Remembers: func() bool { return true },
	}
	path := self(t)
	switch {
	case streams[b] != nil:
		path = agenttest.Replay(t, streams[b])
	case b == agenttest.Budget:
		path = agenttest.Program(t, `i=0; while :; do i=$((i+1000)); echo "{\"type\":\"usage\",\"usage\":{\"input_tokens\":$i}}"; sleep 0.2; done`)
	case b == agenttest.Structured:
		s.Prompt = "Are you done?" // with nothing to do, it is
	}
	if sign := signs[b]; sign != "" {
		if err := os.Symlink(sign, filepath.Join(dir, agenttest.Made)); err != nil {
			t.Fatal(err)
		}
	}
	s.Adapter = New(Options{Path: path, Misbehave: switched[b]})
	return s
}
