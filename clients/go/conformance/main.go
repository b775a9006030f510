// The driver of this library for the conformance kit: clients/conformance/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	relay "msgrelay.dev/relay"
)

type fields map[string]any

var out sync.Mutex

func tell(event string, with fields) {
	if with == nil {
		with = fields{}
	}
	with["event"] = event
	line, err := json.Marshal(with)
	if err != nil {
		panic(err)
	}
	out.Lock()
	defer out.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func tellError(err error, command string) {
	with := fields{"kind": "yours", "code": 0, "text": err.Error()}
	var failure *relay.Error
	if errors.As(err, &failure) {
		with["kind"], with["code"] = failure.Kind.String(), failure.Code
	}
	if command != "" {
		with["command"] = command
	}
	tell("error", with)
}

type command struct {
	Command          string
	Role             string
	Endpoints        []string
	Plain            bool
	Name             string
	Token            *string
	HeartbeatMs      *int64 `json:"heartbeat_ms"`
	ConnectTimeoutMs *int64 `json:"connect_timeout_ms"`
	HandshakeMs      *int64 `json:"handshake_timeout_ms"`
	CloseTimeoutMs   *int64 `json:"close_timeout_ms"`
	MaxBody          int    `json:"max_body"`
	Buffer           int
	Reconnect        *struct {
		Rounds    int
		FirstMs   int64 `json:"first_ms"`
		LongestMs int64 `json:"longest_ms"`
		Jitter    float64
	}
	TLS *struct {
		CA, Certificate, Key string
		ServerName           string `json:"server_name"`
	}
	Types        [][2]int32
	Start        string
	Sequence     string
	Epoch        string
	TimeMs       string `json:"time_ms"`
	Policy       string
	IntervalMs   int64 `json:"interval_ms"`
	Level        string
	Acks         bool
	Producer     *string
	ProducerFile string `json:"producer_file"`
	Congestion   string `json:"local_congestion"`
	FirstNumber  string `json:"first_number"`

	Type   int32
	Body   string
	Count  *int
	Stamp  bool
	WaitMs *int64 `json:"wait_ms"`
	Ranges [][2]int32
}

func (c *command) wait() time.Duration {
	if c.WaitMs == nil {
		return time.Minute
	}
	return time.Duration(*c.WaitMs) * time.Millisecond
}

func millis(ms *int64) time.Duration {
	if ms == nil {
		return 0
	}
	return time.Duration(*ms) * time.Millisecond
}

func ranges(pairs [][2]int32) (types []relay.Range) {
	for _, pair := range pairs {
		types = append(types, relay.Range{From: pair[0], To: pair[1]})
	}
	return types
}

var errNotKnown = errors.New("this option has no such value")

func parse(text string) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func (c *command) options(onEvent func(relay.Event)) relay.Options {
	options := relay.Options{
		Endpoints: c.Endpoints, Plain: c.Plain, Name: c.Name, Heartbeat: millis(c.HeartbeatMs),
		ConnectTimeout: millis(c.ConnectTimeoutMs), HandshakeTimeout: millis(c.HandshakeMs), MaxBody: c.MaxBody,
		OnEvent: onEvent,
	}
	if c.Token != nil {
		options.Token = []byte(*c.Token)
	}
	if how := c.Reconnect; how != nil {
		options.Reconnect = &relay.Reconnect{
			Rounds: how.Rounds, First: time.Duration(how.FirstMs) * time.Millisecond,
			Longest: time.Duration(how.LongestMs) * time.Millisecond, Jitter: how.Jitter,
		}
	}
	if c.TLS != nil {
		options.TLS = &relay.TLS{
			CA: c.TLS.CA, Certificate: c.TLS.Certificate, Key: c.TLS.Key, ServerName: c.TLS.ServerName,
		}
	}
	return options
}

func (c *command) level() (relay.Level, error) {
	for level := relay.LevelStream; level <= relay.LevelForced; level++ {
		if c.Level == "" || c.Level == level.String() {
			return level, nil
		}
	}
	return 0, errNotKnown
}

func (c *command) policy() (relay.Policy, error) {
	for policy := relay.PolicyDefault; policy <= relay.PolicyLatest; policy++ {
		if c.Policy == "" || c.Policy == policy.String() {
			return policy, nil
		}
	}
	return 0, errNotKnown
}

func (c *command) start() (relay.Start, error) {
	switch c.Start {
	case "", "live":
		return relay.Start{}, nil
	case "earliest":
		return relay.FromEarliest(), nil
	case "sequence":
		return relay.FromSequence(parse(c.Sequence), parse(c.Epoch)), nil
	case "time":
		return relay.FromTime(time.UnixMilli(parse(c.TimeMs))), nil
	case "state":
		return relay.FromStateAt(parse(c.Sequence), parse(c.Epoch)), nil
	}
	return relay.Start{}, errNotKnown
}

type driver struct {
	subscriber *relay.Subscriber
	publisher  *relay.Publisher
	reading    chan struct{}
	// Held while a message is handed over; a pause holds it.
	turn   sync.Mutex
	paused bool
}

func (d *driver) obey(c *command) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.wait())
	defer cancel()
	switch c.Command {
	case "open":
		return d.open(c)
	case "publish":
		return d.publish(c)
	case "types":
		subscriber := d.subscriber
		// The kit goes on before the answer comes.
		go func() {
			sequence, err := subscriber.Types(context.Background(), ranges(c.Ranges)...)
			if err != nil {
				tellError(err, c.Command)
			} else {
				tell("types", fields{"sequence": number(sequence)})
			}
		}()
	case "flush":
		tell("flushed", fields{"settled": d.publisher.Flush(ctx) == nil})
	case "pause":
		d.turn.Lock()
		d.paused = true
		tell("paused", nil)
	case "resume":
		d.resume()
		tell("resumed", nil)
	case "counters":
		if s := d.subscriber; s != nil {
			tell("counters", fields{
				"messages": number(s.Messages()), "bytes": number(s.Bytes()), "epoch": number(s.Epoch()),
				"next": number(s.Next()), "head": number(s.Head()),
			})
		} else if p := d.publisher; p != nil {
			tell("counters", fields{
				"messages": number(p.Messages()), "bytes": number(p.Bytes()), "settled": number(p.Settled()),
				"confirmed": number(p.Confirmed()), "first_number": number(p.FirstNumber()),
			})
		}
	case "close":
		d.close()
	}
	return nil
}

