package learning

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lesson(task, text string, files ...string) Learning {
	return Learning{Task: task, Type: Pattern, Lesson: text, Files: files}
}

func lessons(list []Learning) string {
	var texts []string
	for _, l := range list {
		texts = append(texts, l.Lesson)
	}
	return strings.Join(texts, "; ")
}

func TestRelevant(t *testing.T) {
	all := []Learning{
		lesson("3.1", "database migrations need a rollback script"),
		lesson("3.2", "the JWT middleware validates tokens"),
		lesson("3.3", "charts are drawn on canvas", "src/auth/jwt.ts"),
		lesson("3.4", "colours come from the theme", "src/auth/session.ts"),
		lesson("3.5", "nothing in common"),
		lesson("1.2", "the first try was too long"),
		lesson("3.6", "The jwt middleware validates tokens!"),
		lesson("3.7", "tokens are hard to hide"),
	}
	all[5].Workflow = "w1"
	about := About{Workflow: "w1", Task: "1.2", Name: "Implement JWT authentication", Files: []string{"src/auth/jwt.ts"}, Text: "Tokens are validated by middleware."}
	got := lessons(Relevant(all, about, 1000))
	if want := "the first try was too long; charts are drawn on canvas; The jwt middleware validates tokens!; colours come from the theme"; got != want {
		t.Errorf("got %s", got)
	}
	about.Workflow = "w2"
	if got := lessons(Relevant(all, about, 1000)); strings.Contains(got, "first try") {
		t.Errorf("task 1.2 of another workflow is another task: %s", got)
	}
	if got := lessons(Relevant(all, about, 40)); got != "charts are drawn on canvas" {
		t.Error(got)
	}
	if got := Relevant(all, About{}, 1000); len(got) > 0 {
		t.Error(lessons(got))
	}
	same := []Learning{lesson("1", "jwt tokens expire"), lesson("2", "jwt tokens refresh")}
	if got := lessons(Relevant(same, About{Name: "JWT tokens"}, 1000)); got != "jwt tokens refresh; jwt tokens expire" {
		t.Errorf("the newer of two equals: %s", got)
	}
}

func TestRelevantIsBounded(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("token jwt secret table index this the add canvas"))
	text := rapid.Map(rapid.SliceOfN(word, 0, 6), func(w []string) string { return strings.Join(w, " ") })
	one := rapid.Custom(func(t *rapid.T) Learning {
		return Learning{Task: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "task"), Lesson: text.Draw(t, "lesson"), Context: text.Draw(t, "context"), Files: rapid.SliceOfN(rapid.SampledFrom([]string{"a/b", "a/c", "d"}), 0, 2).Draw(t, "files")}
	})
	rapid.Check(t, func(t *rapid.T) {
		all, most := rapid.SliceOf(one).Draw(t, "all"), rapid.IntRange(0, 200).Draw(t, "most")
		seen, size := map[string]bool{}, 0
		for _, l := range Relevant(all, About{Task: "1", Name: text.Draw(t, "name"), Files: []string{"a/b"}}, most) {
			if seen[l.ID()] {
				t.Fatal("told twice: ", l)
			}
			seen[l.ID()] = true
			size += len(l.Lesson) + len(l.Pattern) + len(l.Context)
		}
		if size > most {
			t.Fatal(size, most)
		}
	})
}

func TestLines(t *testing.T) {
	long := lesson("1.1", strings.Repeat("ü", maxText), "a.go")
	long.Type, long.Timestamp = "hunch", "2026-01-15T12:00:00Z"
	text := append(long.Line(), lesson("1.2", "two\nlines").Line()...)
	text = append(text, "\n{\"lesson\": 3}\n{}\n{\"timestamp\": \"2026-01-15T12:00:00Z\", \"lesson\": \"kept\", \"theirs\": 1}\n{\"lesson\": \"torn"...)
	all, bad := Read(text).Lessons(), Read(text).Bad()
	if len(all) != 3 || bad != 3 || len(all[0].Lesson) != maxText || all[0].Type != Insight || all[1].Lesson != "two\nlines" {
		t.Fatal(len(all), bad)
	}
	if got := string(all[2].Line()); !strings.Contains(got, `"theirs":1`) {
		t.Error(got)
	}
	if got := string(lesson("1.2", "x").Line()); got != `{"timestamp":"","task":"1.2","iteration":0,"type":"pattern","lesson":"x","pattern":"","context":""}`+"\n" {
		t.Error(got)
	}
}

func TestForget(t *testing.T) {
	all := []Learning{lesson("1", "one"), lesson("2", "two"), lesson("3", "One!")}
	id := all[0].ID()
	if got := Read([]byte(file(all))).Match(" " + strings.ToUpper(id[:8]) + " "); fmt.Sprint(got) != fmt.Sprint([]string{id}) {
		t.Error(got)
	}
	for _, id := range []string{"", "zzz"} {
		if got := Read([]byte(file(all))).Match(id); len(got) > 0 {
			t.Errorf("%q: %v", id, got)
		}
	}
	text := "no learning\n" + file(all)
	kept, said := without(text, id)
	if said != 2 || kept != "no learning\n"+file(all[1:2]) {
		t.Errorf("%d: %s", said, kept)
	}
	if kept, said := without(text, id[:8]); said != 0 || kept != text {
		t.Errorf("half an id is none: %d %s", said, kept)
	}
}

func without(text, id string) (kept string, said int) {
	b := Read([]byte(text))
	said = b.Remove(func(other string) bool { return other == id })
	return string(b.Text()), said
}

func TestSearch(t *testing.T) {
	all := []Learning{lesson("1.1", "JWT tokens expire", "src/jwt.ts"), lesson("1.2", "tokens are validated"), lesson("1.3", "tables")}
	for question, want := range map[string]string{"token": "tokens are validated; JWT tokens expire", "TOKENS jwt": "JWT tokens expire", "jwt.ts": "JWT tokens expire", "pattern tab": "tables", "nothing": "", "": "tables; tokens are validated; JWT tokens expire"} {
		if got := lessons(Search(all, question)); got != want {
			t.Errorf("%q: %s", question, got)
		}
	}
}
