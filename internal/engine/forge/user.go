package forge

import (
	"context"
	"time"
)

// userTime bounds how long a session waits at its beginning to learn whose it is.
const userTime = 5 * time.Second

// GitHubUser is whom GitHub takes warp for, by the token that it has; "" where the
// tracker is another, or does not say: a session begins without it.
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
