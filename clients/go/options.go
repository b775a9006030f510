package relay

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Range is a range of types of messages, both ends included.
type Range struct{ From, To int32 }

// Policy says what happens when a subscriber reads too slowly.
type Policy uint8

const (
	// PolicyDefault is the relay's own policy.
	PolicyDefault Policy = iota
	PolicyDisconnect
	PolicyBackpressure
	PolicySkip
	PolicyReplay
	// PolicyLatest: the newest message of each type, and a [Gap] with the reason [Superseded] for those before it.
	PolicyLatest
)

func (p Policy) String() string {
	return [...]string{"default", "disconnect", "backpressure", "skip", "replay", "latest"}[p]
}

// Level is the progress of a message in a relay with a journal.
type Level uint8

const (
	LevelStream Level = iota
	// LevelWritten: handed to the operating system, in the journal's files.
	LevelWritten
	// LevelForced: on the disk.
	LevelForced
)

func (l Level) String() string { return [...]string{"stream", "written", "forced"}[l] }

// Start is where a subscriber's stream begins. The zero value is live.
type Start struct {
	kind          byte
	number, epoch int64
}

const (
	startLive byte = iota
	startSequence
	startEarliest
	startTime
	startState
)

// FromEarliest starts at the oldest message that the relay holds.
func FromEarliest() Start { return Start{kind: startEarliest} }

// FromSequence starts at a sequence of this epoch, such as Next and Epoch of a former subscriber; epoch 0: the present.
func FromSequence(sequence, epoch int64) Start { return Start{startSequence, sequence, epoch} }

// FromTime starts at a time that the relay's journal reaches back to.
func FromTime(at time.Time) Start { return Start{kind: startTime, number: at.UnixMilli()} }

// FromState starts with the state: of each chosen type the newest message, in the order of the stream, and a [Gap] with
// the reason [Superseded] for what lies between. At [StateComplete] the state is whole; the stream goes on from there.
// Each connection begins so, with what is newer than what came before it: [Connected] is then one of the items, and says
// whether the former state is void. A message without a body says that its type has no value any more. The relay needs
// the option --state.
func FromState() Start { return Start{kind: startState} }

// FromStateAt is [FromState] for a program that has kept the state of the types that it chooses, which was complete:
// only what is newer comes. The sequence is of this epoch, such as Next of a [StateComplete]; 0 or 1: all of the state.
func FromStateAt(sequence, epoch int64) Start { return Start{startState, sequence, epoch} }

// Reconnect says how often, and after which waits, a client tries again. A round goes once through all endpoints. A
// relay that is full may tell a time: its endpoint is then connected again no sooner, but after Longest at most.
type Reconnect struct {
	// Rounds until the client gives up; 0: none; [Endless]: no end.
	Rounds int
	// First is the wait before the first round; it is doubled from round to round, up to Longest.
	First, Longest time.Duration
	// Jitter is the largest share, 0 to 1, that is taken off a wait at random.
	Jitter float64
}

// Endless is the number of rounds of a client that never gives up.
const Endless = -1

// DefaultReconnect never gives up; it waits 100 ms at first and 10 s at most, less up to half of it.
func DefaultReconnect() *Reconnect {
	return &Reconnect{Rounds: Endless, First: 100 * time.Millisecond, Longest: 10 * time.Second, Jitter: 0.5}
}

// TLS names the PEM files of TLS 1.3. They are read for each connection, so they may be replaced at any time: a try that
// finds one missing or half written is a lost one.
type TLS struct {
	// CA has the certificates that are trusted; empty: the system's.
	CA string
	// Certificate and Key are this client's own.
	Certificate, Key string
	// ServerName is the name that the relay's certificate must have; empty: the endpoint's host.
	ServerName string
}

