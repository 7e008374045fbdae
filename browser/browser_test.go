//go:build linux

package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

type screen struct{ phone, dark bool }

// screens are those that a page is looked at on: both sizes and both colours. WARP_MATRIX and
// WARP_SCREENSHOTS have all four pairs.
func screens() []screen {
	some := []screen{{phone: true, dark: true}, {}}
	if os.Getenv("WARP_MATRIX")+os.Getenv("WARP_SCREENSHOTS") != "" {
		return append(some, screen{phone: true}, screen{dark: true})
	}
	return some
}

// A night, as a person sees it in a browser: a drive asks, is answered by a button and
// goes on to merged; another is stopped by one. No page is loaded again for it.
func TestANightInTheBrowser(t *testing.T) {
	need.Tool(t, "chromium")
	p := newProject(t)
	v := newView(t, p.serve())
	v.size(false, false)
	v.shows("#column-ready", "Give it a colour")

	driven := p.drive("1", "--max-time", "30m")
	v.shows("#column-waiting", "Red or blue?")
	v.shows("#waiting", "1")
	v.shows("#column-merged", "Greet people by name")
	v.shows(".plot", "$0.")
	v.picture("web-tonight")
	v.open("/inbox")
	v.shows(".question", "Red or blue?")
	v.size(true, false)
	v.picture("web-inbox")
	v.accessible("the inbox with a question")
	v.size(false, false)
	v.click(`button[value="blue"]`, ".said")
	v.shows(".said", "q1: blue")
	v.open("/")
	driven()
	v.shows("header nav li:has(#waiting[hidden])", "Inbox")
	v.shows("#column-merged", "Give it a colour")
	if got := p.sh("git show main:colour.txt"); got != "→ blue" {
		t.Errorf("what was answered is not what was built: %q", got)
	}

	stopped := p.drive("2")
	v.shows("#column-running", "Read the history")
	v.shows("#column-running", "takes a while")
	v.open("/issue/2")
	v.click(`form[action="/do/stop/drive/2"] button`, ".said")
	stopped()
	v.open("/")
	v.shows("#column-waiting, #column-not-merged", "Read the history")

	hash := p.sh("git rev-parse main")
	v.open("/issue/1")
	v.click("details.log summary", "details.log .output")
	paths := []string{"/", "/inbox", "/history", "/health?check=now", "/issue/1", "/issue/1/diff/" + hash}
	if strings.Contains(ask[string](v, "the navigation", "document.querySelector('header nav').innerText"), "Money") {
		paths = append(paths, "/money")
	}
	for _, path := range paths {
		v.open(path)
		for _, s := range screens() {
			v.size(s.phone, s.dark)
			v.accessible(fmt.Sprintf("%s, %+v", path, s))
			if path == "/issue/1" && !s.phone && s.dark {
				v.picture("web-issue")
			}
		}
	}
	v.clean()
}
