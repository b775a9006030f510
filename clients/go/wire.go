package relay

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// Types of control frames, as signed numbers. The reserved types are the lowest.
const (
	typeHello int32 = math.MinInt32 + 1 + iota
	typeWelcome
	typeSubscribe
	typePing
	typePong
	typeSequence
	typeGap
	typeAck
	typeError
	typeGoAway
	typeSubscribed
	typeRetryAfter

	lastReserved   int32 = math.MinInt32 + 0xFF
	mustUnderstand int32 = math.MinInt32 + 0x80
)

const (
	headerSize = 8
	maxControl = 16_384
	maxBody    = 64 << 20
	maxRanges  = 1_024
	maxName    = 255
	maxText    = 512
	// Longest time of RETRY_AFTER, in ms.
	maxRetryAfter = 3_600_000
	// Limits of an interval other than 0.
	minIntervalMs = 10
	maxIntervalMs = 3_600_000

	roleSubscriber = 1
	rolePublisher  = 2

	featureAcks      = 1 << 0
	featureSequences = 1 << 1
	featureNarrowed  = 1 << 2
	featureInterval  = 1 << 3
	featurePeer      = 1 << 4
	featureLevels    = 1 << 5
	featureEpochs    = 1 << 6
	featureToken     = 1 << 16
)

var frameNames = [...]string{
	"HELLO", "WELCOME", "SUBSCRIBE", "PING", "PONG", "SEQUENCE", "GAP", "ACK", "ERROR", "GOAWAY", "SUBSCRIBED",
	"RETRY_AFTER",
}

func frameName(typ int32) string {
	name := "control frame"
	if at := int(typ - typeHello); at >= 0 && at < len(frameNames) {
		name = frameNames[at]
	}
	return fmt.Sprintf("%s (0x%08X)", name, uint32(typ))
}

var be = binary.BigEndian

func appendHeader(b []byte, typ int32, length int) []byte {
	return be.AppendUint32(be.AppendUint32(b, uint32(typ)), uint32(length))
}

func frame(typ int32, body []byte) []byte {
	return append(appendHeader(make([]byte, 0, headerSize+len(body)), typ, len(body)), body...)
}

func appendString(b []byte, text string) []byte {
	return append(be.AppendUint16(b, uint16(len(text))), text...)
}

func appendRanges(b []byte, ranges []Range) []byte {
	for _, r := range ranges {
		b = be.AppendUint32(be.AppendUint32(b, uint32(r.From)), uint32(r.To))
	}
	return b
}

// Fields of HELLO, without those that are always the same.
type hello struct {
	role, policy, start byte
	features            uint32
	heartbeatMs         int32
	epoch, number       int64
	ranges              []Range
	name, token         string
	producer            [16]byte
	level               Level
	// 0: none, and not asked for.
	intervalMs uint32
}

func (h *hello) encode() []byte {
	b := be.AppendUint16(be.AppendUint16(nil, 1), 1)
	b = append(b, h.role, h.policy, h.start, 0)
	b = be.AppendUint32(be.AppendUint32(b, h.features), uint32(h.heartbeatMs))
	b = be.AppendUint64(be.AppendUint64(b, uint64(h.epoch)), uint64(h.number))
	b = append(be.AppendUint16(b, uint16(len(h.ranges))), 0, 0, 0, 0, 0, 0)
	b = appendString(appendRanges(b, h.ranges), h.name)
	if h.producer != [16]byte{} || h.features&(featureToken|featureLevels|featureInterval) != 0 {
		b = append(b, h.producer[:]...)
	}
	if h.features&featureToken != 0 {
		b = appendString(b, h.token)
	}
	if h.features&featureLevels != 0 {
		b = append(b, byte(h.level))
	}
	if h.features&featureInterval != 0 {
		b = be.AppendUint32(b, h.intervalMs)
	}
	return frame(typeHello, b)
}

func encodeSubscribe(request int32, ranges []Range) []byte {
	b := be.AppendUint32(nil, uint32(request))
	b = append(be.AppendUint16(b, uint16(len(ranges))), 0, 0)
	return frame(typeSubscribe, appendRanges(b, ranges))
}

// A publisher's PING. It has no next and head.
func encodePing(id int64) []byte {
	return frame(typePing, append(be.AppendUint64(nil, uint64(id)), make([]byte, 16)...))
}

func encodePong(id int64) []byte { return frame(typePong, be.AppendUint64(nil, uint64(id))) }