// Options are those of both kinds of clients. The zero value of a field is its default.
type Options struct {
	// Endpoints are one or more of host:port, [ipv6]:port and unix:path, tried in turn.
	Endpoints []string
	// Plain says no HELLO: no numbers, no acknowledgements, nothing resumed.
	Plain bool
	Name  string
	// Token proves this client's identity; nil: none. Without TLS it goes to this host only.
	Token []byte
	// TokenFile has the token as its only line. It is read for each connection, as the files of TLS are.
	TokenFile string
	// TokenFunc returns the token for each connection. The first call is the constructor's own, whose error it then is;
	// the others are on the client's goroutine, where an error is a lost try. It must return when the context ends,
	// which it does after ConnectTimeout, or when the client is closed.
	TokenFunc func(context.Context) ([]byte, error)
	// Heartbeat is the interval of the relay's PINGs; 0: the relay's own.
	Heartbeat time.Duration
	// ConnectTimeout is 5 s by default, HandshakeTimeout, from HELLO to WELCOME, as well.
	ConnectTimeout, HandshakeTimeout time.Duration
	// MaxBody is 1 MiB by default.
	MaxBody int
	// Reconnect is DefaultReconnect if it is nil.
	Reconnect *Reconnect
	TLS       *TLS
	// OnEvent gets what happens to the connections, one event after the other, on a goroutine of its own. It may call
	// every method of its client, also Close, and may take its time: then the oldest events become a [Merged]. Close
	// waits until everything is told, 5 s at most, and not at all within OnEvent or OnAck. Nil: the first failure to
	// connect, and the first success after it, are told by package slog.
	OnEvent func(Event)

	endpoints []endpoint
	// Of the first connection.
	first *credentials
}

// SubscriberOptions are the options of a [Subscriber].
type SubscriberOptions struct {
	Options
	// Types are ranges of types wanted; none: every type.
	Types  []Range
	Start  Start
	Policy Policy
	// Level is the level that messages must have reached.
	Level Level
	// Interval, 10 ms to 1 h in whole milliseconds, has the relay send once in such a time what has changed in it: the
	// newest message of each type, and a [Gap] with the reason [Superseded] for those before it. The first ones come at
	// once. It needs [PolicyLatest], which is then the default, and a relay with the option --state. 0: none. An older
	// relay declines it, and sends as with [PolicyLatest] alone: [Connected] tells what is granted.
	Interval time.Duration
	// Buffer is the number of bytes of items, 56 for each beside its frame, that wait for the user before nothing more
	// is read: 256 KiB by default.
	Buffer int
}

// PublisherOptions are the options of a [Publisher].
type PublisherOptions struct {
	Options
	// Acks numbers the messages under Name, keeps each until it is acknowledged, and sends it again after a cut.
	Acks bool
	// Level is the level at which a message counts as acknowledged.
	Level Level
	// Producer are the 16 random bytes by which the relay recognises this publisher; nil: drawn anew.
	Producer []byte
	// ProducerFile keeps them, as 32 hex digits; it is made if it is not there.
	ProducerFile string
	// FirstNumber is the number of the first message, of FirstEpoch; 0: the relay's accepted + 1.
	FirstNumber, FirstEpoch int64
	// Buffer is the number of bytes of messages that are not acknowledged, or without ACKS not handed to the socket yet,
	// headers included: 1 MiB + 8 by default. At this bound the user waits.
	Buffer int
	// CloseTimeout is the longest time in which Close waits for the relay, as Flush does: 5 s by default.
	CloseTimeout time.Duration
	// OnAck gets a number and its sequence (0: not known): this message and all before it are acknowledged. It runs as
	// OnEvent does, on the same goroutine, in the order of both. If it is too slow, one call stands for several.
	OnAck func(number, sequence int64)
	// LocalCongestion is the congestion control of a connection to this host, on Linux. "auto", the default: cubic, or
	// else reno, since bbr, the default of many hosts, halves what a loopback carries. "system": the system's. Or the
	// name of one, which NewPublisher refuses if the system does not give it. A connection to this host is one to a
	// loopback address, or to the address that it comes from. Other connections and systems are left alone.
	LocalCongestion string

	producer [16]byte
}

const (
	congestionAuto   = "auto"
	congestionSystem = "system"
)

type endpoint struct{ network, address, host, text string }

func parseEndpoint(text string) (endpoint, *Error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok && path != "" {
		return endpoint{"unix", path, "", text}, nil
	}
	host, port, err := net.SplitHostPort(text)
	number, numberErr := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" || numberErr != nil || number == 0 {
		return endpoint{}, usage("endpoint %q is none of host:port, [ipv6]:port, unix:path", text)
	}
	return endpoint{"tcp", text, host, text}, nil
}

func positive(what string, value *time.Duration, otherwise time.Duration) *Error {
	if *value == 0 {
		*value = otherwise
	}
	if *value < 0 {
		return usage("%s of %v is not above 0", what, *value)
	}
	return nil
}

func within(what string, value, low, high int64) *Error {
	if value < low || value > high {
		return usage("%s %d is not within %d..%d", what, value, low, high)
	}
	return nil
}

