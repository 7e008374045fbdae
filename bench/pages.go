package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"warp/internal/sys/seal"
	"warp/internal/turnstile"
)

// openPages measures the memory of warp web with many sessions and many open pages, and how long an
// update takes to reach all of them.
func openPages(b *bench) ([]figure, error) {
	const sessions, many, rounds = 1000, 100, 5
	for _, x := range []string{"warp-net", "warp-ui"} {
		if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(b.dir, x), "warp/cmd/"+x); err != nil {
			return nil, err
		}
	}
	root := filepath.Join(b.dir, "pages")
	env := turnstile.System()
	key, err := seal.Open(func(string) string { return "" }, filepath.Join(b.dir, "state", "warp"))
	if err != nil {
		return nil, err
	}
	env.Signer = key
	d := turnstile.Open(root, env)
	for n := range sessions {
		if err := iterate(d, n, n%2 == 1); err != nil {
			return nil, err
		}
	}
	const token = "a token for the figures"
	web := exec.Command(b.warp, "web", "--no-open", "--token", token)
	web.Dir, web.Stderr = root, os.Stderr
	web.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(b.dir, "state")) // the same key
	out, err := web.StdoutPipe()
	if err == nil {
		err = web.Start()
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = web.Process.Signal(os.Interrupt)
		_ = web.Wait()
	}()
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	home, _, _ := strings.Cut(first, "/?code=")
	got := make(chan spentOn, many)
	paths := []string{"/", "/money", "/money?days=7"}
	for n := range many {
		go func() {
			got <- spentOn{page: n, err: lookAt(home+"/events?page="+url.QueryEscape(paths[n%len(paths)]), token, n, got)}
		}()
	}
	shown := make([]string, many)
	wait := func(before string) error { // wait until all show the same new sum
		for slices.Contains(shown, before) {
			g := <-got
			if g.err != nil {
				return g.err
			}
			shown[g.page] = g.sum
		}
		return nil
	}
	if err := wait(""); err != nil {
		return nil, err
	}
	var slowest time.Duration
	for range rounds {
		before := shown[0]
		if err := iterate(d, 0, false); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := wait(before); err != nil {
			return nil, err
		}
		slowest = max(slowest, time.Since(began))
	}
	return []figure{
		{name: fmt.Sprintf("memory of warp web with %d sessions and %d open pages", sessions, many), value: holds(web.Process.Pid), unit: "MB", most: 150},
		{name: fmt.Sprintf("an update until it has reached all %d pages", many), value: slowest.Seconds(), unit: "s", most: 1},
	}, nil
}

// spentOn returns the sum that an open page shows.
type spentOn struct {
	page int
	sum  string
	err  error
}

var spent = regexp.MustCompile(`<dt>Spent</dt><dd>([^<]*)`)

// lookAt reports every sum that a page shows.
func lookAt(address, token string, page int, got chan<- spentOn) error {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if m := spent.FindStringSubmatch(lines.Text()); m != nil {
			got <- spentOn{page: page, sum: m[1]}
		}
	}
	return fmt.Errorf("%s: the stream ended: %w", address, lines.Err())
}