func (d *driver) resume() {
	if d.paused {
		d.paused = false
		d.turn.Unlock()
	}
}

func (d *driver) open(c *command) error {
	level, levelErr := c.level()
	policy, policyErr := c.policy()
	start, startErr := c.start()
	if err := errors.Join(levelErr, policyErr, startErr); err != nil {
		return err
	}
	if c.Role == "subscriber" {
		opened := make(chan struct{})
		subscriber, err := relay.NewSubscriber(relay.SubscriberOptions{
			Options: c.options(func(event relay.Event) {
				<-opened
				// With start = state it is in its place between the messages, too.
				if _, ok := event.(relay.Connected); !ok || c.Start != "state" {
					subscribersEvent(event)
				}
			}),
			Types: ranges(c.Types), Start: start, Policy: policy, Level: level, Buffer: c.Buffer,
			Interval: time.Duration(c.IntervalMs) * time.Millisecond,
		})
		if err != nil {
			return err
		}
		tell("opened", nil)
		close(opened)
		d.subscriber, d.reading = subscriber, make(chan struct{})
		go d.read(subscriber, d.reading)
		return nil
	}
	var producer []byte
	if c.Producer != nil {
		var err error
		if producer, err = hex.DecodeString(*c.Producer); err != nil {
			return err
		}
	}
	opened := make(chan struct{})
	publisher, err := relay.NewPublisher(relay.PublisherOptions{
		Options: c.options(func(event relay.Event) {
			<-opened
			publishersEvent(event)
		}),
		Acks: c.Acks, Level: level, Producer: producer, ProducerFile: c.ProducerFile,
		FirstNumber: parse(c.FirstNumber), FirstEpoch: parse(c.Epoch), Buffer: c.Buffer,
		CloseTimeout: millis(c.CloseTimeoutMs), LocalCongestion: c.Congestion,
		OnAck: func(n, sequence int64) {
			tell("acked", fields{"number": number(n), "sequence": number(sequence)})
		},
	})
	if err != nil {
		return err
	}
	tell("opened", nil)
	close(opened)
	d.publisher = publisher
	return nil
}