func checkString(what, text string, least int) *Error {
	if !utf8.ValidString(text) || hasControl(text) {
		return usage("%s is not UTF-8, or holds a control character", what)
	}
	if len(text) < least || len(text) > maxName {
		return usage("%s of %d bytes is not within %d..%d bytes", what, len(text), least, maxName)
	}
	return nil
}

func checkTypes(types []Range) *Error {
	if len(types) > maxRanges {
		return usage("%d ranges of types are over the limit of %d", len(types), maxRanges)
	}
	for _, r := range types {
		if r.From <= lastReserved || r.To < r.From {
			return usage("types %d to %d run backwards, or hold reserved types: the lowest is %d",
				r.From, r.To, lastReserved+1)
		}
	}
	return nil
}

func firstOf(errs ...*Error) *Error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Checks the options, and completes them by their defaults.
func (o *Options) check() *Error {
	if len(o.Endpoints) == 0 {
		return usage("no endpoint")
	}
	o.endpoints = nil
	for _, text := range o.Endpoints {
		parsed, err := parseEndpoint(text)
		if err != nil {
			return err
		}
		if o.TLS != nil && parsed.network == "unix" {
			return usage("TLS does not go with the Unix socket %s", text)
		}
		o.endpoints = append(o.endpoints, parsed)
	}
	tokens := 0
	for _, given := range []bool{o.Token != nil, o.TokenFile != "", o.TokenFunc != nil} {
		if given {
			tokens++
		}
	}
	if tokens > 1 {
		return usage("more than one of a token, a file and a function for it")
	}
	if o.Plain && (o.Name != "" || tokens > 0 || o.Heartbeat != 0) {
		return usage("the plain mode knows no name, token or heartbeat")
	}
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 20
	}
	if o.Reconnect == nil {
		o.Reconnect = DefaultReconnect()
	}
	if o.OnEvent == nil {
		o.OnEvent = new(slip).onEvent
	}
	err := firstOf(
		checkString("name", o.Name, 0),
		positive("connect time-out", &o.ConnectTimeout, 5*time.Second),
		positive("handshake time-out", &o.HandshakeTimeout, 5*time.Second),
		within("max body", int64(o.MaxBody), 0, maxBody),
		o.Reconnect.check(),
	)
	if err == nil && o.Heartbeat != 0 {
		err = within("heartbeat in ms", o.Heartbeat.Milliseconds(), 100, 3_600_000)
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), o.ConnectTimeout)
		defer cancel()
		first, unusable := o.credentials(ctx)
		if unusable != nil {
			return usage("%w", unusable)
		}
		o.first = &first
	}
	return err
}

func (r *Reconnect) check() *Error {
	if r.Rounds < Endless {
		return usage("rounds %d is negative", r.Rounds)
	}
	if r.First <= 0 || r.Longest < r.First {
		return usage("waits of %v to %v: the first is not above 0, or over the longest", r.First, r.Longest)
	}
	if !(r.Jitter >= 0 && r.Jitter <= 1) {
		return usage("jitter %v is not within 0..1", r.Jitter)
	}
	return nil
}

func (o *SubscriberOptions) check() *Error {
	if o.Buffer == 0 {
		o.Buffer = 256 << 10
	}
	err := firstOf(
		o.Options.check(),
		checkTypes(o.Types),
		within("policy", int64(o.Policy), 0, int64(PolicyLatest)),
		within("level", int64(o.Level), 0, int64(LevelForced)),
		within("buffer", int64(o.Buffer), 1, 1<<30),
	)
	if err == nil && (o.Start.kind == startSequence || o.Start.kind == startTime) {
		err = within("sequence or time in ms of the start", o.Start.number, 1, math.MaxInt64)
	}
	if err == nil && o.Start.kind == startState {
		err = within("sequence of the start", o.Start.number, 0, math.MaxInt64)
	}
	if err == nil && o.Plain &&
		(len(o.Types) > 0 || o.Start != Start{} || o.Policy != PolicyDefault || o.Level != LevelStream ||
			o.Interval != 0) {
		return usage("the plain mode knows no types, start, policy, level or interval")
	}
	if err == nil && o.Interval != 0 {
		err = o.checkInterval()
	}
	return err
}

