package drive

import (
	"context"
	"fmt"

	"warp/internal/engine/forge"
)

// offerNext tells the session which issue is approved next: whether to continue with it is for the
// person in front of it. Nothing depends on it.
func offerNext(ctx context.Context, t *turn) {
	if t.Mind == nil || t.Mind.Offer == nil || t.Only || borrowsBranch(t) {
		return
	}
	list, err := listApproved(ctx, t.Engine)
	if err != nil {
		return
	}
	ready, _ := forge.Order(list, forge.StillOpen(ctx, t.Tracker))
	driven := listDrivenElsewhere(t.Engine)
	for _, i := range ready {
		if t.tried[i.Number] == "" && driven[fmt.Sprint(i.Number)] == "" && explainUnfit(i) == "" {
			t.Mind.Offer(fmt.Sprintf("#%d %s", i.Number, i.Title))
			return
		}
	}
}