func encodeError(code int, text string) []byte {
	if len(text) > maxText {
		text = text[:maxText]
		// A cut within a character would not be UTF-8.
		for len(text) > 0 && !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	return frame(typeError, append(be.AppendUint16(nil, uint16(code)), text...))
}

// Reads the fields of one control frame; the first one that is out of range is its error.
type fields struct {
	typ  int32
	body []byte
	err  *Error
}

func read(typ int32, body []byte, size int) *fields {
	f := &fields{typ: typ, body: body}
	if len(body) < size {
		f.malformed("body of %d bytes is shorter than its fields of %d", len(body), size)
		f.body = make([]byte, size)
	}
	return f
}

func (f *fields) malformed(format string, args ...any) {
	if f.err == nil {
		f.err = brokenRule(codeMalformedControl, "%s: %s", frameName(f.typ), fmt.Sprintf(format, args...))
	}
}

func (f *fields) within(field string, value, low, high int64) int64 {
	if value < low || value > high {
		f.malformed("%s %d is not within %d..%d", field, value, low, high)
	}
	return value
}

func (f *fields) reserved(value int64) {
	if value != 0 {
		f.malformed("reserved field is %d, not 0", value)
	}
}

func (f *fields) u16(at int) int64 { return int64(be.Uint16(f.body[at:])) }

func (f *fields) i32(at int) int64 { return int64(int32(be.Uint32(f.body[at:]))) }

func (f *fields) i64(at int) int64 { return int64(be.Uint64(f.body[at:])) }

type welcome struct {
	version      int64
	policy       Policy
	epochChanged bool
	rolledBack   bool
	features     uint32
	epoch        int64
	next         int64
	accepted     int64
	maxBody      int
	heartbeatMs  int64
	idleMs       int64
	mostRanges   int
	server       string
	fork         int64
	// The stream's newest lives, the newest first; without EPOCHS none.
	lives []life
	// 0 without INTERVAL.
	intervalMs int64
	// Nil without PEER.
	peer *Peer
}

func (w *welcome) grants(feature uint32) bool { return w.features&feature != 0 }

func decodeWelcome(body []byte) (w welcome, err *Error) {
	f := read(typeWelcome, body, 50)
	w.version = f.within("version", f.u16(0), 1, math.MaxUint16)
	w.policy = Policy(f.within("policy", int64(f.body[2]), 0, int64(PolicyLatest)))
	flags := f.body[3]
	w.epochChanged = flags&1 != 0
	w.rolledBack = flags&3 == 3
	w.features = be.Uint32(f.body[4:])
	w.epoch = f.i64(8)
	if w.epoch == 0 {
		f.malformed("epoch is 0, which stands for none")
	}
	w.next = f.within("next", f.i64(16), 1, math.MaxInt64)
	w.accepted = f.within("accepted", f.i64(24), 0, math.MaxInt64)
	w.maxBody = int(f.within("longest body", f.i32(32), 1, maxBody))
	w.heartbeatMs = f.within("heartbeat in ms", f.i32(36), 100, 3_600_000)
	w.idleMs = f.within("idle timeout in ms", f.i32(40), w.heartbeatMs, math.MaxInt32)
	w.mostRanges = int(f.u16(44))
	f.reserved(f.u16(46))
	var end int
	w.server, end = f.text("server", 48)
	if f.err != nil {
		return w, f.err
	}
	if len(body) > end {
		if len(body) < end+8 {
			f.malformed("body of %d bytes ends within fork, which needs %d", len(body), end+8)
			return w, f.err
		}
		w.fork = f.i64(end)
	}
	if w.rolledBack {
		f.within("fork, needed for ROLLED_BACK,", w.fork, 1, math.MaxInt64)
	} else if w.fork != 0 {
		f.malformed("fork %d is not 0 without ROLLED_BACK", w.fork)
	}
	// With any field behind it fork is there.
	at := end + 8
	if w.grants(featureEpochs) && f.err == nil {
		w.lives = f.lives(at)
		at += 4 + 16*len(w.lives)
	}
	if w.grants(featureInterval) && f.hasRoom("interval", at, 4) {
		w.intervalMs = f.within("interval in ms", f.i32(at), minIntervalMs, maxIntervalMs)
		at += 4
	}
	if w.grants(featurePeer) {
		w.peer = new(Peer)
		w.peer.Address, at = f.text("address", at)
		w.peer.Identity, _ = f.text("identity", at)
	}
	return w, f.err
}

// Whether the body holds so many bytes of the field at this offset, and nothing was wrong before it.
func (f *fields) hasRoom(field string, at, size int) bool {
	if f.err == nil && at+size > len(f.body) {
		f.malformed("body of %d bytes ends within %s, which needs %d", len(f.body), field, at+size)
	}
	return f.err == nil
}

// The string at this offset, and the offset behind it.
func (f *fields) text(field string, at int) (string, int) {
	if !f.hasRoom("the length of "+field, at, 2) {
		return "", at
	}
	length := int(f.within("length of "+field, f.u16(at), 0, maxName))
	at += 2
	if !f.hasRoom(field, at, length) {
		return "", at
	}
	text := string(f.body[at : at+length])
	if !utf8.ValidString(text) || hasControl(text) {
		f.malformed("%s is not UTF-8, or holds a control character", field)
	}
	return text, at + length
}

// The epochs at this offset of WELCOME.
func (f *fields) lives(at int) []life {
	const row = 16
	rows := at + 4
	if !f.hasRoom("the count of epochs", at, 4) {
		return nil
	}
	count := int(f.within("count of epochs", f.u16(at), 0, mostLives))
	f.reserved(f.u16(at + 2))
	if !f.hasRoom("the epochs", rows, row*count) {
		return nil
	}
	lives := make([]life, count)
	for i := range lives {
		at := rows + row*i
		lives[i] = life{f.i64(at), f.within("first sequence of an epoch", f.i64(at+8), 1, math.MaxInt64)}
		if lives[i].epoch == 0 {
			f.malformed("an epoch is 0, which stands for none")
		}
	}
	return lives
}

func hasControl(text string) bool {
	for _, r := range text {
		if r < ' ' || r >= 0x7F && r <= 0x9F {
			return true
		}
	}
	return false
}

func decodePing(body []byte) (id, next, head int64, err *Error) {
	f := read(typePing, body, 24)
	id = f.i64(0)
	next = f.within("next", f.i64(8), 0, math.MaxInt64)
	head = f.within("head", f.i64(16), 0, math.MaxInt64)
	return id, next, head, f.err
}

func decodePong(body []byte) (id int64, err *Error) {
	f := read(typePong, body, 8)
	return f.i64(0), f.err
}

func decodeSequence(body []byte) (next int64, err *Error) {
	f := read(typeSequence, body, 8)
	next = f.within("next", f.i64(0), 1, math.MaxInt64)
	return next, f.err
}

func decodeGap(body []byte) (g Gap, err *Error) {
	f := read(typeGap, body, 24)
	g.From = f.within("from", f.i64(0), 1, math.MaxInt64)
	g.To = f.within("to", f.i64(8), g.From, math.MaxInt64)
	g.Reason = int(f.within("reason", f.u16(16), 1, math.MaxUint16))
	f.reserved(f.u16(18))
	f.reserved(f.i32(20))
	return g, f.err
}

type ack struct{ number, sequence, written, forced int64 }

func (a ack) at(level Level) int64 {
	return [...]int64{a.number, a.written, a.forced}[level]
}

func decodeAck(body []byte) (a ack, err *Error) {
	f := read(typeAck, body, 16)
	a.number = f.within("number", f.i64(0), 1, math.MaxInt64)
	a.sequence = f.within("sequence", f.i64(8), 1, math.MaxInt64)
	if len(f.body) == 16 {
		return a, f.err
	}
	if len(f.body) < 32 {
		f.malformed("body of %d bytes ends within written and forced, which needs 32", len(body))
		return a, f.err
	}
	a.written = f.within("written", f.i64(16), 0, a.number)
	a.forced = f.within("forced", f.i64(24), 0, a.written)
	return a, f.err
}

func decodeError(body []byte) (code int, text string, err *Error) {
	f := read(typeError, body, 2)
	code = int(f.within("code", f.u16(0), 1, math.MaxUint16))
	return code, string(f.body[2:]), f.err
}

func decodeGoAway(body []byte) (code int, closesInMs int64, text string, err *Error) {
	f := read(typeGoAway, body, 8)
	code = int(f.within("code", f.u16(0), 1, math.MaxUint16))
	f.reserved(f.u16(2))
	closesInMs = f.within("time to close in ms", f.i32(4), 0, math.MaxInt32)
	f.within("length of text", int64(len(f.body)-8), 0, maxText)
	return code, closesInMs, string(f.body[8:]), f.err
}

func decodeRetryAfter(body []byte) (waitMs int64, err *Error) {
	f := read(typeRetryAfter, body, 4)
	waitMs = f.within("wait", f.i32(0), 0, maxRetryAfter)
	return waitMs, f.err
}

func decodeSubscribed(body []byte) (request int32, sequence int64, err *Error) {
	f := read(typeSubscribed, body, 16)
	request = int32(f.i32(0))
	f.reserved(f.i32(4))
	sequence = f.within("sequence", f.i64(8), 1, math.MaxInt64)
	return request, sequence, f.err
}