// Checks an interval, which stands for the policy that it needs.
func (o *SubscriberOptions) checkInterval() *Error {
	const shortest, longest = minIntervalMs * time.Millisecond, maxIntervalMs * time.Millisecond
	if o.Interval < shortest || o.Interval > longest {
		return usage("interval of %v is not within %v..%v", o.Interval, shortest, longest)
	}
	if o.Policy == PolicyDefault {
		o.Policy = PolicyLatest
	}
	if o.Policy != PolicyLatest {
		return usage("interval of %v needs the policy %v, not %v", o.Interval, PolicyLatest, o.Policy)
	}
	return nil
}

// HELLO for another connection; next is the sequence to go on with, 0: the start of the options, or all of the state.
func (o *SubscriberOptions) hello(token string, types []Range, epoch, next int64) []byte {
	h := hello{
		role: roleSubscriber, policy: byte(o.Policy), start: o.Start.kind, number: next, epoch: epoch, ranges: types,
		features: featureSequences | featureNarrowed | featureEpochs | featurePeer, level: o.Level, token: token,
		intervalMs: uint32(o.Interval.Milliseconds()),
	}
	if o.Start.kind == startState {
		h.number = next
	} else if next > 0 {
		h.start = startSequence
	} else if o.Start.kind == startTime {
		h.number = o.Start.number
	}
	return o.complete(&h)
}

func (o *Options) complete(h *hello) []byte {
	h.name, h.heartbeatMs = o.Name, int32(o.Heartbeat.Milliseconds())
	if h.level != LevelStream {
		h.features |= featureLevels
	}
	if h.token != "" {
		h.features |= featureToken
	}
	if h.intervalMs != 0 {
		h.features |= featureInterval
	}
	return h.encode()
}

func (o *PublisherOptions) check() *Error {
	if err := o.Options.check(); err != nil {
		return err
	}
	if o.Buffer == 0 {
		o.Buffer = max(1<<20, o.MaxBody) + headerSize
	}
	if o.LocalCongestion == "" {
		o.LocalCongestion = congestionAuto
	}
	err := firstOf(
		within("level", int64(o.Level), 0, int64(LevelForced)),
		within("first number", o.FirstNumber, 0, math.MaxInt64),
		positive("close time-out", &o.CloseTimeout, 5*time.Second),
		within("buffer", int64(o.Buffer), int64(o.MaxBody)+headerSize, 1<<30),
	)
	if err == nil && o.LocalCongestion != congestionAuto && o.LocalCongestion != congestionSystem {
		err = checkCongestion(o.LocalCongestion)
	}
	if err != nil {
		return err
	}
	chosen := o.Producer != nil || o.ProducerFile != "" || o.FirstNumber != 0 || o.FirstEpoch != 0
	switch {
	case !o.Acks && (chosen || o.Level != LevelStream):
		return usage("producer id, first number, epoch and level need ACKS")
	case !o.Acks:
		return nil
	case o.Plain:
		return usage("the plain mode knows no ACKS")
	case o.Name == "":
		return usage("ACKS need a name")
	case o.Producer != nil && o.ProducerFile != "":
		return usage("both a producer id and a file for it")
	}
	id := o.Producer
	if o.ProducerFile != "" {
		if id, err = keptID(o.ProducerFile); err != nil {
			return err
		}
	} else if id == nil {
		id = randomID()
	}
	if len(id) != 16 || [16]byte(id) == [16]byte{} {
		return usage("a producer id of %d bytes; it has 16, not all of them 0", len(id))
	}
	o.producer = [16]byte(id)
	return nil
}

// HELLO for another connection; number is that of the first message over it.
func (o *PublisherOptions) hello(token string, epoch, number int64) []byte {
	h := hello{
		role: rolePublisher, epoch: epoch, number: number, producer: o.producer, features: featurePeer, level: o.Level,
		token: token,
	}
	if o.Acks {
		h.features |= featureAcks | featureEpochs
	}
	return o.complete(&h)
}

func randomID() []byte {
	id := make([]byte, 16)
	// Read of crypto/rand never fails: it ends the program first.
	_, _ = rand.Read(id)
	return id
}

// The id in the file, which is written first if it is not there: whole or not at all.
func keptID(path string) ([]byte, *Error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = draft(path, hex.EncodeToString(randomID())+"\n"); err == nil {
			content, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return nil, usage("producer id in %s: %w", path, err)
	}
	id, err := hex.DecodeString(strings.TrimRight(string(content), "\r\n"))
	if err != nil || len(id) != 16 {
		return nil, usage("producer id in %s: not 32 hex digits", path)
	}
	return id, nil
}

func draft(path, content string) error {
	// CreateTemp gives mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	// Link fails where another process was faster, and its id counts.
	if err = os.Link(file.Name(), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
