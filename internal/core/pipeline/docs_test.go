package pipeline

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const docs = "../../../docs/pipelines.md"

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
	for _, k := range slices.Concat(keysBelow((&Pipeline{}).fields(), ""), keysBelow((&Stage{}).fields(), ""), keysBelow((&Stage{}).fields(), "guardrails."), []string{"nodes", "name", "provider"}, BuiltInLoops(), BuiltInPipelines()) {
		if !strings.Contains(text, "`"+k+"`") {
			t.Errorf("%s is not in %s", k, docs)
		}
	}
	places := map[use]string{inPrompts: "prompts", inPrompts | inJudges: "prompts, `judge`", inJudges: "`judge`", inChoices: "`parallel.judge`", inPrompts | inJudges | inChoices: "all"}
	for _, v := range variables() {
		if row := fmt.Sprintf("| `${%s}` | %s | %s |\n", v.Name, v.Meaning, places[v.in]); !strings.Contains(text, row) {
			t.Errorf("%s is not in %s", row, docs)
		}
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
