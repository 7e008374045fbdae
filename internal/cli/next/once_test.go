package next

import (
	"strings"
	"testing"
)

const prompted = "You implement part 1.\n\nTask: x\n\nRules:\n- Tests stay.\n- The tests are run with: make (it takes about 3 s)\n\nOutput: JSON:\n```untrusted\nfix: one\n```\nExample:\n{}\n\nThe whole issue:\n```untrusted\n#1 T\n\nRules:\n- none\n- [ ] AC-01: a\n```\n"

func TestRulesAndIssueArePrintedOnce(t *testing.T) {
	first, shown := printOnce(prompted, nil)
	if first != prompted {
		t.Errorf("%s", first)
	}
	later := strings.NewReplacer("part 1", "part 2", "3 s", "4 s", "[ ]", "[x]", "fix: one", "fix: two").Replace(prompted)
	want := "You implement part 2.\n\nTask: x\n\nRules: as before.\nOutput: as before.\nThe whole issue: as before.\n"
	if again, _ := printOnce(later, shown); again != want {
		t.Errorf("%s", again)
	}
	if other, _ := printOnce(strings.Replace(prompted, "Tests stay", "Tests go", 1), shown); !strings.Contains(other, "Tests go") || strings.Contains(other, "#1 T") {
		t.Errorf("%s", other)
	}
}
