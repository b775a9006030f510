package relay

import (
	"slices"
	"time"
)

// No stream gets to this number, and a number behind it would soon be negative.
const farthest = 1 << 62

// Changes of types that wait for their answer.
const mostChanges = 64

type change struct {
	request int32
	types   []Range
	done    chan changed
}

type changed struct {
	sequence int64
	err      *Error
}

// Numbers, gaps and types of a subscriber, over all of its connections: bytes in, items and answers out. The number of
// the next message outlives the connection: the stream is resumed there. The first jump of the numbers that no frame
// explains ends the connection, and the stream is resumed at the first number in doubt. If the same jump comes again,
// it is reported as a gap. Guarded by the session's lock.
type subscriberCore struct {
	options *SubscriberOptions
	link    *link

	epoch, next, head int64
	// The stream's newest lives as of the last WELCOME, that of epoch first.
	lives []life
	// Items since the last batch was taken, and the place before them; those of another connection are set aside.
	setAside  func()
	items     []Item
	chunks    []*chunk
	itemBytes int
	start     int64

	filtered, numbered, narrowed bool
	doubted                      int64
	mostRanges                   int
	wasPlain                     bool

	state            stateStart
	holding, greeted []Range
	sent, waiting    []change
	requests         int32
	ended            *Error
}

func newSubscriberCore(options *SubscriberOptions) *subscriberCore {
	core := &subscriberCore{
		options: options, holding: options.Types, numbered: true, mostRanges: maxRanges, setAside: func() {},
		state: stateStart{isOn: options.Start.kind == startState, now: time.Now},
	}
	if options.Start.kind == startSequence || core.state.isOn {
		core.epoch, core.next = options.Start.epoch, options.Start.number
		core.start = core.next
	}
	return core
}

func (c *subscriberCore) begin(l *link) []byte {
	c.setAside()
	c.link = l
	if l.plain {
		l.events = append(l.events, Connected{Endpoint: l.endpoint, Plain: true})
		if c.wasPlain {
			c.notice(Missed{})
		}
		c.wasPlain = true
		return nil
	}
	c.sent = append(c.sent, c.waiting...)
	c.waiting = nil
	c.greeted = c.holding
	if len(c.sent) > 0 {
		c.greeted = c.sent[len(c.sent)-1].types
	}
	l.newer = c.options.newer()
	return c.options.hello(l.token, c.greeted, c.epoch, c.state.begin(c.next, c.holding, c.greeted))
}

// Takes note of what the last read brought.
func (c *subscriberCore) received() {
	if c.link.step > 0 {
		c.next = c.link.next
	}
	if c.state.isLateNow() {
		c.notice(StateLate{})
	}
	if last := len(c.items) - 1; last >= 0 {
		// WELCOME alone is no progress.
		_, isWelcome := c.items[last].Notice.(Connected)
		c.link.progress = c.link.progress || !isWelcome
	}
}

// The end of the connection needs nothing: the next HELLO says where the stream goes on.
func (c *subscriberCore) lost(*Error) {}

func (c *subscriberCore) finished() bool { return false }

// Asks for other types.
func (c *subscriberCore) change(types []Range) (chan changed, *Error) {
	if c.ended != nil {
		return nil, c.ended
	}
	if len(c.sent)+len(c.waiting) >= mostChanges {
		return nil, usage("%d changes of types wait for the relay already", mostChanges)
	}
	c.requests++
	done := make(chan changed, 1)
	c.waiting = append(c.waiting, change{c.requests, types, done})
	return done, nil
}

// The SUBSCRIBE frames to send now.
func (c *subscriberCore) output() []byte {
	var out []byte
	for _, one := range c.waiting {
		if len(one.types) > c.mostRanges {
			limit := c.mostRanges
			one.done <- changed{0, usage("%d ranges of types are over the relay's limit of %d", len(one.types), limit)}
		} else {
			c.sent = append(c.sent, one)
			out = append(out, encodeSubscribe(one.request, one.types)...)
		}
	}
	c.waiting = nil
	return out
}

// Ends all changes: no one is answered any more.
func (c *subscriberCore) end(cause *Error) {
	if c.ended == nil {
		c.ended = cause
	}
	for _, one := range append(c.sent, c.waiting...) {
		one.done <- changed{0, cause}
	}
	c.sent, c.waiting = nil, nil
}

func (c *subscriberCore) at(next int64) {
	c.next = next
	if c.numbered || !c.filtered {
		c.link.next, c.link.step = next, 1
	} else {
		// Without SEQUENCES the number of a single message is not known: 0.
		c.link.next, c.link.step = 0, 0
	}
}

func (c *subscriberCore) notice(n Notice) {
	c.items = append(c.items, Item{Notice: n})
	c.link.events = append(c.link.events, n)
}

func (c *subscriberCore) onMessage(typ int32, body []byte) *Error {
	if last := len(c.chunks) - 1; last < 0 || c.chunks[last] != c.link.chunk {
		c.link.chunk.users++
		c.chunks = append(c.chunks, c.link.chunk)
	}
	// In place: append would copy the item.
	last := len(c.items)
	c.items = slices.Grow(c.items, 1)[:last+1]
	item := &c.items[last]
	item.Sequence, item.Type, item.Body, item.Notice = c.link.next, typ, body, nil
	c.itemBytes += headerSize + len(body)
	c.link.next += c.link.step
	return nil
}

