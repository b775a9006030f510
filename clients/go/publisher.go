package relay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
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

	close  sync.Once
	closed error
}

// NewPublisher makes a publisher, which connects in the background. The error is an [*Error] of the kind Yours.
func NewPublisher(options PublisherOptions) (*Publisher, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	p := &Publisher{options: &options, core: newPublisherCore(&options), work: newSignal(), news: make(chan struct{})}
	p.session = newSession(&options.Options, p.core)
	p.session.hooks.onAck = options.OnAck
	p.session.onInput = func() {
		p.work.set()
		p.changed()
	}
	p.session.onEnd = p.changed
	p.session.write = p.write
	p.session.congestion = options.LocalCongestion
	go func() {
		p.session.run()
		p.changed()
	}()
	return p, nil
}

// Connected waits for the first WELCOME, or plain connection. It fails if ctx ends or the client gives up before.
func (p *Publisher) Connected(ctx context.Context) error { return p.session.connected(ctx) }

// Wakes all that wait; with the lock.
func (p *Publisher) wake() {
	close(p.news)
	p.news = make(chan struct{})
}

// Wakes all that wait; takes the lock.
func (p *Publisher) changed() {
	p.session.mu.Lock()
	p.wake()
	p.session.mu.Unlock()
}

// Offer takes a message for sending; false: the buffer has no room for it now. The body is copied. That it was taken
// says nothing about the relay: [Publisher.Flush] does. The error is an [*Error]: of the kind Yours for a reserved type
// or a body over MaxBody, otherwise the client has given up.
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

// Publish takes a message for sending, as Offer does, but waits for room until ctx ends. If ctx is over already, it
// takes nothing.
func (p *Publisher) Publish(ctx context.Context, typ int32, body []byte) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
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

// Flush waits until the relay has every message that was taken before: acknowledged with ACKS; confirmed without, that
// is read, though perhaps not in the journal yet. Plain, it waits until the socket has them; no more can be known.
//
// The error is an [*InDoubtError]. Its cause is that of ctx if ctx ends before, or why the client gave up. Without ACKS
// it also tells, once, of messages that a lost connection has left in doubt: they are not sent again.
func (p *Publisher) Flush(ctx context.Context) error {
	s, c := p.session, p.core
	f := locked(s, c.flush)
	p.work.set()
	for {
		cause := context.Cause(ctx)
		s.mu.Lock()
		over, why := c.flushed(f, cause)
		news := p.news
		var left net.Conn
		if c.confirms && c.closing && s.link != nil && s.link.goingAway != 0 {
			// The relay reads no more, and may take its time to close. What was not sent goes to another one.
			left = s.conn
		}
		s.mu.Unlock()
		switch {
		case why != nil:
			return why
		case over:
			return nil
		case left != nil:
			left.Close()
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}

// Writes messages, and PINGs and the answers to PINGs between them, until the connection has ended.
func (p *Publisher) write(conn net.Conn, ended <-chan struct{}) {
	mu := &p.session.mu
	heartbeat := time.NewTimer(0)
	defer heartbeat.Stop()
	for {
		select {
		case <-p.work:
		case <-heartbeat.C:
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
			now := time.Now()
			pieces := p.core.frames()
			ping := p.core.nextPing(now)
			due, beats := p.core.pingDue()
			mu.Unlock()
			if pong == nil && ping == nil && len(pieces[0]) == 0 {
				p.session.writing.unlock()
				heartbeat.Stop()
				if beats {
					heartbeat.Reset(due.Sub(now))
				}
				break
			}
			// The reader notices a relay that is silent; it closes the connection, and so ends this write.
			conn.SetWriteDeadline(time.Time{})
			messages := int64(len(pieces[0]) + len(pieces[1]))
			buffers := net.Buffers{pong, pieces[0], pieces[1], ping}
			n, err := buffers.WriteTo(conn)
			mu.Lock()
			p.core.written(min(max(0, n-int64(len(pong))), messages), err == nil)
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

// Settled is the number of messages that are acknowledged; without ACKS, that were handed to a socket.
func (p *Publisher) Settled() int64 {
	return locked(p.session, func() int64 { return p.core.settled })
}

// Confirmed is the number of messages that the relay is known to have: acknowledged with ACKS, read without; plain: 0.
func (p *Publisher) Confirmed() int64 {
	return locked(p.session, func() int64 {
		if p.options.Acks {
			return p.core.settled
		}
		return p.core.confirmed
	})
}

// FirstNumber is the number of this publisher's first message; 0: not known yet.
func (p *Publisher) FirstNumber() int64 {
	return locked(p.session, func() int64 { return p.core.firstNumber })
}

// Epoch is the epoch of the relay's stream, to store with the numbers; 0: not known yet.
func (p *Publisher) Epoch() int64 { return locked(p.session, func() int64 { return p.core.epoch }) }

// Close waits as Flush does, for CloseTimeout at most and over new connections if needed, and ends the client. The
// error is an [*InDoubtError]: what is in doubt or unsent will not be sent any more. Another Close returns the same.
func (p *Publisher) Close() error {
	p.close.Do(func() { p.closed = p.end() })
	p.session.hooks.wait()
	return p.closed
}

func (p *Publisher) end() error {
	s, limit := p.session, p.options.CloseTimeout
	s.mu.Lock()
	p.core.closing = true
	told := p.core.told
	s.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit,
		fmt.Errorf("the close time-out of %v is over: %w", limit, context.DeadlineExceeded))
	defer cancel()
	err := p.Flush(ctx)
	if err == nil && p.options.Plain {
		p.listen()
	}
	s.cancel()
	<-s.done
	var why *InDoubtError
	if errors.As(err, &why) {
		// Only now it is known how much of the last write the socket has taken.
		why = p.core.outstanding(told, why.Err)
	}
	if why == nil || why.InDoubt+why.Unsent == 0 {
		return nil
	}
	return why
}

// Hears the relay's last word to a plain publisher: only now it reports a fault in the last messages.
func (p *Publisher) listen() {
	s := p.session
	s.mu.Lock()
	half, ok := s.conn.(interface{ CloseWrite() error })
	s.mu.Unlock()
	if ok && half.CloseWrite() == nil {
		select {
		case <-s.done:
		case <-time.After(min(linger, p.options.CloseTimeout)):
		}
	}
}
