//go:build linux

package browser

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"warp/internal/testkit/need"
)

// limit is how long a page may take to become what is waited for, on a machine that is
// busy with other tests.
const limit = 90 * time.Second

// view is a browser that looks at the pages.
type view struct {
	*testing.T
	ctx  context.Context
	home string // the server's address

	mu       sync.Mutex
	wrong    []string // what the console said
	requests []string
}

func newView(t *testing.T, first string) *view {
	t.Helper()
	at, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(need.Tool(t, "chromium")), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		end()
		endAll()
	})
	v := &view{T: t, ctx: ctx, home: at.Scheme + "://" + at.Host}
	v.listen()
	v.run("the first address", chromedp.Navigate(first), chromedp.WaitVisible(chromedp.CSS("#column-ready")))
	return v
}

// listen takes down what pages complain about and ask for, and confirms what they ask.
func (v *view) listen() {
	console, requests, dialogs := chromedp.Console(v.ctx), chromedp.Events(v.ctx, network.RequestWillBeSent), chromedp.Events(v.ctx, page.JavascriptDialogOpening)
	if _, err := chromedp.Call(v.ctx, network.Enable, network.EnableParams{}); err != nil {
		v.Fatal(err)
	}
	go func() {
		for m := range console {
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning || m.IsException() {
				v.note(&v.wrong, m.String()+" "+m.URL)
			}
		}
	}()
	go func() {
		for r := range requests {
			if r.Request != nil {
				v.note(&v.requests, r.Request.URL)
			}
		}
	}()
	go func() {
		for _, err := range dialogs {
			if err == nil {
				_, _ = chromedp.Call(v.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}) // without it the test waits in vain
			}
		}
	}()
}

func (v *view) note(list *[]string, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	*list = append(*list, text)
}

func (v *view) run(what string, actions ...chromedp.Action[chromedp.Void]) {
	v.Helper()
	ctx, end := context.WithTimeout(v.ctx, limit)
	defer end()
	v.must(what, chromedp.Do(ctx, actions...))
}

// ask is the value of an expression, in the page.
func ask[T any](v *view, what, expression string) T {
	v.Helper()
	ctx, end := context.WithTimeout(v.ctx, limit)
	defer end()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	v.must(what, err)
	return value
}

func (v *view) must(what string, err error) {
	v.Helper()
	if err != nil {
		text, _ := chromedp.Run(v.ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText")) // to say more
		v.Fatalf("%s: %v\n%s", what, err, text)
	}
}

// shows waits until an element has some words.
func (v *view) shows(selector, words string) {
	v.Helper()
	s, _ := json.Marshal(selector)
	w, _ := json.Marshal(words)
	ctx, end := context.WithTimeout(v.ctx, limit)
	defer end()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool]("[...document.querySelectorAll("+string(s)+")].some(e => e.innerText.includes("+string(w)+"))", chromedp.WithPollingTimeout(limit)))
	v.must(selector+" shows "+words, err)
}

func (v *view) open(path string) {
	v.Helper()
	v.run(path, chromedp.Navigate(v.home+path), chromedp.WaitVisible(chromedp.CSS("main h1")))
}

// click presses a button, and waits for what it leads to.
func (v *view) click(button, until string) {
	v.Helper()
	v.run(button, chromedp.Click(chromedp.CSS(button)), chromedp.WaitVisible(chromedp.CSS(until)))
}

// size makes the screen a phone's or a desktop's, dark or light.
func (v *view) size(phone, dark bool) {
	v.Helper()
	screen, scheme := emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 860, DeviceScaleFactor: 1}, "light"
	if phone {
		screen.Width, screen.Height, screen.Mobile = 390, 844, true
	}
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(v.ctx, emulation.SetDeviceMetricsOverride, screen)
	v.must("the size", err)
	_, err = chromedp.Call(v.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	v.must("the colours", err)
}

// clean wants that nothing complained, and that nothing was asked of another server.
func (v *view) clean() {
	v.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, w := range v.wrong {
		v.Errorf("the console: %s", w)
	}
	for _, r := range v.requests {
		if !strings.HasPrefix(r, v.home+"/") {
			v.Errorf("a request to elsewhere: %s", r)
		}
	}
	if len(v.requests) == 0 {
		v.Error("no request was seen")
	}
}

// accessible wants no serious finding of axe, and no page that is wider than its screen.
func (v *view) accessible(at string) {
	v.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		v.Fatal(err)
	}
	axe, err := os.ReadFile(filepath.Join(cache, "warp-drive", "axe-4.14.0", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		need.NotRun(v.T, "axe-core is not installed by scripts/setup")
	}
	type finding struct {
		ID     string   `json:"id"`
		Impact string   `json:"impact"`
		Help   string   `json:"help"`
		Nodes  []string `json:"nodes"`
	}
	if !ask[bool](v, "axe", `"axe" in window`) { // a page that is looked at again has it
		ask[int](v, "axe", string(axe)+";0")
	}
	found := ask[[]finding](v, "what axe finds", `axe.run().then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map(n => n.html.slice(0, 200))})))`)
	for _, f := range found {
		v.Errorf("%s: %s %s: %s\n%s", at, f.Impact, f.ID, f.Help, strings.Join(f.Nodes, "\n"))
	}
	if wide := ask[int](v, "the width", "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
		v.Errorf("%s is %d pixels wider than its screen", at, wide)
	}
	if cut := ask[int](v, "the navigation", "Math.max(...[...document.querySelectorAll('header nav, header nav ul')].map(e => e.scrollWidth - e.clientWidth))"); cut > 0 {
		v.Errorf("%s: %d pixels of the navigation are out of sight", at, cut)
	}
}

// picture keeps the screen as a file where WARP_SCREENSHOTS names a folder.
func (v *view) picture(name string) {
	v.Helper()
	dir := os.Getenv("WARP_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	v.must("the picture", err)
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		v.Fatal(err)
	}
}
