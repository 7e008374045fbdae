package conductor

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"warp/internal/core/conduct"
	"warp/internal/engine/forge"
)

// reading are the methods of a tracker that change nothing in it.
var reading = []string{"Name", "User", "MayWrite", "List", "Get", "Pull", "FindPull"}

// touched is a tracker that panics whatever is done to it.
type touched struct{ forge.Tracker }

// watched is one that knows what is said of pull requests.
type watched struct {
	forge.Tracker
	forge.PullWatcher
}

// Every method of the port but those that read asks first, and does nothing without a go:
// a method that is added and not wrapped would reach the tracker behind it.
func TestEveryChangeInTheTrackerIsAskedFor(t *testing.T) {
	port := reflect.TypeFor[forge.Tracker]()
	for i := range port.NumMethod() {
		m := port.Method(i)
		if slices.Contains(reading, m.Name) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			c, w := meet(t)
			args := []reflect.Value{reflect.ValueOf(context.Context(t.Context()))}
			for n := 1; n < m.Type.NumIn(); n++ {
				args = append(args, reflect.Zero(m.Type.In(n)))
			}
			done := make(chan error, 1)
			go func() {
				defer func() {
					if recover() != nil {
						done <- errors.New("it was done without being asked for")
					}
				}()
				out := reflect.ValueOf(c.Tracker(touched{})).MethodByName(m.Name).Call(args)
				err, _ := out[len(out)-1].Interface().(error)
				done <- err
			}()
			go func() {
				if s := w.hear(); s.Kind != conduct.File || s.What == "" {
					t.Errorf("%+v", s)
				}
				w.reply(conduct.Reply{Serial: 1, Why: "no"})
			}()
			var refused *RefusedError
			if err := <-done; !errors.As(err, &refused) {
				t.Errorf("%v", err)
			}
		})
	}
}

// What a tracker knows of pull requests it knows still.
func TestAWatcherStaysOne(t *testing.T) {
	c, _ := meet(t)
	if _, is := c.Tracker(touched{}).(forge.PullWatcher); is {
		t.Error("one that is none became one")
	}
	if _, is := c.Tracker(watched{}).(forge.PullWatcher); !is {
		t.Error("it is none any more")
	}
}
