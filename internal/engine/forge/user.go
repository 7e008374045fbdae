package forge

import (
	"context"
	"time"
)

// userTime bounds how long a session waits at its start for the user's name.
const userTime = 5 * time.Second

// GitHubUser returns GitHub's login for warp's token; "" for another tracker or if it does not
// answer: a session starts without it.
func GitHubUser(ctx context.Context, t Tracker) string {
	if t == nil || t.Name() != "github" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, userTime)
	defer cancel()
	user, err := t.User(ctx)
	if err != nil {
		return ""
	}
	return user
}
