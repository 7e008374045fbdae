package notify

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// outboxFile is the outbox's path, under the store's folder.
const outboxFile = "state/outbox.json"

// Outbox is the document: what is still to be sent, and each channel's position.
type Outbox struct {
	Version  int      `json:"version"`
	Seq      int64    `json:"seq"` // of the newest message
	Dropped  int      `json:"dropped,omitempty"`
	Channels []Cursor `json:"channels"`
	Queue    []Entry  `json:"queue"`
}

// Entry is a waiting message.
type Entry struct {
	lossless.Origin
	Seq     int64   `json:"seq"`
	At      string  `json:"at"`
	Message Message `json:"message"`
}

// Cursor is the position of one channel.
type Cursor struct {
	lossless.Origin
	Name    string `json:"name"`
	Done    int64  `json:"done"`             // the newest sent message
	Last    int64  `json:"last,omitempty"`   // the channel's highest message number
	Trying  int64  `json:"trying,omitempty"` // the message being sent
	Tries   int    `json:"tries,omitempty"`  // its tries, counted up to enough
	Floor   int64  `json:"floor,omitempty"`  // Last before the first try
	Offset  int64  `json:"offset,omitempty"` // of the next thing people said
	Sent    int    `json:"sent"`
	Refused int    `json:"refused,omitempty"`
	Ignored int    `json:"ignored,omitempty"` // messages of strangers
	Trouble string `json:"trouble,omitempty"` // why nothing can be sent now
	Deaf    string `json:"deaf,omitempty"`    // why nothing can be received now
	Until   string `json:"until,omitempty"`   // the pause that the channel asked for
}

// maxQueue bounds the queue of a channel that is down for long: the oldest messages that are no
// questions are dropped first.
const maxQueue = 1000

var outboxKind = durable.Kind[Outbox]{Name: "outbox", Version: 1}

// box is the outbox of a project.
type box struct {
	doc *durable.Doc[Outbox]
	now func() time.Time
}

func openBox(store *durable.Store, now func() time.Time) box {
	return box{durable.Open(store, outboxFile, outboxKind), now}
}

// Read returns the outbox of a project; an empty one if there is none.
func Read(store *durable.Store, now func() time.Time) (*Outbox, error) {
	return openBox(store, now).read()
}

// Post puts a message into the outbox for the named channels. The holder of the bridge's lease
// sends it.
func Post(store *durable.Store, now func() time.Time, channels []string, m Message) error {
	return openBox(store, now).post(channels, m)
}

func (b box) read() (*Outbox, error) {
	v, err := b.doc.Read()
	if durable.IsMissing(err) {
		return &Outbox{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the outbox: %w", err)
	}
	return v.Doc, nil
}

func (b box) edit(name string, fn func(*Outbox)) error {
	_, err := b.doc.Update(func(tx *durable.Tx[Outbox]) error {
		if tx.Doc == nil {
			tx.Doc = &Outbox{Version: 1}
		}
		fn(tx.Doc)
		tx.Log(name, nil)
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing the outbox: %w", err)
	}
	return nil
}

func (b box) post(channels []string, m Message) error {
	if len(channels) == 0 {
		return nil
	}
	return b.edit("posted", func(o *Outbox) { o.add(channels, m, b.now()) })
}

// sent records that a channel is done with a message.
func (b box) sent(channels []string, channel string, seq, ref int64, refused bool) error {
	return b.edit("sent", func(o *Outbox) {
		c := o.cursor(channel)
		if seq <= c.Done {
			return
		}
		c.Done, c.Trouble, c.Until = seq, "", ""
		if refused {
			c.Refused++
		} else {
			c.Sent, c.Last = c.Sent+1, max(ref, c.Last)
		}
		o.trim(channels)
	})
}

// countedTries is how many tries are counted: from then on all are alike.
const countedTries = 3

// trying records that a message is about to be tried, and returns the resulting cursor.
func (b box) trying(channel string, seq int64, at Cursor) (Cursor, error) {
	if at.Trying == seq && at.Tries >= countedTries {
		return at, nil
	}
	err := b.edit("trying", func(o *Outbox) {
		c := o.cursor(channel)
		if c.Trying != seq {
			c.Trying, c.Tries, c.Floor = seq, 0, c.Last
		}
		c.Tries++
		at = *c
	})
	return at, err
}

// notTried takes back a try that surely did not arrive.
func (b box) notTried(channel string, seq int64) error {
	return b.edit("not tried", func(o *Outbox) {
		if c := o.cursor(channel); c.Trying == seq && c.Tries == 1 {
			c.Trying, c.Tries = 0, 0
		}
	})
}

// heard records that something was received, and the reply to it: both or neither.
func (b box) heard(channels []string, channel string, u Update, reply string) error {
	return b.edit("heard", func(o *Outbox) {
		c := o.cursor(channel)
		if u.ID < c.Offset {
			return
		}
		c.Offset = u.ID + 1
		c.Last = max(c.Last, u.Ref)
		if u.Foreign {
			c.Ignored++
		}
		if reply != "" {
			o.add(channels, Message{Kind: Reply, Text: reply, Only: channel}, b.now())
		}
	})
}

// add appends a message. A new channel gets no earlier messages.
func (o *Outbox) add(channels []string, m Message, now time.Time) {
	for _, name := range channels {
		o.cursor(name)
	}
	o.Seq++
	o.Queue = append(o.Queue, Entry{Seq: o.Seq, At: now.UTC().Format(time.RFC3339), Message: m})
	for len(o.Queue) > maxQueue {
		n := max(0, slices.IndexFunc(o.Queue, func(e Entry) bool { return e.Message.Kind != Decision }))
		o.Queue, o.Dropped = slices.Delete(o.Queue, n, n+1), o.Dropped+1
	}
}

func (o *Outbox) cursor(name string) *Cursor {
	for i := range o.Channels {
		if o.Channels[i].Name == name {
			return &o.Channels[i]
		}
	}
	o.Channels = append(o.Channels, Cursor{Name: name, Done: o.Seq})
	return &o.Channels[len(o.Channels)-1]
}

// head returns the next message for a channel.
func (o *Outbox) head(channel string) (Entry, Cursor, bool) {
	c := o.cursor(channel)
	for _, e := range o.Queue {
		if e.Seq > c.Done && (e.Message.Only == "" || e.Message.Only == channel) {
			return e, *c, true
		}
	}
	return Entry{}, *c, false
}

// trim drops what all channels are done with.
func (o *Outbox) trim(channels []string) {
	needed := func(e Entry) bool {
		return slices.ContainsFunc(channels, func(name string) bool {
			return (e.Message.Only == "" || e.Message.Only == name) && e.Seq > o.cursor(name).Done
		})
	}
	n := 0
	for n < len(o.Queue) && !needed(o.Queue[n]) {
		n++
	}
	o.Queue = slices.Delete(o.Queue, 0, n)
}

// Standing returns a channel's position, and how many messages wait for it.
func (o *Outbox) Standing(channel string) (Cursor, int) {
	c, n := *o.cursor(channel), 0
	for _, e := range o.Queue {
		if e.Seq > c.Done && (e.Message.Only == "" || e.Message.Only == channel) {
			n++
		}
	}
	return c, n
}
