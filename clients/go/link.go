package relay

import (
	"fmt"
	"time"
)

// What differs between subscriber and publisher. An error ends the connection.
type handler interface {
	onWelcome(w welcome) *Error
	onPing(next, head int64) *Error
	onPong(id int64)
	onControl(typ int32, body []byte) *Error
	onMessage(typ int32, body []byte) *Error
}

// Bytes of one read buffer.
const chunkSize = 256 << 10

// Read buffers that wait to be used again: one is read into, one is with the user, one waits between them.
const mostSpare = 3

// A read buffer. Bodies of messages point into it, so it is read into again only when it has no users: the link that
// reads into it, and each batch with messages in it.
type chunk struct {
	bytes []byte
	users int
}

// Read buffers of one client, over all of its connections.
type chunks struct{ spare []*chunk }

// A buffer of at least size bytes with one user.
func (c *chunks) take(size int) *chunk {
	if last := len(c.spare) - 1; last >= 0 && size <= chunkSize {
		taken := c.spare[last]
		c.spare = c.spare[:last]
		taken.users = 1
		return taken
	}
	return &chunk{make([]byte, max(chunkSize, size)), 1}
}

// Takes note of users that need their buffers no more.
func (c *chunks) release(unused ...*chunk) {
	for _, one := range unused {
		if one.users--; one.users == 0 && len(one.bytes) == chunkSize && len(c.spare) < mostSpare {
			c.spare = append(c.spare, one)
		}
	}
}

// One connection's input, without a socket: frames, WELCOME before all else, PING and its answer.
type link struct {
	endpoint string
	token    string
	plain    bool
	// What HELLO has that a relay of an earlier version takes for malformed; empty: nothing.
	newer     string
	maxBody   int
	handler   handler
	isOpen    bool
	idle      time.Duration
	heartbeat time.Duration
	// Time of the last PONG, or of WELCOME; the reader's own.
	spoke     time.Time
	progress  bool
	goingAway int
	// Time of RETRY_AFTER, if one has come.
	retryAfter    time.Duration
	hasRetryAfter bool
	// Number of the next message, and what a message adds to it: 0 while single messages have no numbers.
	next, step int64
	events     []Event

	chunks     *chunks
	chunk      *chunk
	start, end int
	// Id of the last PING; of several this one is answered.
	pong    int64
	hasPong bool
}

// Room to read into, behind what is there of a frame.
func (l *link) space() []byte {
	// A few bytes at the end of a chunk are not worth a read.
	const least = 4 << 10
	if l.chunk == nil {
		l.chunk = l.chunks.take(chunkSize)
	}
	size := len(l.chunk.bytes)
	isLarge := size > chunkSize && l.end < size
	if !isLarge && size-l.end < least {
		l.renew(chunkSize)
	}
	return l.chunk.bytes[l.end:]
}

// Moves the frame that has begun to another chunk: bodies point into this one.
func (l *link) renew(size int) {
	old := l.chunk
	l.chunk = l.chunks.take(size)
	l.end = copy(l.chunk.bytes, old.bytes[l.start:l.end])
	l.start = 0
	l.chunks.release(old)
}

// Gives the read buffer back; nothing more is read.
func (l *link) close() {
	if l.chunk != nil {
		l.chunks.release(l.chunk)
		l.chunk, l.start, l.end = nil, 0, 0
	}
}

// Takes n bytes that were read into the room: the connection's last frame, or a broken rule, is an error.
func (l *link) received(n int) *Error {
	l.end += n
	for l.end-l.start >= headerSize {
		bytes := l.chunk.bytes
		typ := int32(be.Uint32(bytes[l.start:]))
		length := int(int32(be.Uint32(bytes[l.start+4:])))
		isControl := typ <= lastReserved
		limit := l.maxBody
		if isControl {
			limit = maxControl
		}
		if length < 0 {
			return brokenRule(codeNegativeLength, "a frame announces a body of %d bytes", length)
		}
		if length > limit {
			return brokenRule(codeOversizedLength,
				"a frame of type %d announces %d bytes, the limit is %d", typ, length, limit)
		}
		body := l.start + headerSize
		stop := body + length
		if stop > l.end {
			if stop > len(bytes) {
				l.renew(max(chunkSize, stop-l.start))
			}
			return nil
		}
		l.start = stop
		var err *Error
		if isControl {
			err = l.control(typ, bytes[body:stop])
		} else if l.isOpen {
			err = l.handler.onMessage(typ, bytes[body:stop:stop])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *link) control(typ int32, body []byte) *Error {
	switch {
	case typ == typeError:
		code, text, err := decodeError(body)
		if err != nil {
			return err
		}
		end := fromRelay(code, text)
		if code == codeMalformedControl && !l.isOpen && l.newer != "" {
			end.Text = fmt.Sprintf("this relay is older than %s: %s", l.newer, end.Text)
		}
		return end
	case typ == typeRetryAfter:
		ms, err := decodeRetryAfter(body)
		l.retryAfter, l.hasRetryAfter = time.Duration(ms)*time.Millisecond, err == nil
		return err
	case typ >= mustUnderstand:
		return brokenRule(codeUnsupported, "%s is not known here", frameName(typ))
	case l.plain || typ < typeHello || typ > typeSubscribed:
		return nil
	case typ == typeHello || typ == typeSubscribe:
		return unexpected(typ, "is for clients to send")
	case typ == typeWelcome && l.isOpen:
		return unexpected(typ, "for the second time")
	case typ == typeWelcome:
		w, err := decodeWelcome(body)
		if err != nil {
			return err
		}
		if w.version != 1 {
			return brokenRule(codeUnsupported, "WELCOME chooses version %d, only 1 was offered", w.version)
		}
		l.isOpen = true
		l.idle = time.Duration(w.idleMs) * time.Millisecond
		l.heartbeat = time.Duration(w.heartbeatMs) * time.Millisecond
		return l.handler.onWelcome(w)
	case !l.isOpen:
		return unexpected(typ, "before WELCOME")
	case typ == typePing:
		id, next, head, err := decodePing(body)
		if err != nil {
			return err
		}
		l.progress = true
		if err := l.handler.onPing(next, head); err != nil {
			return err
		}
		l.pong, l.hasPong = id, true
		return nil
	case typ == typePong:
		id, err := decodePong(body)
		if err == nil {
			l.handler.onPong(id)
		}
		return err
	case typ == typeGoAway:
		code, ms, text, err := decodeGoAway(body)
		if err != nil {
			return err
		}
		l.goingAway = code
		l.events = append(l.events, GoingAway{l.endpoint, code, printable(text), time.Duration(ms) * time.Millisecond})
		return nil
	}
	return l.handler.onControl(typ, body)
}

func (l *link) isWithinFrame() bool { return l.end > l.start }

func unexpected(typ int32, when string) *Error {
	return brokenRule(codeProtocolOrder, "%s from the relay %s", frameName(typ), when)
}

func connected(endpoint string, w welcome) Connected {
	return Connected{
		Endpoint: endpoint, Epoch: w.epoch, Next: w.next, Accepted: w.accepted, Policy: w.policy, Server: w.server,
		Peer: w.peer, Interval: time.Duration(w.intervalMs) * time.Millisecond,
	}
}
