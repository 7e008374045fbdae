package doctor

import (
	"slices"

	"warp/internal/core/config"
)

// permissions says when a model may run what is a person's to decide.
func permissions(x exam) []Finding {
	text, err := x.drive.Store().ReadFile(config.File)
	if err != nil || !slices.Contains(config.RulesIn(text)["allow"], config.Blanket) {
		return nil
	}
	return []Finding{problem("permissions", "a model may approve issues, answer questions and start drives without asking: "+config.Blanket+" in "+config.File,
		"warp init removes it if warp wrote it; else remove it yourself")}
}