func (c *subscriberCore) onWelcome(w welcome) *Error {
	endpoint := c.link.endpoint
	if c.options.Level != LevelStream && !w.grants(featureLevels) {
		return failed(stop, "the relay at %s keeps no journal: level %v is not possible", endpoint, c.options.Level)
	}
	// With start = state another epoch brings all of the state, over this connection.
	if c.epoch != 0 && w.epochChanged && !w.rolledBack && !c.state.isOn {
		if rest, changed := inCommon(c.lives, w.lives); rest != nil {
			c.backTo(rest, changed)
			return older(endpoint, c.epoch)
		}
	}
	if c.state.asksAgain(c.epoch, w) {
		return askAgain("the state of the relay at %s was cut, and the relay began again", endpoint)
	}
	c.mostRanges = w.mostRanges
	news := connected(endpoint, w)
	if !c.state.isOn {
		c.link.events = append(c.link.events, news)
	}
	c.narrowed = w.grants(featureNarrowed)
	c.filtered = c.narrowed || len(c.greeted) > 0
	c.numbered = w.grants(featureSequences)
	if err := notTooFar(typeWelcome, w.next); err != nil {
		return err
	}
	other := c.epoch != 0 && w.epochChanged
	if other {
		if w.rolledBack {
			c.notice(RolledBack{w.fork, c.next - 1})
		} else {
			c.notice(StreamChanged{c.next})
		}
		c.head = 0
	}
	if c.state.isOn {
		news.Anew = c.state.welcomed(other)
		c.notice(news)
	}
	if news.Anew {
		c.next, c.start = 1, 1
	} else if other || c.next == 0 {
		c.next, c.start = w.next, w.next
	}
	c.epoch, c.lives = w.epoch, w.lives
	if err := c.notBack(typeWelcome, w.next); err != nil {
		return err
	}
	if w.next > c.next {
		if err := c.jump(typeWelcome, w.next); err != nil {
			return err
		}
	}
	c.at(w.next)
	if len(c.sent) > 0 {
		c.holding = c.sent[len(c.sent)-1].types
	}
	for _, one := range c.sent {
		one.done <- changed{w.next, nil}
	}
	c.sent = nil
	return nil
}

// Goes back to an older life, whose stream is the relay's up to the number before changed.
func (c *subscriberCore) backTo(lives []life, changed int64) {
	if c.next > changed {
		c.notice(RolledBack{changed, c.next - 1})
		c.next, c.start = changed, changed
	}
	c.epoch, c.lives, c.head = lives[0].epoch, lives, 0
}

func (c *subscriberCore) onPing(next, head int64) *Error {
	c.head = head
	// Next 0: the PING says nothing about the stream.
	if next == 0 {
		return nil
	}
	err := c.leftOut(typePing, next)
	if err == nil && next == head+1 && c.state.completed() {
		c.notice(StateComplete{next})
	}
	return err
}

// A subscriber sends no PING.
func (c *subscriberCore) onPong(int64) {}

func (c *subscriberCore) onControl(typ int32, body []byte) *Error {
	switch typ {
	case typeSequence:
		next, err := decodeSequence(body)
		if err != nil {
			return err
		}
		return c.leftOut(typ, next)
	case typeGap:
		gap, err := decodeGap(body)
		if err == nil {
			err = notTooFar(typ, gap.To)
		}
		if err == nil {
			err = c.leftOut(typ, gap.From)
		}
		if err != nil {
			return err
		}
		c.notice(gap)
		c.state.missed(gap)
		c.at(gap.To + 1)
		return nil
	case typeSubscribed:
		request, sequence, err := decodeSubscribed(body)
		if err == nil {
			err = c.leftOut(typ, sequence)
		}
		if err != nil {
			return err
		}
		if len(c.sent) == 0 || c.sent[0].request != request {
			return brokenRule(codeProtocolOrder,
				"SUBSCRIBED answers request %d, which is not the one to be answered", request)
		}
		one := c.sent[0]
		c.sent = c.sent[1:]
		c.state.changed(c.holding, one.types)
		c.holding = one.types
		c.filtered = c.narrowed || len(one.types) > 0
		c.at(sequence)
		one.done <- changed{sequence, nil}
		return nil
	}
	return unexpected(typ, "on the subscribe port")
}

// The next message has at least this number; those in between were left out.
func (c *subscriberCore) leftOut(typ int32, at int64) *Error {
	if c.link.step > 0 {
		c.next = c.link.next
	}
	if err := c.notBack(typ, at); err != nil {
		return err
	}
	if err := notTooFar(typ, at); err != nil {
		return err
	}
	if at > c.next && !c.filtered {
		if err := c.jump(typ, at); err != nil {
			return err
		}
	}
	c.at(at)
	return nil
}

func notTooFar(typ int32, at int64) *Error {
	if at > farthest {
		return brokenRule(codeMalformedControl,
			"%s to %d is beyond %d, where no stream gets", frameName(typ), at, int64(farthest))
	}
	return nil
}

func (c *subscriberCore) notBack(typ int32, at int64) *Error {
	if at < c.next {
		return brokenRule(codeProtocolOrder, "%s goes back from message %d to %d", frameName(typ), c.next, at)
	}
	return nil
}

func (c *subscriberCore) jump(typ int32, at int64) *Error {
	if c.options.Reconnect.Rounds != 0 && c.doubted != c.next {
		c.doubted = c.next
		return brokenRule(codeProtocolOrder,
			"%s jumps from message %d to %d without a reason", frameName(typ), c.next, at)
	}
	c.doubted = 0
	c.notice(Gap{c.next, at - 1, Unexplained})
	return nil
}
