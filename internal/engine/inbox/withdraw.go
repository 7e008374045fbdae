package inbox

import (
	"errors"

	"warp/internal/core/questions"
	"warp/internal/durable"
)

// Withdraw takes back the questions without an answer that are over, and tells people that they
// need not answer: the one who asked was killed, or goes on without it.
func (i *Inbox) Withdraw(over func(questions.Item) bool) error {
	b, err := i.Book()
	if err != nil {
		return err
	}
	for _, it := range b.Withdraw(over) {
		gone := false
		err := i.edit("withdrawn", func(b *questions.Book) (*questions.Item, error) {
			gone = len(b.Withdraw(func(now questions.Item) bool { return now.ID == it.ID && over(now) })) > 0
			if !gone { // answered, or asked again, at this moment
				return nil, durable.ErrUnchanged
			}
			return &it, nil
		})
		if err != nil && !errors.Is(err, durable.ErrUnchanged) {
			return err
		}
		if gone && i.Settled != nil {
			i.Settled(it)
		}
	}
	return nil
}
