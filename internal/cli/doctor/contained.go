package doctor

import (
	"fmt"
	"runtime"

	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/sys/sandbox"
)

// contained says how well agents are confined here, and how they could be better.
func contained(x exam) []Finding {
	s, err := x.drive.Project.Settings()
	if err != nil || s.Refused != nil {
		return nil // said elsewhere
	}
	w, why, err := boxes.Open(x.app, x.drive.Root(), s)
	if err != nil {
		return []Finding{problem("sandbox", err.Error(), "warp config set sandbox auto")}
	}
	detail := fmt.Sprintf("agents are %s (%s)", w.Box.Holds(), w.Box.Kind())
	if w.Box.Holds() == sandbox.Contained {
		return []Finding{ok("sandbox", detail)}
	}
	switch chosen := boxes.Chosen(x.app, s); {
	case chosen != sandbox.Auto: // chosen, even if another would work
		return []Finding{warning("sandbox", fmt.Sprintf("%s: %s was chosen", detail, chosen), "warp config set sandbox auto, and no --sandbox or "+app.SandboxVariable)}
	case runtime.GOOS == "linux":
		why += "; then warp sandbox explain shows what agents see"
	}
	return []Finding{warning("sandbox", detail, why)}
}
