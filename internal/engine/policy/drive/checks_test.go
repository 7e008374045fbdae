package drive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

var checkName = regexp.MustCompile(`warp_[0-9a-f]+_ac01`)

// A check that is wrong at first holds right work up until its author objects; work that stays wrong
// is given up.
func TestChecksHoldTheWork(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]evidence.Result{"check": evidence.Merged, "code": evidence.Failed} {
		s := newScene(t, one)
		s.settings(map[string]any{"checks": "evidence", "max_coding_cycles": 1})
		s.does = func(task agent.Task) any {
			switch task.Role {
			case agent.Check:
				name, text := checkName.FindString(task.Prompt), "colour.txt"
				if choice == "check" && strings.HasPrefix(task.Prompt, "You correct") {
					text = "AC-01.txt"
				}
				script := fmt.Sprintf("[ -e %s ] || { echo example 1: expected %s; exit 1; }\n", text, text)
				if err := os.WriteFile(filepath.Join(task.Dir, name+".sh"), []byte(script), 0o644); err != nil {
					t.Error(err)
				}
				return map[string]any{"criteria": []any{map[string]any{"id": "AC-01", "kind": []string{"shape"}, "contract": "a file", "command": "sh " + name + ".sh"}}}
			case agent.Fix:
				return map[string]any{"objection": "no one asks for colour.txt"}
			case agent.Choose:
				return map[string]any{"choice": choice, "reason": "it asks for another file"}
			}
			return nil
		}
		s.drive(drive.Options{Issue: "1"}, want)
	}
}
