package criteria

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	list := func(texts ...string) (out []Criterion) {
		for i, text := range texts {
			out = append(out, Criterion{ID: fmt.Sprintf("AC-%02d", i+1), Text: text})
		}
		return out
	}
	plain := list("a", "b", "c", "d", "e")
	for name, c := range map[string]struct {
		list []Criterion
		plan [][]string
		most int
		want string
	}{
		"in order":                     {plain, nil, 2, "AC-01 AC-02|AC-03 AC-04|AC-05"},
		"one each":                     {plain[:2], nil, 1, "AC-01|AC-02"},
		"nothing":                      {nil, nil, 3, ""},
		"as planned":                   {plain, [][]string{{"AC-02", "AC-01"}, {"AC-05", "AC-03", "AC-04"}}, 3, "AC-02 AC-01|AC-05 AC-03 AC-04"},
		"a plan that forgets":          {plain, [][]string{{"AC-03"}}, 3, "AC-03|AC-01 AC-02 AC-04|AC-05"},
		"a plan with strangers, twice": {plain[:2], [][]string{{"AC-09", "AC-02", "AC-02"}, {"AC-02", "AC-01"}}, 3, "AC-02|AC-01"},
		"a plan that is too large":     {plain, [][]string{{"AC-01", "AC-02", "AC-03", "AC-04", "AC-05"}}, 2, "AC-01 AC-02|AC-03 AC-04|AC-05"},
		"dependencies":                 {list("depends on AC-03", "b", "c"), nil, 1, "AC-03|AC-01|AC-02"},
		"several":                      {list("after AC-02 and AC-03", "blocked by AC-03, AC-04", "c", "d"), nil, 1, "AC-03|AC-04|AC-02|AC-01"},
		"a circle":                     {list("depends on AC-02", "depends on AC-01"), nil, 2, "AC-02 AC-01"},
		"itself, and no id":            {list("depends on AC-01 and after lunch, depends on AC-"), nil, 2, "AC-01"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, chunk := range Split(c.list, c.plan, c.most) {
				got = append(got, strings.Join(chunk, " "))
			}
			if s := strings.Join(got, "|"); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}
