//go:build unix

package crash

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var guided = scene{name: "guided", level: 3, criteria: 4, agent: plays,
	sample: []string{"agent_ended_code#1", "committed_in_git#1", "ran_code#1", "merged_in_git#1"}}

// wantedIDs are the criteria of a prompt's chunk.
var wantedIDs = regexp.MustCompile(`(?m)^(AC-\d+): `)

// mind plays a session: it asks what is wanted and does it, until nothing is. Killed
// says that its engine was.
func (p *project) mind(env ...string) (out string, exit int, killed bool) {
	p.t.Helper()
	argv := []string{"warp", "next", "1"}
	env = append(env, "CLAUDE_CODE_SESSION_ID=s1")
	for {
		said, exit := p.run(env, argv...)
		out += said
		argv = []string{"warp", "next"}
		_, prompt, wanted := strings.Cut(said, "WANTED from you")
		switch {
		case strings.Contains(said, "without a message"):
			return out, exit, true
		case !wanted:
			return out, exit, false
		case strings.Contains(prompt, "draft an approach"):
			argv = append(argv, "--result", `{"approach":"one file for each"}`)
		default:
			chunk, _, _ := strings.Cut(prompt, "Rules:")
			for _, id := range wantedIDs.FindAllStringSubmatch(chunk, -1) {
				if err := os.WriteFile(filepath.Join(p.root, id[1]+".txt"), []byte(id[1]+"\n"), 0o644); err != nil {
					p.t.Fatal(err)
				}
			}
			argv = append(argv, "--result", `{"summary":"done"}`)
		}
	}
}

// TestGuidedAndHeadless begins a drive with a session as its mind and finishes it with
// agents alone, and the other way round, the engine killed after each point between:
// the end is that of the undisturbed drive. The sample is one drive that takes
// turns.
func TestGuidedAndHeadless(t *testing.T) {
	t.Parallel()
	s := guided
	template := s.template(t)
	setUp := s.fresh(t, template)
	setUp.sh("warp config set level 3 && warp config set agent command")
	template = setUp.dir
	calm := s.fresh(t, template)
	all, _ := calm.points()
	want := calm.account()

	alone := s.fresh(t, template)
	out, exit, killed := alone.mind("WARP_POINTS=" + alone.dir + "/points")
	if exit != 0 || killed {
		t.Fatalf("exit %d, killed %v\n%s", exit, killed, out)
	}
	if bad := differs(want, alone); bad != "" {
		t.Errorf("with a session as its mind it ends otherwise: %s\n%s", bad, out)
	}
	points := strings.Fields(alone.read(alone.dir + "/points"))
	all = slices.DeleteFunc(all, func(p string) bool { return p == nightEnded }) // a session has no night
	if !slices.Equal(points, all) {
		t.Errorf("other points are passed:\n%s\n%s", points, all)
	}
	if !complete() {
		p := s.fresh(t, template)
		for i, point := range s.sample {
			crash := "WARP_CRASH_AT=" + point
			if i%2 == 0 {
				out, _, killed = p.mind(crash)
			} else {
				out, exit = p.run([]string{crash}, s.drive()...)
				killed = exit == -1
			}
			if !killed {
				t.Fatalf("it was not killed after %s\n%s", point, out)
			}
		}
		out, exit, _ := p.mind()
		if bad := differs(want, p); bad != "" || exit != 0 {
			t.Errorf("by turns: exit %d: %s\n%s", exit, bad, out)
		}
		return
	}
	last := all[len(all)-1]
	for _, point := range all {
		t.Run("guided, then headless/"+point, func(t *testing.T) {
			t.Parallel()
			p := s.fresh(t, template)
			before, _, killed := p.mind("WARP_CRASH_AT=" + point)
			if !killed {
				t.Fatalf("it was not killed\n%s", before)
			}
			argv, ends := s.drive(), 0
			if point == last { // nothing is left to go on with
				argv, ends = s.resume(), 2
			}
			out, exit := p.run(nil, argv...)
			if bad := differs(want, p); bad != "" || exit != ends {
				t.Errorf("exit %d: %s\n%s--- killed\n%s", exit, bad, before, out)
			}
		})
		t.Run("headless, then guided/"+point, func(t *testing.T) {
			t.Parallel()
			p := s.fresh(t, template)
			before, exit := p.run([]string{"WARP_CRASH_AT=" + point}, s.drive()...)
			if exit != -1 {
				t.Fatalf("it was not killed\n%s", before)
			}
			ends := 0
			if point == last { // its issue is closed
				ends = 13
			}
			out, exit, killed := p.mind()
			if bad := differs(want, p); bad != "" || exit != ends || killed {
				t.Errorf("exit %d, killed %v: %s\n%s--- killed\n%s", exit, killed, bad, before, out)
			}
		})
	}
}
