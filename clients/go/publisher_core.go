package relay

import (
	"math"
	"math/rand/v2"
	"time"
)

// Bytes of messages after which a PING asks how far the relay has read.
const pingEvery = 1 << 20

// Messages of a publisher that are not settled, their numbers and acknowledgements, over all connections. They lie in a
// ring of frames, so nothing is stored beside them:
//
//	| first kept message | ... | written by this connection | not yet |
//	^ first (number)                                        ^ sent    ^ tail
//
// Positions only grow; those in the ring are the remainders. Guarded by the session's lock.
type publisherCore struct {
	options *PublisherOptions
	link    *link
	ring    []byte

	first, sent, tail int64
	// Number of the first kept message; 0: not known before the first WELCOME.
	number int64
	kept   int64
	// Numbers of the last message handed to, and taken by, the socket of this connection; and of any connection.
	handedTo, writtenTo, everHandedTo int64
	settledTo                         int64
	toldGone                          int64
	wasWelcomed                       bool
	handedBefore                      int64

	// With HELLO and without ACKS, where a message's number is the count of messages up to it:
	//
	//	| confirmed or doubted | over this connection, not confirmed | not handed to the socket yet |
	//	                                                     settled ^                     messages ^
	confirms  bool
	confirmed int64
	// Messages that were sent over lost connections and not confirmed; and how many of them the user was told of.
	doubted, told int64
	// Why the last of them are in doubt.
	doubtedBy *Error
	ping      ping
	// The id of the next PING, from the last one. Drawn, so that no relay answers a PING that it has not read.
	nextID    func(last int64) int64
	heartbeat time.Duration
	// Bytes of messages behind the last PING.
	unasked int64
	// Time of the last PING, or of the first message that is not confirmed, whichever was later.
	since time.Time
	// Number of the last message that a flush waits for.
	flushTo int64

	maxBody int
	epoch   int64
	// The stream's newest lives as of the last WELCOME, that of epoch first; with ACKS.
	lives       []life
	firstNumber int64
	messages    int64
	bytes       int64
	settled     int64
	failure     *Error
	closing     bool
}

// The last PING of a publisher, which asks about the messages up to number.
type ping struct {
	id, number int64
	// Whether its PONG is still to come; the socket has all of it; its PONG was here before the write was over.
	waits, written, answered bool
}

func newPublisherCore(options *PublisherOptions) *publisherCore {
	core := &publisherCore{
		options: options, ring: make([]byte, options.Buffer), number: options.FirstNumber, maxBody: options.MaxBody,
		epoch: options.FirstEpoch, firstNumber: options.FirstNumber,
		// Not 0, which no PING has.
		nextID: func(int64) int64 { return 1 + rand.Int64N(math.MaxInt64) },
	}
	if !options.Acks {
		// These numbers are for this side alone.
		core.number = 1
		core.confirms = !options.Plain
	}
	core.startAt(max(core.number, 1))
	return core
}

func (c *publisherCore) startAt(number int64) {
	c.handedTo, c.writtenTo, c.everHandedTo = number-1, number-1, number-1
}

// Number of messages, in their order, that need no more waiting: a flush up to there is over.
func (c *publisherCore) done() int64 {
	if c.confirms {
		return c.confirmed + c.doubted
	}
	return c.settled
}

// A flush, of the messages up to target; the user had been told by then that so many are in doubt.
type flush struct{ target, told int64 }

func (c *publisherCore) flush() flush {
	c.flushTo = max(c.flushTo, c.messages)
	return flush{c.messages, c.told}
}

// Whether a flush is over, and what it tells; cause: its time is over, for this reason.
func (c *publisherCore) flushed(f flush, cause error) (bool, *InDoubtError) {
	var why *InDoubtError
	switch {
	case c.done() < f.target && c.failure != nil:
		why = c.outstanding(f.told, c.failure)
	case c.done() < f.target && cause != nil:
		why = c.outstanding(f.told, cause)
	case c.done() < f.target:
		return false, nil
	case c.doubted > f.told:
		why = &InDoubtError{Sent: c.settled, InDoubt: c.doubted - f.told, Err: c.doubtedBy}
	}
	c.told = max(c.told, c.doubted)
	return true, why
}

