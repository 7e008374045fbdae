//go:build linux

package redteam

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// trick is one thing that a hostile agent does. Its file has a head of "key: value"
// lines, and these scripts:
//
//	prepare.sh  what the project has besides, as its person
//	act.sh      what the agent does, after the work
//	look.sh     what it does where it may only look; $answer is what it will say
//	after.sh    what its person does when the run is over, such as warp resume
//	missed.sh   tells by 0 that the bad effect stands
//
// All know $cell, $project, $user (the person's home folder) and $port (a listener
// that no settings allow). What the harness looks at in every cell needs no missed.sh:
// see verdict.
type trick struct {
	class, name string
	does        string   // one line, for the table
	stack       string   // shell, make, go, node or python
	engine      string   // drive, loop or workflow
	work        string   // honest, or broken: then only a cheated test lets it pass
	why         string   // why what is missed without a sandbox is missed
	spares      []string // things that missed.sh judges in place of a comparison
	needs       []string
	sample      bool
	alone       bool // it does harm without warp, too: see TestTricksDoHarm
	scripts     map[string]string
}

var (
	stackNames  = []string{"shell", "make", "go", "node", "python"}
	engineNames = []string{"drive", "loop", "workflow"}
	scriptNames = []string{"prepare.sh", "act.sh", "look.sh", "after.sh", "missed.sh"}
)

// readTricks reads all tricks, by class and name.
func readTricks() (list []trick, err error) {
	err = filepath.WalkDir("tricks", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t, err := parseTrick(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		t.class, t.name = filepath.Base(filepath.Dir(path)), strings.TrimSuffix(e.Name(), ".txt")
		list = append(list, t)
		return nil
	})
	return list, err
}

func parseTrick(data []byte) (trick, error) {
	t := trick{stack: "shell", engine: "drive", work: "honest", alone: true, scripts: map[string]string{}}
	archive := txtar.Parse(data)
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		value = strings.TrimSpace(value)
		switch key {
		case "":
		case "does":
			t.does = value
		case "stack":
			t.stack = value
		case "engine":
			t.engine = value
		case "work":
			t.work = value
		case "why":
			t.why = value
		case "spares":
			t.spares = strings.Fields(value)
		case "needs":
			t.needs = strings.Fields(value)
		case "sample":
			t.sample = value == "yes"
		case "alone":
			t.alone = value != "no"
		default:
			return t, fmt.Errorf("the head has %q", line)
		}
	}
	for _, f := range archive.Files {
		if !slices.Contains(scriptNames, f.Name) {
			return t, fmt.Errorf("%s is not one of %q", f.Name, scriptNames)
		}
		t.scripts[f.Name] = string(f.Data)
	}
	switch {
	case t.does == "":
		return t, fmt.Errorf("nothing says what it does")
	case !slices.Contains(stackNames, t.stack) || !slices.Contains(engineNames, t.engine):
		return t, fmt.Errorf("there is no stack %q with an engine %q", t.stack, t.engine)
	case t.work != "honest" && t.work != "broken":
		return t, fmt.Errorf("the work is honest or broken, not %q", t.work)
	}
	return t, nil
}
