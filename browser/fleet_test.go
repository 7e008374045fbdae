//go:build linux

package browser

import (
	"os"
	"path/filepath"
	"testing"

	"warp/internal/testkit/gittest"
	"warp/internal/testkit/need"
)

// fleetScript stands in for warp-fleet: it shows a file whenever that changes, and an
// answer changes it.
const fleetScript = `#!/bin/sh
cd "$FLEET" || exit 1
case $1 in
show) cat show.json ;;
answer) cp after.json next.json && mv next.json view.json && echo "goes on with $4" ;;
watch) while :; do now=$(cat view.json); [ "$now" = "$last" ] || echo "$now"; last=$now; sleep 0.1; done ;;
esac
`

const (
	fleetBegin = `{"fleet":"owls","merged":1,"machines":[{"name":"atlas","used":1,"slots":2}],"queue":[],"parked":[],"done":[],"trains":[{"repo":"shop","line":["shop#45"],"turn":true}],"purse":{"settled_micro_usd":2500000,"reserved_micro_usd":0,"cap_micro_usd":10000000},`
	fleetAsks  = fleetBegin + `"running":[{"repo":"shop","issue":"45","title":"Keep drafts","state":"running","worker":"atlas","since":"2026-11-14T20:00:00Z","spent":{},"ask":{"id":"q","text":"SQLite or files?","options":["sqlite","files"]}}]}`
	fleetGoes  = fleetBegin + `"running":[{"repo":"shop","issue":"45","title":"Keep drafts","state":"running","worker":"atlas","since":"2026-11-14T20:00:00Z","spent":{},"phase":"coding","doing":"Edit drafts.go"}]}`
	fleetShown = `{"repo":"shop","issue":"45","state":"running","spent":{},"steps":3,"evidence":{"issue":"45","criteria":[{"id":"AC-01","text":"Drafts are kept","status":"met","met":true,"commits":[],"gates":[],"tests":[],"verdict":{"id":"AC-01","met":true,"reason":"drafts_test.go"}}]}}`
)

// A fleet, as a person sees it in a browser: it asks, is answered by a button, and the page
// follows without being loaded again.
func TestAFleetInTheBrowser(t *testing.T) {
	need.Tool(t, "chromium")
	p := newProject(t)
	dir := gittest.Dir(t)
	for name, text := range map[string]string{"view.json": fleetAsks, "after.json": fleetGoes, "show.json": fleetShown} {
		gittest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	gittest.Must(t, os.WriteFile(filepath.Join(bin, "warp-fleet"), []byte(fleetScript), 0o755))
	p.env = append(p.env, "FLEET="+dir)
	v := newView(t, p.serve("--fleet"))
	v.open("/fleet")
	v.shows("main", "asks: SQLite or files?")
	for _, phone := range []bool{true, false} {
		v.size(phone, phone)
		v.accessible("the fleet")
	}
	v.open("/fleet/shop/45")
	v.shows("main", "met: drafts_test.go")
	v.accessible("a requirement with a question")
	v.click(`button[value="files"]`, ".said")
	v.shows(".said", "goes on with")
	v.shows("main", "Edit drafts.go")
	v.open("/fleet")
	gittest.Must(t, os.WriteFile(filepath.Join(dir, "view.json"), []byte(fleetAsks), 0o600))
	v.shows("main", "asks: SQLite or files?")
	v.clean()
}