// What is not settled, but for the doubts that were told before.
func (c *publisherCore) outstanding(told int64, cause error) *InDoubtError {
	if c.confirms {
		return &InDoubtError{Sent: c.settled, InDoubt: c.settled - c.confirmed - told, Unsent: c.kept, Err: cause}
	}
	// With ACKS what was sent is kept; the numbers of a publisher that was never welcomed are not known.
	sent := int64(0)
	if c.options.Acks && c.number > 0 {
		sent = min(c.kept, c.everHandedTo-c.number+1)
	}
	return &InDoubtError{Sent: c.settled + sent, InDoubt: sent, Unsent: c.kept - sent, Err: cause}
}

// Whether nothing is left to send, now or later.
func (c *publisherCore) finished() bool { return c.closing && c.kept == 0 }

// Takes a message; false: there is no room for it now.
func (c *publisherCore) offer(typ int32, body []byte) (bool, *Error) {
	if len(body) > c.maxBody {
		return false, usage("body of %d bytes is over the limit of %d", len(body), c.maxBody)
	}
	if typ <= lastReserved {
		return false, usage("type %d is reserved: the lowest is %d", typ, lastReserved+1)
	}
	if c.failure != nil {
		return false, c.failure
	}
	if c.closing {
		return false, usage("the publisher is closed")
	}
	size := int64(headerSize + len(body))
	if c.tail-c.first+size > int64(len(c.ring)) {
		return false, nil
	}
	var header [headerSize]byte
	c.put(c.tail, appendHeader(header[:0], typ, len(body)))
	c.put(c.tail+headerSize, body)
	c.tail += size
	c.kept++
	c.messages++
	c.bytes += size
	return true, nil
}

func (c *publisherCore) put(at int64, data []byte) {
	n := copy(c.ring[at%int64(len(c.ring)):], data)
	copy(c.ring, data[n:])
}

// Length of the frame at this place.
func (c *publisherCore) frameAt(at int64) int64 {
	at = (at + 4) % int64(len(c.ring))
	if at+4 <= int64(len(c.ring)) {
		return headerSize + int64(be.Uint32(c.ring[at:]))
	}
	var length uint32
	for i := range int64(4) {
		length = length<<8 | uint32(c.ring[(at+i)%int64(len(c.ring))])
	}
	return headerSize + int64(length)
}

func (c *publisherCore) begin(l *link) []byte {
	c.link = l
	if c.number > 0 {
		c.forget(min(c.settledTo, c.everHandedTo))
		c.handedTo, c.writtenTo = c.number-1, c.number-1
	}
	c.sent = c.first
	c.handedBefore = c.messages - c.kept
	c.ping.waits, c.unasked = false, 0
	if l.plain {
		l.events = append(l.events, Connected{Endpoint: l.endpoint, Plain: true})
		return nil
	}
	number := c.number
	if !c.options.Acks {
		number = 0
	}
	return c.options.hello(l.token, c.epoch, number)
}

func (c *publisherCore) mayWrite() bool { return c.link.isOpen && c.link.goingAway == 0 }

// All frames to write now, whole ones, in one or two pieces; no more than up to the place of the next PING.
func (c *publisherCore) frames() (pieces [2][]byte) {
	if c.sent == c.tail || !c.mayWrite() {
		return pieces
	}
	end, last := c.tail, c.number+c.kept-1
	if c.confirms {
		end, last = c.upToPing(end, last)
		c.unasked += end - c.sent
	}
	size := int64(len(c.ring))
	from, to := c.sent%size, end%size
	if from < to {
		pieces[0] = c.ring[from:to]
	} else {
		pieces[0], pieces[1] = c.ring[from:], c.ring[:to]
	}
	c.handedTo = last
	c.everHandedTo = max(c.everHandedTo, c.handedTo)
	return pieces
}

