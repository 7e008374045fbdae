//go:build unix

package fleets

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkPages looks at the fleet as a browser does, from outside of any project.
func (w *world) checkPages() {
	w.t.Helper()
	const token = "a token of the test"
	port := freePort(w.t)
	web := exec.Command(filepath.Join(bin, "warp"), "web", "--fleet", "--no-open", "--port", fmt.Sprint(port), "--token", token, "--", "--connect", w.server.Address())
	web.Dir, web.Env = w.dir, w.env
	if err := web.Start(); err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		_ = web.Process.Signal(os.Interrupt)
		_ = web.Wait()
	}()
	get := func(path string) string { // "": it does not listen yet
		r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return ""
		}
		defer a.Body.Close()
		text, _ := io.ReadAll(a.Body)
		return string(text)
	}
	w.await("the page of the fleet", func() bool { return strings.Contains(get("/fleet"), "repo2#1") })
	if page := get("/fleet/repo1/1"); !strings.Contains(page, "AC-01") || !strings.Contains(page, "it is there") {
		w.t.Errorf("there is no evidence on\n%s", page)
	}
}
