package drive_test

import (
	"fmt"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// later sets the clock of the engines that are made from now on.
func (s *scene) later(took time.Duration) {
	s.change = func(e *drive.Engine) {
		env := turnstile.System()
		env.PID, env.Signer = e.PID, s.key()
		env.Now = func() time.Time { return time.Now().Add(took) }
		e.Drive, e.Now = turnstile.Open(s.root, env), env.Now
	}
}

// What was killed in the evening has its time left in the morning, with or without the lock file
// that tells when it died, and wherever the clock was set.
func TestTimeBetweenAKillAndTheResumptionIsNotCharged(t *testing.T) {
	for name, c := range map[string]struct {
		took time.Duration
		lock string
		out  time.Duration
		then func(*scene) // between the kill and the resumption
	}{
		"over night":     {24 * time.Hour, "", 24 * time.Hour, nil},
		"a damaged lock": {24 * time.Hour, "{}", 24 * time.Hour, nil},
		"set back":       {-24 * time.Hour, "", 0, nil},
		"an agent was at work": {24 * time.Hour, "", 24 * time.Hour, func(s *scene) {
			host := s.engine(drive.Options{Only: true}).Agents.Host
			s.write(".claude/state/agents/running/x1.json", fmt.Sprintf(`{"id":"x1","pid":0,"host":%q,"agent":"a","role":"code","dir":%q,"mark":"WARP_RUN_nonesuch=1","started":"2026-01-01T00:00:00Z","parent":3999999}`, host, s.root))
		}},
		"another issue was refused": {24 * time.Hour, "", 24 * time.Hour, func(s *scene) {
			if _, err := s.engine(drive.Options{Issue: "2"}).Run(s.T.Context()); err == nil {
				s.T.Error("a second issue was begun")
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			if !s.kill(drive.Options{Issue: "1"}, "ran code", 1) {
				t.Fatal("it did not get there")
			}
			if c.lock != "" {
				s.write(".claude/locks/"+drivestate.Lease+".lock", c.lock)
			}
			s.later(c.took)
			if c.then != nil {
				c.then(s)
			}
			if !s.kill(drive.Options{Only: true}, "agent ended verify", 1) {
				t.Fatal("it did not get there")
			}
			if paused := time.Duration(s.state().State.Session.PausedSeconds) * time.Second; paused < c.out-time.Hour || paused > c.out+time.Hour {
				t.Errorf("%s were left out", paused)
			}
			s.drive(drive.Options{Only: true}, evidence.Merged)
		})
	}
}

// What was parked for a person in the evening has its time left in the morning, however often
// the same thing was in its way; and no more than its time, however often it was resumed.
func TestTimeParkedForAPersonIsNotCharged(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	later := s.later
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return agent.Result{End: agent.NoLogin, Why: "who are you"}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Person)
	later(time.Minute)
	s.drive(drive.Options{Only: true}, evidence.Person)
	later(24 * time.Hour)
	for range 2 {
		if !s.kill(drive.Options{Only: true}, "agent ended verify", 1) {
			t.Fatal("it did not get there")
		}
	}
	if paused := time.Duration(s.state().State.Session.PausedSeconds) * time.Second; paused < 23*time.Hour || paused > 25*time.Hour {
		t.Errorf("%s were left out", paused)
	}
	s.does = nil
	s.drive(drive.Options{Only: true}, evidence.Merged)
}