// The end of the kept frames, and the number of the last one, or of those before the next PING's place.
func (c *publisherCore) upToPing(end, last int64) (int64, int64) {
	room := pingEvery - c.unasked
	if room <= 0 {
		// The last PING is not answered yet. The next one has its place behind this write, if it is by then.
		room = pingEvery
	}
	if end-c.sent <= room {
		return end, last
	}
	end, last = c.sent, c.number-1
	for end-c.sent < room {
		end += c.frameAt(end)
		last++
	}
	return end, last
}

// The PING to write behind the frames that are written now; nil: none.
func (c *publisherCore) nextPing(now time.Time) []byte {
	if !c.confirms || !c.mayWrite() {
		return nil
	}
	done := c.done()
	if c.settled == done {
		c.since = now
	}
	if c.handedTo == done || c.ping.waits {
		return nil
	}
	isFlushed := done < c.flushTo && c.flushTo <= c.handedTo
	if c.unasked < pingEvery && !isFlushed && now.Sub(c.since) < c.heartbeat {
		return nil
	}
	c.ping = ping{id: c.nextID(c.ping.id), number: c.handedTo, waits: true}
	c.unasked, c.since = 0, now
	return encodePing(c.ping.id)
}

// When the heartbeat asks for the next PING; false: nothing asks for one.
func (c *publisherCore) pingDue() (time.Time, bool) {
	return c.since.Add(c.heartbeat), c.confirms && c.mayWrite() && !c.ping.waits && c.settled > c.done()
}

func (c *publisherCore) onPong(id int64) {
	if c.ping.waits && id == c.ping.id {
		c.ping.answered = true
		c.confirm()
	}
}

// The PONG may be here before the write of its PING returns. What that write took counts only then.
func (c *publisherCore) confirm() {
	if c.ping.waits && c.ping.written && c.ping.answered {
		c.ping.waits = false
		c.confirmed = c.ping.number - c.doubted
	}
}

// The socket has taken so many bytes of the frames that it was given; all: every one, and the PING behind them.
func (c *publisherCore) written(bytes int64, all bool) {
	c.sent += bytes
	if all {
		c.writtenTo = c.handedTo
	}
	switch {
	case c.options.Acks:
		c.forget(min(c.settledTo, c.writtenTo))
	case all:
		c.forget(c.writtenTo)
		c.ping.written = true
		c.confirm()
	default:
		// Frames that are whole in the socket are settled; the others go over the next connection.
		for c.kept > 0 && c.first+c.frameAt(c.first) <= c.sent {
			c.forget(c.number)
		}
	}
}

// Takes note of what the last read brought.
func (c *publisherCore) received() {}

// The connection has ended.
func (c *publisherCore) lost(end *Error) {
	if c.confirms {
		if sent := c.settled - c.done(); sent > 0 {
			c.doubted += sent
			c.doubtedBy = end
			c.link.events = append(c.link.events, InDoubt{sent})
		}
		return
	}
	if handed := c.messages - c.kept - c.handedBefore; !c.options.Acks && handed > 0 && !(c.closing && c.kept == 0) {
		c.link.events = append(c.link.events, InDoubt{handed})
	}
}

func (c *publisherCore) end(cause *Error) {
	if c.failure == nil {
		c.failure = cause
	}
}

func (c *publisherCore) output() []byte { return nil }

// Forgets the kept messages up to this number.
func (c *publisherCore) forget(number int64) {
	for c.kept > 0 && c.number > 0 && c.number <= number {
		c.first += c.frameAt(c.first)
		c.number++
		c.kept--
		c.settled++
	}
}

