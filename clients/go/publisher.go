package relay

import (
	"context"
	"net"
	"time"
)

// Publisher sends messages, with or without acknowledgements.
type Publisher struct {
	options *PublisherOptions
	core    *publisherCore
	session *session
	// Set when there is something to write.
	work signal
	// Closed, and made anew, when messages are settled or the client ends. Guarded by the session's lock.
	news chan struct{}
}

// NewPublisher makes a publisher, which connects in the background. The error is an [*Error] of the kind Yours.
func NewPublisher(options PublisherOptions) (*Publisher, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	p := &Publisher{options: &options, core: newPublisherCore(&options), work: newSignal(), news: make(chan struct{})}
	p.session = newSession(&options.Options, p.core)
	p.session.onAck = options.OnAck
	p.session.onInput = func() {
		p.work.set()
		p.session.mu.Lock()
		p.wake()
		p.session.mu.Unlock()
	}
	p.session.write = p.write
	go func() {
		p.session.run()
		p.session.mu.Lock()
		p.wake()
		p.session.mu.Unlock()
	}()
	return p, nil
}

// Connected waits for the first WELCOME, or plain connection. It fails if ctx ends or the client gives up.
func (p *Publisher) Connected(ctx context.Context) error { return p.session.connected(ctx) }

// Wakes all that wait; with the lock.
func (p *Publisher) wake() {
	close(p.news)
	p.news = make(chan struct{})
}

// Offer takes a message for sending; false: the buffer has no room for it now. The body is copied. The error is an
// [*Error]: of the kind Yours for a reserved type or a body over MaxBody, otherwise the client has given up.
func (p *Publisher) Offer(typ int32, body []byte) (bool, error) {
	p.session.mu.Lock()
	taken, err := p.core.offer(typ, body)
	p.session.mu.Unlock()
	if err != nil {
		return false, err
	}
	if taken {
		p.work.set()
	}
	return taken, nil
}

// Publish takes a message for sending, as Offer does, but waits for room until ctx ends.
func (p *Publisher) Publish(ctx context.Context, typ int32, body []byte) error {
	for {
		p.session.mu.Lock()
		taken, err := p.core.offer(typ, body)
		news := p.news
		p.session.mu.Unlock()
		if err != nil {
			return err
		}
		if taken {
			p.work.set()
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Flush waits until every message is settled: acknowledged, or without ACKS handed to the socket. It fails if ctx ends
// or the client gives up before.
func (p *Publisher) Flush(ctx context.Context) error {
	for {
		p.session.mu.Lock()
		unsettled, failure, news := p.core.unsettled(), p.core.failure, p.news
		p.session.mu.Unlock()
		if unsettled == 0 {
			return nil
		}
		if failure != nil {
			return failure
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Writes messages, and the answer to PING between them, until the connection has ended.
func (p *Publisher) write(conn net.Conn, ended <-chan struct{}) {
	mu := &p.session.mu
	for {
		select {
		case <-p.work:
		case <-ended:
			return
		}
		for {
			p.session.writing.lock()
			mu.Lock()
			l := p.session.link
			var pong []byte
			if l.hasPong {
				pong, l.hasPong = encodePong(l.pong), false
			}
			pieces := p.core.frames()
			mu.Unlock()
			if pong == nil && len(pieces[0]) == 0 {
				p.session.writing.unlock()
				break
			}
			// The reader notices a relay that is silent; it closes the connection, and so ends this write.
			conn.SetWriteDeadline(time.Time{})
			buffers := net.Buffers{pong, pieces[0], pieces[1]}
			n, err := buffers.WriteTo(conn)
			mu.Lock()
			p.core.written(max(0, n-int64(len(pong))), err == nil)
			p.wake()
			mu.Unlock()
			if err != nil {
				// The reader ends the connection, after the relay's last word. No other frame may follow a half one.
				<-ended
				p.session.writing.unlock()
				return
			}
			p.session.writing.unlock()
		}
	}
}

// Messages is the number of messages taken.
func (p *Publisher) Messages() int64 {
	return locked(p.session, func() int64 { return p.core.messages })
}

// Bytes is the number of bytes of these messages, headers included.
func (p *Publisher) Bytes() int64 { return locked(p.session, func() int64 { return p.core.bytes }) }

// Settled is the number of messages that are settled.
func (p *Publisher) Settled() int64 {
	return locked(p.session, func() int64 { return p.core.settled })
}

// FirstNumber is the number of this publisher's first message; 0: not known yet.
func (p *Publisher) FirstNumber() int64 {
	return locked(p.session, func() int64 { return p.core.firstNumber })
}

// Epoch is the epoch of the relay's stream, to store with the numbers; 0: not known yet.
func (p *Publisher) Epoch() int64 { return locked(p.session, func() int64 { return p.core.epoch }) }

// Close settles what was published, for CloseTimeout at most, over new connections if needed. It returns the number of
// messages that were not settled.
func (p *Publisher) Close() (unsettled int64) {
	s := p.session
	s.mu.Lock()
	p.core.closing = true
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.CloseTimeout)
	defer cancel()
	if p.Flush(ctx) == nil && !p.options.Acks {
		p.listen()
	}
	s.cancel()
	<-s.done
	return locked(s, p.core.unsettled)
}

// Hears the relay's last word: only now it reports a fault in the last messages.
func (p *Publisher) listen() {
	s := p.session
	s.mu.Lock()
	s.stopping = true
	half, ok := s.conn.(interface{ CloseWrite() error })
	s.mu.Unlock()
	if ok && half.CloseWrite() == nil {
		select {
		case <-s.done:
		case <-time.After(min(linger, p.options.CloseTimeout)):
		}
	}
}
