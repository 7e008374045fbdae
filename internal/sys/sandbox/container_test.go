package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
)

// standIn is a docker that writes its arguments down, and runs what stands behind the
// image's name with the variables that it was told of and no others.
const standIn = `#!/bin/bash
printf '%s\n' "$@" > "$RECORD"
shift; env=(PATH="$PATH"); dir=/
while [ "$1" != image ]; do
	case $1 in -e) env+=("$2=${!2}"); shift;; -w) dir=$2; shift;; -v|--tmpfs) shift;; esac
	shift
done
shift; cd "$dir" && exec env -i "${env[@]}" "$@"
`

// A container gets the profile as arguments: paths, names of variables, never their
// values.
func TestContainer(t *testing.T) {
	dir := t.TempDir()
	docker, record := filepath.Join(dir, "docker"), filepath.Join(dir, "record")
	must(t, os.WriteFile(docker, []byte(standIn), 0o755))
	t.Setenv("RECORD", record)
	box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Container, Container: []string{docker, "run", "--rm", "-i", "{env}", "{binds}", "--workdir={tree}", "-w", "{dir}", "image"}})
	must(t, err)
	s := newScene(t, sandbox.Off)
	s.profile.Env = append(s.profile.Env, "AGENT_KEY=hunter2", "RECORD="+record)
	s.profile.Sockets = t.TempDir()
	s.box = box
	if res := s.run(t, `echo "$AGENT_KEY:$OTHER:$PWD"`); strings.TrimSpace(string(res.Stdout)) != "hunter2::"+s.project {
		t.Errorf("exit %d, %s", res.Exit, res.Output)
	}
	text, err := os.ReadFile(record)
	must(t, err)
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("a value is in the arguments:\n%s", text)
	}
	words := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, want := range [][]string{
		{"-v", s.project + ":" + s.project}, {"-v", s.project + "/.git:" + s.project + "/.git:ro"}, {"-v", s.project + "/.claude:" + s.project + "/.claude:ro"},
		{"-v", s.project + "/.claude/answer:" + s.project + "/.claude/answer"}, {"--tmpfs", s.home}, {"-e", "AGENT_KEY"}, {"-e", "HOME"},
		{"-v", s.profile.Sockets + ":" + s.profile.Sockets + ":ro"}, {"--workdir=" + s.project}, {"-w", s.project, "image", "sh", "-c"},
	} {
		if !holds(words, want) {
			t.Errorf("%q is not there:\n%s", want, text)
		}
	}
	if holds(words, []string{"-e", "PATH"}) {
		t.Error("the image's PATH is replaced")
	}
}

// holds tells whether words follow each other in a list.
func holds(list, words []string) bool {
	for i := range list {
		if i+len(words) <= len(list) && slices.Equal(list[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

// The real thing, where there is one that has an image with a shell.
func TestARealContainer(t *testing.T) {
	const image = "busybox"
	for _, program := range []string{"podman", "docker"} {
		if exec.Command(program, "image", "inspect", image).Run() != nil {
			continue
		}
		box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Container, Container: []string{program, "run", "--rm", "-i", "--network=none", "{env}", "{binds}", "-w", "{dir}", image}})
		must(t, err)
		s := newScene(t, sandbox.Off)
		c, err := box.Wrap(proc.Cmd{Argv: []string{"sh", "-c", "cat code.txt; (echo x > .git/HEAD) 2>/dev/null || echo held"}, Dir: s.project}, s.profile)
		must(t, err)
		if res, err := proc.Run(t.Context(), c); err != nil || strings.TrimSpace(string(res.Stdout)) != "codeheld" {
			t.Errorf("%v, %s", err, res.Output)
		}
		return
	}
	need.NotRun(t, "neither podman nor docker runs here with the image "+image)
}
