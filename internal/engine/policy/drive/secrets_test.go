package drive_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/leak"
	"warp/internal/engine/policy/drive"
)

const leaked = "v4lue-of-the-deploy-key"

// scanned has the engine know a secret of the environment.
func (s *scene) scanned() *leak.Ledger {
	getenv := func(name string) string { return map[string]string{"XDG_STATE_HOME": s.dir + "/user"}[name] }
	ledger := leak.OpenLedger(getenv, time.Now, os.Getpid())
	s.change = func(e *drive.Engine) {
		e.Leaks = leak.New(leak.Options{Environ: []string{"DEPLOY_KEY=" + leaked}, Root: s.root, Allowed: ledger})
	}
	return ledger
}

// published is everything that the remote has of the secret.
func (s *scene) published() string {
	s.Helper()
	return s.sh("git -C ../origin.git log -p --all --format= | grep -c -e " + leaked + " || true")
}

func TestASecretGoesBackToItsAgent(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.scanned()
	runs := 0
	s.does = func(t agent.Task) any {
		if t.Role != agent.Code && t.Role != agent.Fix {
			return nil
		}
		if runs++; runs == 1 {
			return "echo x > AC-01.txt; printf 'a\\nkey=" + leaked + "\\n' > conf.ini"
		}
		if !strings.Contains(t.Prompt, "conf.ini:2: value of DEPLOY_KEY") || strings.Contains(t.Prompt, leaked) {
			s.Errorf("it is told %s", t.Prompt)
		}
		return "echo 'key=$DEPLOY_KEY' > conf.ini"
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("runs", string(rune('0'+runs)), "2")
	s.want("what is published", s.published(), "0")
	s.want("the file", s.sh("git -C ../origin.git show main:conf.ini"), "key=$DEPLOY_KEY")
	s.says("secrets: conf.ini:2: value of DEPLOY_KEY")
}

// An agent that does not take it out costs its chunk; nothing of it is pushed, not as
// work in progress either. A person who allows it gets it merged.
func TestASecretThatStays(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	ledger := s.scanned()
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code || t.Role == agent.Fix {
			return "echo x > AC-01.txt; date +%N >> noise.txt; echo " + leaked + " > conf.ini"
		}
		return nil
	}
	ends, err := s.engine(drive.Options{Issue: "1"}).Run(t.Context())
	s.must(err)
	if len(ends) != 1 || ends[0].Result == evidence.Merged {
		t.Fatalf("%+v", ends)
	}
	s.want("what is published", s.published(), "0")
	list, err := ledger.Entries(s.root)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	_, err = ledger.Allow(s.root, list[0].Hit().ID())
	s.must(err)
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what a person allowed", s.sh("git -C ../origin.git show main:conf.ini"), leaked)
}

func TestWorkInProgressIsScanned(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.scanned()
	ctx, cancel := context.WithCancel(t.Context())
	s.does = func(agent.Task) any {
		s.write("conf.ini", leaked+"\n")
		return "kill -STOP $$" // until it is ended
	}
	scan := s.change
	s.change = func(e *drive.Engine) {
		scan(e)
		tell := e.Tell
		e.Tell = func(n drive.Note) {
			tell(n)
			if n.Kind == drive.AgentSaid {
				cancel()
			}
		}
	}
	ends, err := s.engine(drive.Options{Issue: "1"}).Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.results(ends, evidence.Stopped)
	s.says("conf.ini:1: value of DEPLOY_KEY")
	s.want("what is published", s.published(), "0")
	if kept := s.sh("git for-each-ref --format='%(refname)' refs/warp | xargs -n1 git log -p -1 --format= | grep -c " + leaked + " || true"); kept == "0" {
		t.Error("what was done is lost")
	}
}

// No engine commits what a rebase makes: it is scanned before it is merged.
func TestASecretInAResolvedConflict(t *testing.T) {
	t.Parallel()
	s := conflicted(t, func(agent.Task) any { return "printf 'theirs\\nours " + leaked + "\\n' > code.txt" })
	at := s.change
	s.scanned()
	scan := s.change
	s.change = func(e *drive.Engine) { at(e); scan(e) }
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "code.txt:2: value of DEPLOY_KEY") || !strings.Contains(ends[0].Do, "warp secrets allow") {
		t.Errorf("%+v", ends[0])
	}
	s.want("what is published", s.published(), "0")
	s.want("the target", s.sh("git log --format=%s main"), s.sh("git -C ../origin.git log --format=%s main"))
}