func (c *publisherCore) onMessage(typ int32, _ []byte) *Error {
	if c.link.plain {
		// Before the ERROR that names the mistake, a plain publisher on the subscribe port gets messages.
		return nil
	}
	return brokenRule(codeProtocolOrder, "a message of type %d from the relay on the publish port", typ)
}

func (c *publisherCore) onPing(_, _ int64) *Error { return nil }

func (c *publisherCore) onWelcome(w welcome) *Error {
	endpoint := c.link.endpoint
	if c.options.Acks && !w.grants(featureAcks) {
		return failed(stop, "the relay at %s grants no acknowledgements", endpoint)
	}
	if c.options.Level != LevelStream && !w.grants(featureLevels) {
		return failed(stop, "the relay at %s keeps no journal: level %v is not possible", endpoint, c.options.Level)
	}
	if c.epoch != 0 && w.epochChanged && !w.rolledBack {
		if rest, _ := inCommon(c.lives, w.lives); rest != nil {
			c.epoch, c.lives = rest[0].epoch, rest
			return older(endpoint, c.epoch)
		}
	}
	c.maxBody = min(c.options.MaxBody, w.maxBody)
	c.heartbeat = time.Duration(w.heartbeatMs) * time.Millisecond
	c.link.events = append(c.link.events, connected(endpoint, w))
	if c.options.Acks {
		if err := c.numbered(w); err != nil {
			return err
		}
	}
	c.epoch, c.lives = w.epoch, w.lives
	if !w.epochChanged {
		return nil
	}
	if c.options.Acks && w.rolledBack {
		// The relay does not know what it has told this publisher, and may tell it again.
		from, to := max(w.fork, c.toldGone+1), c.number-1
		c.toldGone = to
		if from <= to {
			c.link.events = append(c.link.events, RolledBack{from, to})
		}
	} else {
		c.link.events = append(c.link.events, StreamChanged{})
	}
	return nil
}

func (c *publisherCore) numbered(w welcome) *Error {
	switch {
	case w.accepted == math.MaxInt64:
		return brokenRule(codeMessageGap, "WELCOME has accepted %d, which leaves no number", w.accepted)
	case c.number == 0:
		c.number, c.firstNumber = w.accepted+1, w.accepted+1
		c.startAt(c.number)
	case 0 < w.accepted && w.accepted < c.number-1 && !w.epochChanged:
		return brokenRule(codeMessageGap,
			"WELCOME has accepted only %d, this publisher goes on with %d", w.accepted, c.number)
	case w.accepted >= c.number && w.accepted > c.settledTo:
		// The caller may have published these numbers in an earlier process: only at first.
		if c.wasWelcomed && w.accepted > c.everHandedTo {
			return c.neverSent("WELCOME", w.accepted, c.everHandedTo)
		}
		// The relay counts this connection's messages from HELLO's number on: they are sent before they are forgotten.
		c.settledTo = w.accepted
		c.link.events = append(c.link.events, acked{w.accepted, 0})
	}
	c.wasWelcomed = true
	return nil
}

func (c *publisherCore) neverSent(frame string, number, sentTo int64) *Error {
	return brokenRule(codeProtocolOrder,
		"%s speaks of message %d, the last one that was sent is %d", frame, number, sentTo)
}

func (c *publisherCore) onControl(typ int32, body []byte) *Error {
	if typ != typeAck || !c.options.Acks {
		return unexpected(typ, "to a publisher that did not ask for it")
	}
	a, err := decodeAck(body)
	if err != nil {
		return err
	}
	c.link.progress = true
	if a.number > c.handedTo {
		return c.neverSent("ACK", a.number, c.handedTo)
	}
	if settled := a.at(c.options.Level); settled >= c.number && settled > c.settledTo {
		c.settledTo = settled
		sequence := a.sequence
		if settled != a.number {
			sequence = 0
		}
		c.link.events = append(c.link.events, acked{settled, sequence})
		c.forget(min(settled, c.writtenTo))
	}
	return nil
}
