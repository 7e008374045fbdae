package proc

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAPauseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := Pause(t.Context(), 0); err != nil {
		t.Error(err)
	}
}
