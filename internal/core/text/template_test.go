package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRender(t *testing.T) {
	vars := map[string]string{"A": "1", "B": "${A} $$", "command.x": "go test", "": "nothing"}
	for template, want := range map[string]string{
		"":                     "",
		"a ${A} b":             "a 1 b",
		"${A}${A}":             "11",
		"${B}":                 "${A} $$", // values are not expanded again
		"${command.x}":         "go test",
		"$${A} $$$${A} $$${A}": "${A} $${A} $1",
		"$A $5 $(x) $ $":       "$A $5 $(x) $ $",
		"$$":                   "$",
		"${C} ${A b} ${ A}":    "${C} ${A b} ${ A}",
		"${A\n}":               "${A\n}",
		"${":                   "${",
		"${${A}}":              "${${A}}",
	} {
		if got := Render(template, vars); got != want {
			t.Errorf("%q: %q, want %q", template, got, want)
		}
	}
}

// A text in which every dollar is doubled comes out as it was, whatever the values.
func TestEscapedTextStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"$", "{", "}", "A", "\n", "${A}"})).Draw(t, "pieces"), "")
		if got := Render(strings.ReplaceAll(text, "$", "$$"), map[string]string{"A": "1", "": "2"}); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestVariablesOfATemplate(t *testing.T) {
	const text = "$$ ${A} ${} ${b.c} ${A ${"
	var got []string
	for _, v := range FindVariables(text) {
		if !strings.HasPrefix(text[v.At:], v.Written) {
			t.Errorf("%+v is not there", v)
		}
		got = append(got, v.Written+"="+v.Name)
	}
	if want := "${A}=A ${}= ${b.c}=b.c ${=  ${="; strings.Join(got, " ") != strings.ReplaceAll(want, "  ", " ") {
		t.Errorf("%q", got)
	}
	for names, want := range map[string]bool{"A": true, "b.c": true, "X": false, "$": false} {
		if UsesVariable(text, "Y", names) != want {
			t.Errorf("it uses %s: %v", names, !want)
		}
	}
	if got := SetVariable("$$ ${A} ${B} ${A}", "A", "${B}$$"); got != "$$ ${B}$$ ${B} ${B}$$" {
		t.Errorf("%q", got)
	}
}
