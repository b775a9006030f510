package relay

import (
	"context"
	"iter"
	"net"
	"time"
	"unsafe"
)

// Subscriber gives the messages of the stream and what it misses, in order.
type Subscriber struct {
	options *SubscriberOptions
	core    *subscriberCore
	session *session
	// Set when there is something to take, and when there is room again.
	more, room signal
	closed     chan struct{}

	// Guarded by the session's lock: the items of former connections that were not handed over. Those of this one are
	// in the core.
	pending []batch

	// Guarded by the session's lock, like the place behind the last item that was handed over.
	current     batch
	at          int
	messages    int64
	bytes       int64
	epoch, next int64
}

// Items of one connection, the read buffers that their bodies are in, and the place in the stream before them.
type batch struct {
	items        []Item
	chunks       []*chunk
	bytes        int
	epoch, start int64
}

// What items take in memory, beside their bodies.
const itemSize = int(unsafe.Sizeof(Item{}))

func (s *Subscriber) pendingBytes() int {
	bytes, chunks := s.core.itemBytes+itemSize*len(s.core.items), len(s.core.chunks)
	for _, one := range s.pending {
		bytes += one.bytes + itemSize*len(one.items)
		chunks += len(one.chunks)
	}
	// A message of two bytes keeps its whole read buffer: a relay that cuts often fills one after the other.
	return bytes + chunkSize*max(0, chunks-2)
}

// Sets the items of the former connection aside: the numbers of the next one may be of another stream.
func (s *Subscriber) setAside() {
	if c := s.core; len(c.items) > 0 {
		s.pending = append(s.pending, batch{c.items, c.chunks, c.itemBytes, c.epoch, c.start})
		c.items, c.chunks, c.itemBytes, c.start = nil, nil, 0, c.next
	}
}

// NewSubscriber makes a subscriber, which connects in the background. The error is an [*Error] of the kind Yours.
func NewSubscriber(options SubscriberOptions) (*Subscriber, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	s := &Subscriber{
		options: &options, core: newSubscriberCore(&options), more: newSignal(), room: newSignal(),
		closed: make(chan struct{}),
	}
	s.epoch, s.next = s.core.epoch, s.core.next
	s.session = newSession(&options.Options, s.core)
	s.session.onInput = s.deliver
	s.core.setAside = s.setAside
	go s.session.run()
	return s, nil
}

// Connected waits for the first WELCOME, or plain connection. It fails if ctx ends or the client gives up before.
func (s *Subscriber) Connected(ctx context.Context) error { return s.session.connected(ctx) }

// Hands what was read to the user, and waits until there is room for more; meanwhile the relay hears of this client.
func (s *Subscriber) deliver() {
	mu := &s.session.mu
	mu.Lock()
	s.more.set()
	if len(s.pending) == 0 && len(s.core.items) == 0 && s.at == len(s.current.items) {
		s.epoch, s.next = s.core.epoch, s.core.next
		s.core.start = s.core.next
	}
	full := s.pendingBytes() >= s.options.Buffer
	mu.Unlock()
	if !full {
		return
	}
	next, speaks := s.session.speak()
	silence := time.NewTimer(next)
	defer silence.Stop()
	for full {
		if !speaks {
			silence.Stop()
		}
		select {
		case <-s.room:
		case <-silence.C:
			next, speaks = s.session.speak()
			silence.Reset(next)
		case <-s.session.ctx.Done():
			return
		}
		mu.Lock()
		full = s.pendingBytes() >= s.options.Buffer
		mu.Unlock()
	}
}

// Items gives all items as they come, over lost connections, until ctx ends (its error is the last one), the client
// gives up (an [*Error]), or the subscriber is closed (no error). Breaking out of the loop ends nothing: another loop
// goes on behind the last item. One loop at a time. A message's Body is valid until the loop's next turn.
func (s *Subscriber) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for s.handOver(yield) {
			if ok, err := s.take(ctx); !ok {
				if err != nil {
					yield(Item{}, err)
				}
				return
			}
		}
	}
}

// Hands the rest of the batch over; false: the loop was broken off. A panic in the loop leaves the place behind its
// item, too.
func (s *Subscriber) handOver(yield func(Item, error) bool) bool {
	mu := &s.session.mu
	mu.Lock()
	items, place := s.current.items, place{s.at, s.messages, s.bytes, s.next}
	mu.Unlock()
	defer func() {
		mu.Lock()
		s.at, s.messages, s.bytes, s.next = place.at, place.messages, place.bytes, place.next
		mu.Unlock()
	}()
	for place.at < len(items) {
		item := &items[place.at]
		place.pass(item)
		if !yield(*item, nil) {
			return false
		}
	}
	return true
}

