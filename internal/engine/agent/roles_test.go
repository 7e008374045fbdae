package agent

import (
	"fmt"
	"testing"

	"warp/internal/core/answer"
	"warp/internal/core/config"
)

// Each role can have its own model: the settings know them all.
func TestTheSettingsKnowTheRoles(t *testing.T) {
	for _, role := range answer.Roles {
		s, err := config.Parse(fmt.Appendf(nil, `{"_workflow": {"model": {%q: "m"}}}`, role))
		if err != nil || s.Models.Of(string(role)) != "m" {
			t.Errorf("%s: %q, %v", role, s.Models.Of(string(role)), err)
		}
	}
}
