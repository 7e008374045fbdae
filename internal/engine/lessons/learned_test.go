package lessons_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/core/learning"
	"warp/internal/durable"
	"warp/internal/engine/lessons"
)

func open(dir string) *lessons.Store {
	return lessons.Open(durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: time.Now}))
}

func said(session string, iteration int, text string) learning.Learning {
	return learning.Learning{Session: session, Began: "then", Iteration: iteration, Type: learning.Insight, Lesson: text, Pattern: text}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Sessions side by side lose nothing of what the others learned, and count each other.
func TestManyLearnAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			s, name := open(dir), fmt.Sprint("s", i)
			for n := range 5 {
				_, err := s.Add([]learning.Learning{said(name, n, "shared"), said(name, n, fmt.Sprint("own ", i, n))})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	book, err := open(dir).Read()
	must(t, err)
	list := book.Lessons()
	if len(list) != 41 || book.Bad() != 0 {
		t.Fatal(len(list), book.Bad())
	}
	for _, l := range list {
		if l.Lesson == "shared" && l.Confirmed != 39 {
			t.Errorf("%+v", l)
		}
	}
}

// Lessons are read while another file of the folder is edited, and learned meanwhile.
func TestReadingWhileAFileIsEdited(t *testing.T) {
	dir := t.TempDir()
	home := durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: time.Now})
	s := lessons.Open(home)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for n := range 20 {
				if i%2 == 0 {
					_, err := s.Add([]learning.Learning{said("a", n, fmt.Sprint(i, n))})
					must(t, err)
					continue
				}
				must(t, home.EditFile(".claude/progress.md", func([]byte) ([]byte, error) {
					_, err := s.Best(5)
					return []byte("x"), err
				}))
			}
		})
	}
	wait.Wait()
}

// What is forgotten is gone for those who have read it before, no matter who else writes it
// into the file, and is not learned again.
func TestForgottenStaysForgotten(t *testing.T) {
	dir := t.TempDir()
	s := open(dir)
	wrong := said("a", 1, "wrong")
	_, err := s.Add([]learning.Learning{wrong, said("a", 1, "right"), said("a", 1, "wrong!")})
	must(t, err)
	best, err := s.Best(9)
	must(t, err)
	if len(best) != 2 {
		t.Fatal(best)
	}
	n, err := open(dir).Forget(wrong.ID())
	must(t, err)
	kept, err := s.Add([]learning.Learning{said("b", 1, "Wrong."), said("b", 1, "Right.")})
	must(t, err)
	if n != 1 || len(kept) != 1 {
		t.Errorf("%d %v", n, kept)
	}
	file := filepath.Join(dir, ".claude", learning.File)
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, append(text, wrong.Line()...), 0o644)) // as an agent would
	for name, read := range map[string]func() ([]learning.Learning, error){
		"best": func() ([]learning.Learning, error) { return s.Best(9) },
		"all": func() ([]learning.Learning, error) {
			b, err := s.Read()
			return b.Lessons(), err
		},
	} {
		list, err := read()
		must(t, err)
		if len(list) != 1 || list[0].Confirmed != 1 || list[0].Lesson != "right" {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if strings.Contains(string(text), "rong") {
		t.Errorf("%s", text)
	}
}
