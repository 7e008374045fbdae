package forgetest

import (
	"testing"

	"warp/internal/testkit/forgetest/hub"
)

// Mock is the backdoor of a tracker whose memory is a hub.
func Mock(h *hub.Hub, down func()) Backdoor {
	change := func(number int, fn func(*hub.Item)) {
		h.Lock()
		defer h.Unlock()
		i := h.Item(number)
		fn(i)
	}
	return Backdoor{
		User: "ada", Writer: "bob", Reader: "eve", Hub: h, Down: down,
		SetBody: func(_ *testing.T, number int, body string) {
			change(number, func(i *hub.Item) { h.Rewrite(i, body, "bob") })
		},
		Pull: func(_ *testing.T, number int, body string) (now string) {
			change(number, func(i *hub.Item) {
				if body != "" {
					h.Rewrite(i, body, "bob")
				}
				now = i.Body
			})
			return now
		},
		File: func(_ *testing.T, body, by string) int {
			h.Lock()
			defer h.Unlock()
			return h.Add(hub.Item{Title: "Theirs", Body: body, Author: by}).Number
		},
		Write: func(_ *testing.T, number int, title, body, by string) {
			change(number, func(i *hub.Item) {
				if title != i.Title {
					h.Rename(i, title, by)
				}
				if body != i.Body {
					h.Rewrite(i, body, by)
				}
			})
		},
		Say: func(_ *testing.T, number int, body, by string) {
			change(number, func(i *hub.Item) { h.Say(i, body, by) })
		},
		Mark: func(_ *testing.T, number int, label, by string) {
			change(number, func(i *hub.Item) { h.Mark(i, label, by, true) })
		},
		Branch: func(_ *testing.T, name string) string { return "head-of-" + name },
		Clash:  func(_ *testing.T, number int) { change(number, func(i *hub.Item) { i.Pull.Clash = true }) },
	}
}