func (d *driver) read(subscriber *relay.Subscriber, done chan<- struct{}) {
	defer close(done)
	for item, err := range subscriber.Items(context.Background()) {
		if err != nil {
			tellError(err, "")
			return
		}
		d.turn.Lock()
		if item.Notice != nil {
			tellNotice(item.Notice)
		} else {
			tell("message", fields{
				"sequence": number(item.Sequence), "type": item.Type,
				"body": base64.StdEncoding.EncodeToString(item.Body),
			})
		}
		d.turn.Unlock()
	}
}

func tellNotice(notice relay.Notice) {
	switch n := notice.(type) {
	case relay.Gap:
		tell("gap", fields{"from": number(n.From), "to": number(n.To), "reason": n.Reason})
	case relay.StreamChanged:
		tell("stream_changed", fields{"lost_from": number(n.LostFrom)})
	case relay.RolledBack:
		tell("rolled_back", fields{"from": number(n.From), "to": number(n.To)})
	case relay.Missed:
		tell("missed", nil)
	case relay.Connected:
		with := connected(n)
		with["anew"] = n.Anew
		tell("connected", with)
	case relay.StateComplete:
		tell("state_complete", fields{"next": number(n.Next)})
	case relay.StateLate:
		tell("state_late", nil)
	}
}

func connected(e relay.Connected) fields {
	with := fields{"endpoint": e.Endpoint, "plain": e.Plain}
	if !e.Plain {
		with["epoch"], with["next"], with["accepted"] = number(e.Epoch), number(e.Next), number(e.Accepted)
		with["policy"], with["server"] = e.Policy.String(), e.Server
	}
	if e.Peer != nil {
		with["address"], with["identity"] = e.Peer.Address, e.Peer.Identity
	}
	if e.Interval > 0 {
		with["interval_ms"] = e.Interval.Milliseconds()
	}
	return with
}

func subscribersEvent(event relay.Event) {
	switch e := event.(type) {
	case relay.Connected:
		tell("connected", connected(e))
	case relay.Lost:
		tell("lost", fields{"code": e.Err.Code, "text": e.Err.Error()})
	case relay.GoingAway:
		tell("going_away", fields{"code": e.Code, "closes_in_ms": e.ClosesIn.Milliseconds()})
	case relay.Certificate:
		tell("certificate", fields{"days": e.Days})
	case relay.InDoubt:
		tell("in_doubt", fields{"messages": number(e.Messages)})
	}
}

func publishersEvent(event relay.Event) {
	switch e := event.(type) {
	case relay.StreamChanged:
		tell("stream_changed", nil)
	case relay.RolledBack:
		tellNotice(e)
	case relay.GaveUp:
		tellError(e.Err, "")
	default:
		subscribersEvent(event)
	}
}

func (d *driver) publish(c *command) error {
	body, err := base64.StdEncoding.DecodeString(c.Body)
	if err != nil {
		return err
	}
	count, taken := 1, 0
	if c.Count != nil {
		count = *c.Count
	}
	for taken < count {
		if c.Stamp {
			binary.BigEndian.PutUint64(body, uint64(taken))
		}
		ok, err := d.publisher.Offer(c.Type, body)
		if err == nil && !ok {
			ctx, cancel := context.WithTimeout(context.Background(), c.wait())
			err = d.publisher.Publish(ctx, c.Type, body)
			cancel()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return err
		}
		taken++
	}
	tell("published", fields{"taken": taken, "full": taken < count})
	return nil
}

func (d *driver) close() {
	var unsettled int64
	if d.subscriber != nil {
		d.subscriber.Close()
		d.resume()
		<-d.reading
		d.subscriber = nil
	}
	if d.publisher != nil {
		var doubt *relay.InDoubtError
		if errors.As(d.publisher.Close(), &doubt) {
			unsettled = doubt.InDoubt + doubt.Unsent
		}
		d.publisher = nil
	}
	tell("closed", fields{"unsettled": number(unsettled)})
}

func main() {
	tell("ready", fields{"client": "go", "version": "0.1.0", "capabilities": []string{
		"subscriber", "publisher", "plain", "levels", "types", "tls", "token", "unix", "endpoints", "producer_file",
		"pause", "time", "congestion", "state", "peer", "certificate",
	}})
	d := &driver{}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			panic(err)
		}
		if err := d.obey(&c); err != nil {
			tellError(err, c.Command)
		}
	}
}
