package relay

import "time"

// Item is a message of the stream, or, with a Notice, what happened between two messages.
type Item struct {
	// Sequence is the message's number in the stream, from 1; 0: not known (a plain subscriber, or types at a relay
	// that grants no SEQUENCES).
	Sequence int64
	// Type is the message's type. Relay gives it no meaning.
	Type int32
	// Body is valid until the loop's next turn: its memory is then used again. Clone one that is to be kept.
	Body []byte
	// Notice is nil for a message; otherwise a [Gap], [StreamChanged], [RolledBack] or [Missed], and with start = state
	// also a [Connected], [StateComplete] or [StateLate].
	Notice Notice
}

// Notice is what a stream has beside messages.
type Notice interface {
	Event
	notice()
}

// Reasons of a [Gap].
const (
	// Unexplained: this client found the gap, the relay gave no reason.
	Unexplained = 0
	Slow        = 1
	NotHeld     = 2
	Damaged     = 3
	// Superseded is no loss: newer messages of the same types follow, or they are of types that were not chosen.
	Superseded = 4
)

// Gap says that the messages From to To, both included, do not come.
type Gap struct {
	From, To int64
	// Reason is Slow, NotHeld, Damaged, Superseded, Unexplained, or a later one.
	Reason int
}

// StreamChanged says that the relay has another stream. To a subscriber all of the former one from LostFrom on is
// lost; to a publisher (LostFrom 0) what was acknowledged is gone.
type StreamChanged struct{ LostFrom int64 }

// RolledBack says that From to To are gone: sequences that a subscriber had, or numbers that a publisher had
// acknowledged.
type RolledBack struct{ From, To int64 }

// Missed says that a plain subscriber is connected again, and has missed an unknown number of messages.
type Missed struct{}

// StateComplete says that what came since the last [Connected] with Anew is the newest message of each chosen type up
// to the one before Next. It comes once for each connection with start = state.
type StateComplete struct{ Next int64 }

// StateLate says, once for a connection, that the state is not complete after 10 s: the types change faster than it is
// read. Without OnEvent package slog has it too.
type StateLate struct{}

// Event is what OnEvent gets: a [Connected], [Lost], [GoingAway], [InDoubt], [Certificate], [GaveUp], [Merged] or
// [Notice].
type Event interface{ event() }

// Connected says that a connection is made and, unless plain, welcomed; the fields are those of WELCOME.
type Connected struct {
	Endpoint              string
	Plain                 bool
	Epoch, Next, Accepted int64
	Policy                Policy
	Server                string
	// Peer is nil where the relay does not tell it: it is an older one, or the connection is plain.
	Peer *Peer
	// Anew is for a subscriber with start = state: what it knew is void, and all of the state follows. Otherwise what
	// follows goes on from what it has. There this event is also a [Notice], in its place between the items.
	Anew bool
	// Interval is the one that the relay grants a subscriber that asks for one; its access rules may make it longer. 0:
	// none is granted.
	Interval time.Duration
}

// Peer is this client as the relay sees it.
type Peer struct {
	// Address is such as 192.0.2.7:40001, [2001:db8::1]:40001, or unix.
	Address string
	// Identity is the one that the relay's access rules give it; empty: none.
	Identity string
}

// Lost says that a try failed, or that a connection was lost. The next try comes after RetryIn.
type Lost struct {
	Endpoint string
	Err      *Error
	RetryIn  time.Duration
}

// GoingAway says that the relay will close the connection in ClosesIn.
type GoingAway struct {
	Endpoint string
	Code     int
	Text     string
	ClosesIn time.Duration
}

// InDoubt says that so many messages, sent without ACKS over a connection that is lost, were not confirmed; plain: were
// sent over it. They may be lost, the last ones first, and are not sent again.
type InDoubt struct{ Messages int64 }

// Certificate says in how many days this client's own certificate ends, a part of a day counted as one; 0 or less: it
// has ended. It comes once for each of 30, 7 and 1 days, and once for the end, as a connection is tried or while it lasts.
type Certificate struct{ Days int }

// GaveUp says that the client has ended for good.
type GaveUp struct{ Err *Error }

// Merged stands for the oldest events that waited, since OnEvent was too slow for them: 256 wait at most. The newest
// acknowledgement among them was told to OnAck before.
type Merged struct {
	// Events is the number of events.
	Events int
	// InDoubt is the sum of the messages of the [InDoubt] events among them.
	InDoubt int64

	acked acked
}

func (Gap) event()            {}
func (StreamChanged) event()  {}
func (RolledBack) event()     {}
func (Missed) event()         {}
func (Connected) event()      {}
func (Lost) event()           {}
func (GoingAway) event()      {}
func (InDoubt) event()        {}
func (StateComplete) event()  {}
func (StateLate) event()      {}
func (Certificate) event()    {}
func (GaveUp) event()         {}
func (Merged) event()         {}
func (Gap) notice()           {}
func (StreamChanged) notice() {}
func (RolledBack) notice()    {}
func (Missed) notice()        {}
func (Connected) notice()     {}
func (StateComplete) notice() {}
func (StateLate) notice()     {}

// An acknowledgement on its way to OnAck.
type acked struct{ number, sequence int64 }

func (acked) event() {}
