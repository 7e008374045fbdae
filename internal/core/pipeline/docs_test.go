package pipeline

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/yamltree"
)

const docs = "../../../docs/reference/pipelines.md"

// The examples of the documentation are files that Load takes.
func TestTheDocumentedExamplesLoad(t *testing.T) {
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(page(t), -1)
	files := map[string]string{}
	var pipelines []string
	for _, b := range blocks {
		first, _, _ := strings.Cut(b[1], "\n")
		if name, ok := strings.CutPrefix(first, "# "); ok {
			files[name] = b[1]
		} else {
			pipelines = append(pipelines, b[1])
		}
	}
	for _, text := range pipelines {
		if _, problems := Load("docs.yaml", []byte(text), disk(files)); len(problems) > 0 {
			t.Errorf("%s\n%s", text, lines(problems))
		}
	}
	if len(pipelines) < 3 || len(files) == 0 {
		t.Errorf("only %d pipelines and %d loops were found", len(pipelines), len(files))
	}
}

func TestEveryKeyAndVariableIsDocumented(t *testing.T) {
	text := page(t)
	keys := slices.Concat(library.Loops(), library.Pipelines(), []string{"name", "provider"})
	for _, of := range []reflect.Type{reflect.TypeFor[Pipeline](), reflect.TypeFor[Stage](), reflect.TypeFor[Guardrails](), reflect.TypeFor[Parallel]()} {
		keys = slices.AppendSeq(keys, maps.Keys(yamltree.Shape{}.Fields(of)))
	}
	for _, k := range append(keys, "nodes") {
		if !strings.Contains(text, "`"+k+"`") {
			t.Errorf("%s is not in %s", k, docs)
		}
	}
	places := map[use]string{inPrompts: "prompts", inPrompts | inJudges: "prompts, `judge`", inJudges: "`judge`", inChoices: "`parallel.judge`", inPrompts | inJudges | inChoices: "all"}
	documented := 0
	for in, names := range variables {
		for _, v := range names {
			row := regexp.MustCompile("(?m)^" + regexp.QuoteMeta("| `${"+v+"}` | ") + "[^|]+" + regexp.QuoteMeta(" | "+places[in]+" |") + "$")
			if !row.MatchString(text) {
				t.Errorf("%s is not in %s for %s", v, docs, places[in])
			}
			documented++
		}
	}
	if rows := strings.Count(text, "\n| `${"); rows != documented+1 { // ${command.NAME}
		t.Errorf("%s has %d variables, and there are %d", docs, rows, documented+1)
	}
}

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
