//go:build unix

package crash

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/testkit/need"
)

// points runs a scene undisturbed and returns the points that it passes.
func (p *project) points(env ...string) (list []string, out string) {
	p.t.Helper()
	file := filepath.Join(p.dir, "points")
	out, exit := p.run(append(env, "WARP_POINTS="+file), p.scene.drive()...)
	if exit != p.scene.exit {
		p.t.Fatalf("undisturbed: exit %d, want %d\n%s", exit, p.scene.exit, out)
	}
	return strings.Fields(p.read(file)), out
}

// TestCrashes kills warp after each point of each kind of drive, goes on, and
// holds what comes of it against the undisturbed drive.
func TestCrashes(t *testing.T) {
	for _, s := range scenes {
		if !complete() && len(s.sample) == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			template := s.template(t)
			calm := s.fresh(t, template)
			all, _ := calm.points()
			want := calm.account()
			runs := len(calm.rows("run"))
			try := deaths(t, all, s.sample)
			rows := make([]string, len(try))
			t.Cleanup(func() { t.Log("\n" + strings.Join(rows, "\n")) })
			for i, points := range try {
				point := strings.Join(points, " ")
				t.Run(point, func(t *testing.T) {
					t.Parallel()
					p := s.fresh(t, template)
					how, out, bad := p.crash(points, i%2 == 0, isOver(all, points[len(points)-1]))
					if bad == "" {
						bad = differs(want, p)
					}
					result := "the same"
					if bad != "" {
						result = "DIFFERS"
						t.Errorf("killed after %s, then %s: %s\n%s", point, how, bad, out)
					}
					rows[i] = fmt.Sprintf("row | %s | %s | %s | %+d | %s |", s.name, point, how, len(p.rows("run"))-runs, result)
				})
			}
		})
	}
}

// isOver tells whether all drives have ended at a point: what follows is about the night.
func isOver(all []string, point string) bool {
	i := slices.Index(all, point)
	return !slices.ContainsFunc(all[i+1:], func(p string) bool { return p != nightEnded })
}

const nightEnded = "night_ended#1"

// crash kills a drive after some points, one after the other, and goes on with it to its
// end: by warp resume and warp drive in turns, where both do.
func (p *project) crash(points []string, resume, last bool) (how, out, bad string) {
	p.t.Helper()
	argv, want := p.scene.drive(), p.scene.exit
	for _, point := range points {
		killed, exit := p.run([]string{"WARP_CRASH_AT=" + point}, argv...)
		out += killed + "--- killed\n"
		if exit != -1 {
			return "", out, fmt.Sprintf("it was not killed after %s, but ended with %d", point, exit)
		}
		argv = p.scene.drive()
		if p.scene.exit == 130 || resume && !p.scene.apart && p.scene.issues == 0 { // after a stop, warp drive would begin anew
			argv = p.scene.resume()
		}
		resume = !resume
	}
	switch {
	case last && p.scene.exit == 130: // warp resume would begin anew
		argv, want = []string{"warp", "locks", "clean"}, 0
	case last: // there is nothing to go on with
		argv, want = p.scene.resume(), 2
	}
	how = strings.Join(argv[:2], " ")
	said, exit := p.run(nil, argv...)
	if exit != want {
		bad = fmt.Sprintf("exit %d, want %d", exit, want)
	}
	return how, out + said, bad
}

// differs says how a project is not as it would be undisturbed.
func differs(want []string, p *project) string {
	if left := p.alive(); len(left) > 0 {
		return "processes were left behind: " + strings.Join(left, "; ")
	}
	return cmp.Diff(want, p.account())
}

// TestKilledWhileAnAgentRuns kills warp while its agent is at work, which goes
// on without it. The next warp ends it before anything else.
func TestKilledWhileAnAgentRuns(t *testing.T) {
	t.Parallel()
	need.Linux(t) // elsewhere a process that was left behind is not found
	s := scene{level: 3, criteria: 1, agent: plays}
	calm := s.fresh(t, s.template(t))
	calm.points()
	s.agent = dies
	p := s.fresh(t, s.template(t))
	if out, exit := p.run(nil, s.drive()...); exit != -1 || len(p.alive()) == 0 {
		t.Fatalf("exit %d, left behind: %v\n%s", exit, p.alive(), out)
	}
	out, exit := p.run(nil, s.resume()...)
	if exit != 0 || !strings.Contains(out, "left over from a killed drive") {
		t.Errorf("exit %d\n%s", exit, out)
	}
	if bad := differs(calm.account(), p); bad != "" {
		t.Errorf("%s\n%s", bad, out)
	}
}
