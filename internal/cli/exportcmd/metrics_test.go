package exportcmd

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// Metrics are served until the command is interrupted, to those who ask this machine by
// its own name.
func TestMetricsAreServed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, said := io.Pipe()
	a := &app.App{Out: said, Err: io.Discard, Env: turnstile.System()}
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, a, feed.Open(turnstile.Open(dir, a.Env), a.Env), "127.0.0.1:0") }()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(line[:n]), "http://")
	address, _, _ := strings.Cut(rest, "/metrics")
	for host, want := range map[string]int{address: http.StatusOK, "localhost" + address[strings.IndexByte(address, ':'):]: http.StatusOK, "evil.example": http.StatusForbidden} {
		r, err := http.NewRequest(http.MethodGet, "http://"+address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		if err != nil || got.Body.Close() != nil || got.StatusCode != want || strings.Contains(string(body), "warp_questions_waiting 0") != (want == http.StatusOK) {
			t.Errorf("%s: %d %s %v", host, got.StatusCode, body, err)
		}
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestOnlyThisMachineIsServed(t *testing.T) {
	for address, fine := range map[string]bool{"127.0.0.1:9464": true, "localhost:0": true, "[::1]:1": true, "0.0.0.0:9464": false, ":9464": false, "9464": false, "10.0.0.1:1": false, "localhost.evil.example:1": false} {
		if err := checkLoopback(address); (err == nil) != fine {
			t.Errorf("%s: %v", address, err)
		}
	}
}
