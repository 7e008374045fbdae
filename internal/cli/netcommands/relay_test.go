package netcommands

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/hook"
	"warp/internal/turnstile"
)

// around is what a hook inside of a sandbox has: no state that it could write.
func around(dir, socket, payload string, out, errs *bytes.Buffer) hook.Env {
	return hook.Env{
		In: strings.NewReader(payload), Out: out, Err: errs, Dir: func() string { return dir }, System: turnstile.Bare(),
		Getenv: func(name string) string {
			return map[string]string{hook.RelayVariable: socket, "WARP_ROLE": "code", "HOME": "/nonexistent"}[name]
		},
	}
}

// A hook that is called inside is answered outside, in its own words and with its
// own exit code.
func TestAHookIsAnsweredOutside(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "relay-") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "hook.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	took := make(chan string, 2)
	go serveHooks(l, hook.Env{Getenv: os.Getenv, Origin: hook.Origin{Dir: dir}, System: turnstile.Bare()}, func(event string, d time.Duration) { took <- fmt.Sprint(event, d > 0) })
	var out, errs bytes.Buffer
	if code := hook.Run([]string{"--agent", "nobody", "PreToolUse"}, around(dir, socket, "{}", &out, &errs)); code != 1 || !strings.Contains(errs.String(), `there is no agent "nobody"`) {
		t.Errorf("%d, %q", code, errs.String())
	}
	errs.Reset()
	if code := hook.Run([]string{"PreToolUse"}, around(dir, socket, `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, &out, &errs)); code != 0 {
		t.Errorf("without a drive a call was denied: %d, %s %s", code, out.String(), errs.String())
	}
	for _, want := range []string{"othertrue", "PreToolUsetrue"} { // of what it was, and how long
		if got := <-took; got != want {
			t.Errorf("a hook was measured as %s, want %s", got, want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// Without an answer a guard denies, and an observer lets pass.
	errs.Reset()
	if code := hook.Run([]string{"PreToolUse"}, around(dir, socket, "{}", &out, &errs)); code != 2 || !strings.Contains(errs.String(), "does not answer") {
		t.Errorf("%d, %q", code, errs.String())
	}
	if code := hook.Run([]string{"PostToolUse"}, around(dir, socket, "{}", &out, &errs)); code != 0 {
		t.Errorf("an observer disturbs: %d", code)
	}
}

// What is no question gets no answer.
func TestNonsenseIsNotAnswered(t *testing.T) {
	inside, outside := net.Pipe()
	l := once{outside}
	go serveHooks(&l, hook.Env{Getenv: os.Getenv, System: turnstile.Bare()}, func(string, time.Duration) { t.Error("it was answered") })
	if _, err := inside.Write([]byte("nonsense\n")); err != nil {
		t.Fatal(err)
	}
	if n, err := inside.Read(make([]byte, 10)); err == nil {
		t.Errorf("%d bytes came back", n)
	}
}

type once struct{ c net.Conn }

func (o *once) Accept() (net.Conn, error) {
	if o.c == nil {
		return nil, net.ErrClosed
	}
	c := o.c
	o.c = nil
	return c, nil
}
func (o *once) Close() error   { return nil }
func (o *once) Addr() net.Addr { return nil }