// How far a loop is within its batch, and what the subscriber has had with that.
type place struct {
	at                    int
	messages, bytes, next int64
}

func (p *place) pass(item *Item) {
	p.at++
	if item.Notice == nil {
		p.messages++
		p.bytes += headerSize + int64(len(item.Body))
		if item.Sequence > 0 {
			p.next = item.Sequence + 1
		}
	} else if gap, ok := item.Notice.(Gap); ok {
		p.next = gap.To + 1
	}
}

// Takes the next batch, and waits for it; false: there is none any more.
func (s *Subscriber) take(ctx context.Context) (bool, error) {
	mu := &s.session.mu
	for {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		select {
		case <-s.closed:
			return false, nil
		default:
		}
		mu.Lock()
		if len(s.pending) == 0 {
			s.setAside()
		}
		if len(s.pending) > 0 {
			next := s.pending[0]
			s.pending = s.pending[1:]
			// What was handed over makes room for what is to come.
			s.session.chunks.release(s.current.chunks...)
			clear(s.current.chunks)
			if cap(s.core.items) == 0 {
				clear(s.current.items)
				s.core.items, s.core.chunks = s.current.items[:0], s.current.chunks[:0]
			}
			s.current, s.at = next, 0
			s.epoch, s.next = next.epoch, next.start
			mu.Unlock()
			s.room.set()
			return true, nil
		}
		s.epoch, s.next = s.core.epoch, s.core.next
		failure := s.session.failure
		mu.Unlock()
		if failure != nil {
			return false, failure
		}
		select {
		case <-s.more:
		case <-ctx.Done():
		case <-s.closed:
		case <-s.session.done:
		}
	}
}

// Types changes the types, here and on later connections; none: every type. It returns the sequence of the first
// message that these types choose. If ctx ends before the relay's answer, the change may still come; if it is over
// already, nothing is asked.
func (s *Subscriber) Types(ctx context.Context, types ...Range) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if s.options.Plain {
		return 0, usage("the plain mode knows no types")
	}
	if err := checkTypes(types); err != nil {
		return 0, err
	}
	s.session.mu.Lock()
	done, err := s.core.change(append([]Range(nil), types...))
	s.session.mu.Unlock()
	if err != nil {
		return 0, err
	}
	s.sendChanges()
	select {
	case answer := <-done:
		if answer.err != nil {
			return 0, answer.err
		}
		return answer.sequence, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (s *Subscriber) sendChanges() {
	s.session.writing.lock()
	defer s.session.writing.unlock()
	s.session.mu.Lock()
	var out []byte
	var conn net.Conn
	if s.session.conn != nil && s.session.link.isOpen {
		conn, out = s.session.conn, s.core.output()
	}
	s.session.mu.Unlock()
	if len(out) > 0 {
		// A failed write ends in a failed read, and the next HELLO stands for the change.
		_, _ = conn.Write(out)
	}
}

// Messages is the number of messages handed over, as of the last batch or the end of the loop.
func (s *Subscriber) Messages() int64 { return locked(s.session, func() int64 { return s.messages }) }

// Bytes is the number of bytes of these messages, headers included.
func (s *Subscriber) Bytes() int64 { return locked(s.session, func() int64 { return s.bytes }) }

// Epoch is the epoch of Next; 0 before the first WELCOME.
func (s *Subscriber) Epoch() int64 { return locked(s.session, func() int64 { return s.epoch }) }

// Next is the sequence behind the last item that was handed over, as of the last batch or the end of the loop: where
// another process would go on. Within the loop, the place behind a message is its Sequence + 1.
func (s *Subscriber) Next() int64 { return locked(s.session, func() int64 { return s.next }) }

// Head is the newest sequence of the stream, from the relay's last PING; 0: not known.
func (s *Subscriber) Head() int64 { return locked(s.session, func() int64 { return s.core.head }) }

func locked[T any](s *session, get func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return get()
}

// Close ends the connection, the goroutines and a loop that waits. What was read and not handed over is dropped.
func (s *Subscriber) Close() error {
	s.session.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.session.mu.Unlock()
	s.session.cancel()
	<-s.session.done
	s.session.hooks.wait()
	return nil
}
