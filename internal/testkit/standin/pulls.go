package standin

import (
	"context"
	"os"
	"strings"

	"warp/internal/engine/agent"
)

// aboutPull is how a drive introduces comments on a pull request.
const aboutPull = "Feedback on pull request"

// answerPull changes something in response to comments on a pull request, so that there is
// a commit to push.
func (a *player) answerPull(ctx context.Context) error {
	if a.Role != agent.Code || !strings.Contains(a.Prompt, aboutPull) {
		return nil
	}
	const name = "demo_pull.txt"
	was, _ := os.ReadFile(a.Path(name)) // the first time there is none
	return a.Write(ctx, name, string(was)+"answered by "+a.Session+"\n")
}
