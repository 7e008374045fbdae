package learning

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Lessons are texts, or objects of the documented shape; what is neither teaches
// nothing, and spoils nothing.
func TestSaidLessons(t *testing.T) {
	const answer = `["plain", {"type": "antipattern", "lesson": "a secret in the code, KEY-1", "pattern": "use the\nenvironment", "context": "tokens"},
		{"type": "Pattern", "lesson": "short"}, {"type": "revelation", "lesson": "odd", "extra": [1]}, {"pattern": "only a pattern"},
		7, null, [], {"lesson": 7}, {}, {"lesson": "..."}]`
	var said []Said
	if err := json.Unmarshal([]byte(answer), &said); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range From(Learning{Task: "1.1", Type: Pattern, Context: "the task"}, said, func(s string) string { return strings.ReplaceAll(s, "KEY-1", "***") }) {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", l.Task, l.Type, l.Lesson, l.Pattern, l.Context))
	}
	want := []string{
		"1.1|pattern|plain|plain|the task",
		"1.1|antipattern|a secret in the code, ***|use the environment|tokens",
		"1.1|pattern|short|short|the task",
		"1.1|insight|odd|odd|the task",
		"1.1|pattern|only a pattern|only a pattern|the task",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSaidLessonsAreBounded(t *testing.T) {
	long := strings.Repeat("word ", 10_000)
	list := From(Learning{}, append(Texts(make([]string, 5)...), Said{Lesson: long, Pattern: long, Context: long}), func(s string) string { return s })
	if len(list) != 1 || len(list[0].Line()) > 3*maxText+1000 {
		t.Errorf("%d lessons, %d bytes", len(list), len(list[0].Line()))
	}
	if n := len(From(Learning{}, Texts("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"), func(s string) string { return s })); n != maxSaid {
		t.Errorf("%d lessons of one iteration", n)
	}
}
