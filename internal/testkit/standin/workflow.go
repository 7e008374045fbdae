package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"warp/internal/adapter/agent/demo"
)

// task does a task of a workflow: it writes its files, and adds to those that are
// there. One that stumbles leaves new files empty.
func (a *player) task(ctx context.Context, b brief) (string, any, error) {
	names := b.targets(a.World.Dir)
	said := fmt.Sprintf("task %s: %d files are written", b.id, len(names))
	learned := []string{fmt.Sprintf("task %s (%s) is in %s", b.id, b.name, strings.Join(names, ", "))}
	switch {
	case a.Does("liar"):
		return said, report{said, learned}, a.Halfway(ctx)
	case a.Does("loop"):
		return said, report{said, learned}, a.Repeat(ctx)
	}
	for i, name := range names {
		if i >= len(names)/2 {
			if err := a.Halfway(ctx); err != nil {
				return "", nil, err
			}
		}
		err := a.pursue(ctx, b, name)
		if errors.Is(err, demo.ErrDenied) {
			a.Say("I may not change anything here.")
			said = fmt.Sprintf("task %s: nothing is written", b.id)
			return said, report{Summary: said}, nil
		}
		if err != nil {
			return "", nil, err
		}
	}
	return said, report{said, learned}, a.Halfway(ctx)
}

func (a *player) pursue(ctx context.Context, b brief, name string) error {
	old, err := os.ReadFile(a.Path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading a file: %w", err)
	}
	text := ""
	if err == nil || !a.Does("stumble") {
		if text, err = b.written(a.World.Dir, name, string(old)); err != nil {
			return err
		}
	}
	return a.Write(ctx, name, text)
}

// look verifies tasks: their criteria are met where every file is there and has
// something in it.
func (a *player) look(ctx context.Context) (string, any, error) {
	reason, met := "nothing is missing", true
	for _, b := range a.tasks {
		for _, name := range b.targets(a.World.Dir) {
			if a.Does("liar") {
				reason = "it is done"
				continue
			}
			err := a.Tool(ctx, "read", name, func() error {
				info, err := os.Stat(a.Path(name))
				switch {
				case !met:
				case err != nil:
					reason, met = "there is no "+name, false
				case info.Size() == 0:
					reason, met = name+" is empty", false
				default:
					reason = name + " is there"
				}
				return nil
			})
			if err != nil {
				return "", nil, err
			}
		}
	}
	list := []verdict{}
	for _, id := range a.ids {
		list = append(list, verdict{id, met, reason})
	}
	return fmt.Sprintf("%d criteria: %s", len(list), reason), verdicts{list}, nil
}

// revision is a task of a new plan. What it leaves out, its criteria above all, is
// to stay.
type revision struct {
	Task        string   `json:"task"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Files       []string `json:"files,omitempty"`
}

// replan plans the tasks again: much as they were. A plan's approach is a text, so
// the tasks stand in it as one.
func (a *player) replan() (string, any, error) {
	var p struct {
		Tasks []revision `json:"tasks"`
	}
	for _, b := range a.tasks {
		was := b.wanted
		if was == "" {
			was = b.name
		}
		p.Tasks = append(p.Tasks, revision{b.id, b.name, strings.TrimRight(was, ".") + ", as re-planned", b.files})
	}
	text, err := json.Marshal(p)
	return fmt.Sprintf("%d tasks are planned again", len(p.Tasks)), plan{string(text), [][]string{}}, err
}
