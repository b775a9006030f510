package dev.msgrelay.simulation;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.config.StateConfig;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.subscribe.SubscriberConnection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A subscriber, plain or speaking. It knows at each byte what may come next: the next message that it wants, or a
 * control frame that says why it is another one.
 */
final class SimSubscriber extends Peer {
    /** It reads all at once; in pieces, with pauses; a few bytes now and then; nothing any more. */
    private enum Reading {
        EAGER,
        FITFUL,
        CRAWL,
        STOPPED
    }

    /** One whose ticks do not come within a run: only a relay that drains sends such a reader anything. */
    static final int LONG_INTERVAL = 3_600_000;

    private static final Set<CloseReason> SLOW =
            EnumSet.of(CloseReason.SLOW_SUBSCRIBER, CloseReason.STALLED_SUBSCRIBER, CloseReason.MEMORY_LIMIT);

    private record Wish(int request, TypeRanges types) {}

    /**
     * What one keeps when its relay has gone.
     *
     * @param next the first message that it has not had
     * @param level messages that had not got so far it did not get
     */
    record Resumed(long epoch, int next, Level level) {}

    private final PacketLog log;
    private final Policy relayDefault;
    // Null: nobody is sent what lies there.
    private final SimJournal journal;
    private Reading reading;
    // With one loop, one that reads eagerly.
    private final boolean neverSlow;

    // Before WELCOME, and of a plain one, the relay's default policy holds.
    private Policy policy;
    private TypeRanges types = TypeRanges.ALL;
    private boolean sequences;
    private final ArrayDeque<Wish> wishes = new ArrayDeque<>();
    private int requests;

    // The next message that can come.
    private int next;
    private int current;
    // Of one that gets durable messages only; of others STREAM.
    private Level level = Level.STREAM;
    private int durableAtHello;
    private int resumeFrom;
    private boolean gapMayCome;
    private int tailAtHello;
    // While it gets the state: the types that it has asked for, what was forgotten, and what came of it.
    private TypeRanges stateTypes;
    private int stateFrom;
    private int forgotten;
    private final BitSet ofState = new BitSet();
    // In the journal, the oldest message, and what came out wrong.
    private int oldestAtHello;
    private int wrongReadsBefore;
    // With LATEST: types of which it was told that a newer message comes, and of which none has come yet.
    private final Set<Integer> passedOver = new HashSet<>();
    // What was lost before it had any message.
    private int lostUpTo;
    // Whether it was told once that it has all there is.
    private boolean hasBegun;

    SimSubscriber(World world, SimChannel channel, int number) {
        super(world, "subscriber " + number, channel, Role.SUBSCRIBER);
        this.log = model.log;
        this.relayDefault = world.config.clients().slowSubscriber();
        this.policy = relayDefault;
        this.reading = Reading.values()[world.oneOf(0, 0, 0, 1, 1, 1, 2, 3)];
        this.neverSlow = reading == Reading.EAGER && world.config.eventLoops() == 1;
        this.journal = world.journal;
        this.wrongReadsBefore = journal == null ? 0 : journal.wrongReads;
        channel.read(reading == Reading.EAGER ? Long.MAX_VALUE / 2 : world.skewed(1 << 20));
    }

    @Override
    protected void connected() {
        next = model.count + 1;
    }

    @Override
    protected void doMore() {
        switch (world.below(8)) {
            case 0 -> changeReading();
            case 1 -> {
                if (hello != null && world.onceIn(3)) {
                    subscribe(world.onceIn(6) ? world.skewed(80) : 1);
                }
            }
            case 2 -> ping();
            default -> deliverSome();
        }
    }

    private void changeReading() {
        if (reading != Reading.EAGER && world.onceIn(6)) {
            reading = world.oneOf(List.of(Reading.CRAWL, Reading.STOPPED, Reading.FITFUL, Reading.FITFUL));
        }
    }

    @Override
    protected void read() {
        switch (silent ? Reading.STOPPED : reading) {
            case EAGER -> channel.read(Long.MAX_VALUE / 2);
            case FITFUL -> {
                if (channel.room < 1 << 20) {
                    channel.read(world.skewed(1 << 15) * (long) world.volume);
                }
            }
            case CRAWL -> {
                if (channel.room < 64) {
                    channel.read(world.skewed(32));
                }
            }
            case STOPPED -> {}
        }
    }

    void sayHello(HelloFrame said) {
        tailAtHello = (int) log.tail();
        oldestAtHello = journal == null ? 0 : journal.oldest();
        durableAtHello = said.level() == Level.STREAM || !lives.keeps() ? 0 : lives.reached(said.level());
        wantHello(said);
    }

    private void subscribe(int count) {
        for (int i = 0; i < count && !spoilt; i++) {
            TypeRanges wanted = someTypes(world);
            SubscribeFrame frame = new SubscribeFrame(++requests, wanted);
            wishes.add(new Wish(requests, wanted));
            out.writeBytes(frame.encode());
        }
    }

    static TypeRanges someTypes(World world) {
        int ranges = world.oneOf(0, 1, 1, 1, 2, 3, 40);
        int[] bounds = new int[2 * ranges];
        for (int i = 0; i < ranges; i++) {
            int type = Source.TYPES[world.below(Source.TYPES.length)];
            bounds[2 * i] = type;
            bounds[2 * i + 1] = type + (type > 0 && type < 1000 ? world.below(5) : 0);
        }
        return ranges == 0 ? TypeRanges.ALL : TypeRanges.of(bounds);
    }

    @Override
    protected void sayWrong() {
        if (hello == null && world.onceIn(2)) {
            // One that is lawful, and that the relay refuses.
            HelloFrame.Builder said = world.onceIn(2)
                    ? HelloFrame.publisher()
                    : HelloFrame.subscriber().versions(7, 9);
            out.writeBytes(said.build().encode());
            deserves(CloseReason.WRONG_ROLE, CloseReason.UNSUPPORTED, CloseReason.HANDSHAKE_TIMEOUT);
            return;
        }
        switch (world.below(4)) {
            case 0 -> {
                out.writeByte(1);
                deserves(CloseReason.UNEXPECTED_INPUT);
            }
            case 1 -> wrong(ControlFrames.WELCOME, 8, CloseReason.PROTOCOL_ORDER);
            case 2 -> wrong(ControlFrames.PING, 20_000, CloseReason.OVERSIZED_LENGTH, CloseReason.PROTOCOL_ORDER);
            default -> {
                out.writeBytes(ErrorFrame.encode(CloseReason.UNSUPPORTED, "enough\n\u001b[2J"));
                deserves(CloseReason.PEER_CLOSED, CloseReason.PROTOCOL_ORDER);
            }
        }
    }

    @Override
    protected void behaveMore() {
        reading = Reading.EAGER;
        read();
        deliver(Integer.MAX_VALUE);
    }

    @Override
    String owed() {
        if (!live() || spoilt) {
            return "";
        }
        if (!owedAnswer().isEmpty()) {
            return owedAnswer();
        }
        if (hasBegun && waitsForLong() && !world.draining) {
            return "";
        }
        if (getsState()) {
            return this + " has not got the state, only up to " + next + " of " + model.count + ": " + channel.state();
        }
        if (!wishes.isEmpty()) {
            return this + " waits for SUBSCRIBED: " + channel.state();
        }
        // A plain one that has skipped up to the head is told so by the next message only.
        boolean mayMiss = jumpsUntold() && ((SubscriberConnection) connection.role()).position() == model.end;
        if (!betweenFrames() || (firstWanted(next) <= model.count && !mayMiss)) {
            return this + " has not got message " + firstWanted(next) + " of " + model.count + ": " + channel.state();
        }
        return "";
    }

    /** What it keeps when its relay goes; null: it does not know where it stands. */
    Resumed resumed() {
        return welcomed && !spoilt ? new Resumed(lives.epoch, next, level) : null;
    }

    @Override
    protected EnumSet<CloseReason> mayEndBy() {
        EnumSet<CloseReason> reasons = super.mayEndBy();
        boolean chooses = !types.isAll()
                || !wishes.isEmpty()
                || (hello != null && !hello.types().isAll());
        // It goes back to where the log ends: that may be gone before it gets there.
        boolean goesBack = hello != null && hello.start() != StartFrom.LIVE;
        // The log holds what is not written. It may go on over what is not forced while the disk is slow.
        boolean forced = hello != null && hello.level() == Level.FORCED;
        // With REPLAY until it has got all that it was too slow for; and a plain one is not told of what is missing
        // there.
        if (!neverSlow || chooses || goesBack || forced || policy == Policy.REPLAY) {
            reasons.addAll(SLOW);
        }
        if (policy == Policy.LATEST) {
            // It gets the state instead; but a write, and a batch of the state, hold memory.
            reasons.addAll(SLOW);
            reasons.remove(CloseReason.SLOW_SUBSCRIBER);
        }
        if (goesBack) {
            reasons.add(CloseReason.TOO_MANY_FROM_ADDRESS);
        }
        if (hello != null && (hello.start() == StartFrom.SEQUENCE || hello.start() == StartFrom.STATE)) {
            reasons.add(CloseReason.BAD_START);
        }
        if (hello != null && hello.start() == StartFrom.STATE && !mayGetState()) {
            reasons.add(CloseReason.UNSUPPORTED);
        }
        if (spoilt) {
            reasons.add(CloseReason.FRAME_TIMEOUT);
            reasons.add(CloseReason.HANDSHAKE_TIMEOUT);
        }
        return reasons;
    }

    private boolean mayGetState() {
        StateConfig state = world.config.state();
        boolean has =
                state.types().isAll() || hello.types().equals(state.types().intersect(hello.types()));
        return state.on() && has && hello.level() == Level.STREAM;
    }

    private boolean getsState() {
        return stateTypes != null;
    }

    /** The first message from here on that it wants; one past the last where there is none. */
    private int firstWanted(int from) {
        if (types.isAll()) {
            return from;
        }
        int count = model.count;
        int sequence = from;
        while (sequence <= count && !types.contains(model.type(sequence))) {
            sequence++;
        }
        return sequence;
    }

    /** Whether there is something new for one that has an interval, and has begun. */
    boolean waitsForItsTick() {
        boolean waits = live() && !spoilt && hasBegun && hello.intervalMillis() > 0;
        return waits && (!passedOver.isEmpty() || firstWanted(next) <= model.count);
    }

    private boolean waitsForLong() {
        return hello != null && hello.intervalMillis() == LONG_INTERVAL;
    }

    private boolean jumpsUntold() {
        return policy == Policy.SKIP && !welcomed;
    }

    @Override
    protected int needed() {
        return jumpsUntold() ? 16 : Source.HEADER;
    }

    @Override
    protected int messageStarts(byte[] first, int length) {
        gapMayCome = false;
        if (jumpsUntold()) {
            int sequence = model.find(first, length, next);
            if (sequence < next) {
                fail("gets message " + sequence + " where " + next + " comes next");
            } else if (sequence > next) {
                jumped(next, sequence - 1);
            }
            current = sequence;
            return sequence;
        }
        // Of the state each message that is passed over was told.
        int sequence = getsState() ? next : firstWanted(next);
        if (sequence > model.count || getsState() && !stateTypes.contains(model.type(sequence))) {
            fail("gets a message of type " + Source.getInt(first, 0) + " where " + next + " comes next, and there are "
                    + model.count);
            return sequence;
        }
        check(!sequences || sequence == next, "counts " + next + " where message " + sequence + " comes");
        current = sequence;
        return sequence;
    }

    @Override
    protected void messageEnded() {
        ofState.set(current);
        lives.promise(level, current, name);
        passedOver.remove(model.type(current));
        next = current + 1;
    }

    /** It has missed messages: only those that the log held no more when it was its turn. */
    private void jumped(int from, int to) {
        world.trace(name, "misses", from, to);
        if (model.start(from) >= log.tail()) {
            fail("misses message " + from + " at " + model.start(from) + ", which the log holds: tail " + log.tail());
        }
    }

    @Override
    protected void onControl(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.GAP -> gap(body);
            case ControlFrames.SEQUENCE -> {
                SequenceFrame.check(body);
                check(sequences, "gets SEQUENCE and has not asked for it");
                settledUpTo(SequenceFrame.next(body), "SEQUENCE");
            }
            case ControlFrames.PING -> pinged(PingFrame.next(body), PingFrame.head(body));
            case ControlFrames.SUBSCRIBED -> subscribed(SubscribedFrame.decode(body));
            default -> super.onControl(type, body);
        }
    }

    private void pinged(long to, long head) {
        int most = level == Level.STREAM ? model.count : lives.reached(level);
        // One that asked for what is not durable yet waits behind the end.
        boolean behind = level != Level.STREAM && to == resumeFrom;
        check(head <= most && (behind || head >= to - 1), "is told head " + head + " of " + model.count);
        if (to == 0) {
            check(getsState() || policy == Policy.LATEST, "gets a PING that says nothing, and not the state");
            world.saw("PINGs within a state", 1);
            return;
        }
        settledUpTo(to, "PING");
        if (getsState()) {
            pingOfState(to, head);
        }
        hasBegun |= head == to - 1;
    }

    @Override
    protected void welcome(WelcomeFrame said) {
        int interval = hello.policy() == Policy.LATEST ? hello.intervalMillis() : 0;
        check(
                said.intervalMillis() == interval && said.grants(Features.INTERVAL) == interval > 0,
                "is granted an interval of " + said.intervalMillis() + " ms instead of " + interval);
        world.saw("intervals", interval > 0 ? 1 : 0);
        hasBegun = false;
        boolean decides =
                hello.policy() != Policy.RELAY_DEFAULT && (hello.policy() != Policy.REPLAY || journal != null);
        policy = decides ? hello.policy() : relayDefault;
        // Who does not ask for it may not know it.
        boolean knows = policy != Policy.REPLAY || hello.policy() == Policy.REPLAY;
        Policy wanted = knows ? policy : Policy.RELAY_DEFAULT;
        check(said.policy() == wanted, "is granted " + said.policy() + " instead of " + wanted);
        types = hello.types();
        sequences = hello.wants(Features.SEQUENCES);
        level = levels ? hello.level() : Level.STREAM;
        boolean durable = level != Level.STREAM;
        int fork = lives.forkOf(hello.epoch());
        boolean unknown = fork == Lives.UNKNOWN;
        boolean resumes = hello.start() == StartFrom.SEQUENCE || hello.start() == StartFrom.STATE;
        boolean rolledBack = !unknown && resumes && hello.number() > fork;
        check(
                said.epochChanged() == (unknown || rolledBack)
                        && said.rolledBack() == rolledBack
                        && said.fork() == (rolledBack ? fork : 0),
                "comes with number " + hello.number() + " of an epoch whose fork is " + fork
                        + ", and is told " + (said.epochChanged() ? "of another epoch" : "nothing")
                        + (said.rolledBack() ? ", rolled back to " + said.fork() : ""));
        world.saw("subscribers rolled back", rolledBack ? 1 : 0);
        world.saw("subscribers of an earlier life", fork != Lives.TODAY && !unknown && !rolledBack ? 1 : 0);
        long first = said.next();
        int head = (durable ? lives.reached(level) : model.count) + 1;
        switch (hello.start()) {
            case LIVE ->
                check(
                        first >= (durable ? durableAtHello + 1 : next) && first <= head,
                        "starts live at " + first + " of " + head);
            case SEQUENCE -> {
                long wantedFirst = unknown ? 1 : rolledBack ? fork : hello.number();
                check(first == wantedFirst, "starts at " + first + ", not " + wantedFirst);
                resumeFrom = (int) first;
                gapMayCome = true;
            }
            case EARLIEST -> {
                int most = model.count + 1;
                check(first >= 1 && first <= most, "starts earliest at " + first + " of " + most);
                resumeFrom = (int) first;
                if (journal == null || !isOldestOfJournal((int) first)) {
                    checkOldest((int) first);
                }
            }
            case STATE -> {
                check(mayGetState(), "gets a state that is not there");
                long wantedFirst = unknown || rolledBack ? 1 : Math.max(1, hello.number());
                check(first == wantedFirst, "gets the state from " + first + ", not " + wantedFirst);
                // A SUBSCRIBE before WELCOME changes nothing here: its types apply from SUBSCRIBED on.
                stateTypes = types;
                stateFrom = (int) first;
                world.saw("starts with the state", 1);
            }
            case TIME -> {
                int most = model.count + 1;
                check(
                        first >= oldestAtHello && first <= most,
                        "starts by time at " + first + " of " + most + ", and " + oldestAtHello + " is the oldest");
                resumeFrom = (int) first;
            }
        }
        world.saw("starts in the journal", model.start((int) first) < log.tail() ? 1 : 0);
        next = (int) Math.min(first, Integer.MAX_VALUE);
    }

    /** The oldest message that the log held lies right behind its tail. */
    private void checkOldest(int first) {
        int at = model.start(first);
        boolean held = at >= tailAtHello;
        boolean oldest = first == 1 || first > model.count || mayHaveGone(first - 1);
        check(
                held && oldest,
                "starts at message " + first + " at " + at + ", the log's tail is " + log.tail() + ", and was "
                        + tailAtHello);
    }

    /**
     * Whether the log may have dropped the beginning of its packet. Then it no longer gives the message, though it may
     * lie behind the tail: the log's oldest message is the first one of a packet.
     */
    private boolean mayHaveGone(int sequence) {
        long tail = log.tail();
        // One that is longer than a packet is a packet of its own.
        return model.start(sequence) < tail
                || model.start(sequence + 1) - world.config.stream().packetBytes() < tail;
    }

    /**
     * Whether it may have been the oldest one there when it said HELLO or since; false also where the log may have
     * more.
     */
    private boolean isOldestOfJournal(int first) {
        int now = journal.oldest();
        boolean behindLog = model.start(now) < tailAtHello;
        boolean may = first >= oldestAtHello && first <= now;
        check(
                may || !behindLog,
                "starts earliest at " + first + ", and the journal begins with " + oldestAtHello + " to " + now);
        return may;
    }

    /** Messages on its way through the journal: they are no longer there, or what was read there came out wrong. */
    private void missing(int from, int to, int reason) {
        int first = firstWanted(next);
        check(
                from >= next && from <= first && to <= model.count,
                "is told that " + from + " to " + to + " are missing, where " + next + " comes");
        boolean damaged = reason == GapReason.DAMAGED.code();
        world.saw(damaged ? "damage told" : "dropped before they came", 1);
        if (damaged) {
            check(
                    journal.wrongReads > wrongReadsBefore,
                    "is told that " + from + " to " + to + " are damaged, and nothing is");
        } else if (!world.failed()) {
            boolean dropped = to < journal.oldest() || lives.failed();
            check(
                    dropped && mayHaveGone(to),
                    "is told that " + from + " to " + to + " are not held: the journal begins with " + journal.oldest()
                            + ", the log's tail is " + log.tail());
        }
    }

    /** A PING comes before the state, or at its end: then it has the newest message of each of its types. */
    private void pingOfState(long to, long head) {
        if (head >= to) {
            check(to == stateFrom, "gets a PING in the middle of the state, at " + to + " of " + head);
            return;
        }
        Set<Integer> seen = new HashSet<>();
        for (int sequence = (int) head; sequence >= stateFrom && sequence > forgotten; sequence--) {
            int type = model.type(sequence);
            boolean newest = stateTypes.contains(type) && seen.add(type);
            check(
                    !newest || ofState.get(sequence) || isNothingToIt(sequence),
                    "has no message " + sequence + " of the state up to " + head);
        }
        world.saw("states complete", 1);
        world.saw("states not whole", forgotten > 0 ? 1 : 0);
        stateTypes = null;
    }

    /** Whether a message is a tombstone, and it has no value of that type: if it was forgotten, it lacks nothing. */
    private boolean isNothingToIt(int tombstone) {
        boolean had = ofState.stream().anyMatch(sequence -> model.type(sequence) == model.type(tombstone));
        return isEmpty(tombstone) && stateFrom == 1 && !had;
    }

    private boolean isEmpty(int sequence) {
        return model.start(sequence + 1) - model.start(sequence) == Source.HEADER;
    }

    private void gapOfState(int from, int to, int reason) {
        boolean lost = reason == GapReason.NOT_HELD.code();
        check(
                from == next && to <= model.count && (lost || reason == GapReason.SUPERSEDED.code()),
                "is told of the state that " + from + " to " + to + " do not come, for " + reason + ", where " + next
                        + " comes");
        forgotten = lost ? to : forgotten;
    }

    private void gap(ByteBuffer body) throws FrameException {
        GapFrame.check(body);
        int from = (int) GapFrame.from(body);
        int to = (int) GapFrame.to(body);
        world.trace(name, "is told a gap", from, to);
        if (getsState()) {
            gapOfState(from, to, GapFrame.reason(body));
        } else if (GapFrame.reason(body) == GapReason.SUPERSEDED.code()) {
            passOver(from, to);
        } else if (policy == Policy.LATEST && GapFrame.reason(body) == GapReason.NOT_HELD.code()) {
            check(from >= next && from <= firstWanted(next), "is told a gap from " + from + ", and " + next + " comes");
            check(to <= model.count, "is told a gap up to " + to + " of " + model.count);
            lostUpTo = from == 1 ? to : lostUpTo;
            world.saw("conflated, not whole", 1);
        } else if (journal != null && GapFrame.reason(body) != GapReason.SLOW.code()) {
            missing(from, to, GapFrame.reason(body));
        } else if (GapFrame.reason(body) == GapReason.NOT_HELD.code()) {
            check(gapMayCome && from == resumeFrom, "is told of messages not held, " + from + " to " + to);
            check(to < model.count + 1, "misses messages up to " + to + " of " + model.count);
            next = from;
            if (!world.failed()) {
                check(mayHaveGone(from), "misses message " + from + ", which the log holds: tail " + log.tail());
                checkOldest(to + 1);
            }
        } else {
            check(policy == Policy.SKIP, "is told a gap, and its policy is " + policy);
            int first = firstWanted(next);
            check(from >= next && from <= first, "is told a gap from " + from + ", and " + next + " comes");
            check(to <= model.count, "is told a gap up to " + to + " of " + model.count);
            if (!world.failed()) {
                jumped(from, to);
            }
        }
        gapMayCome = false;
        next = to + 1;
    }

    /** Newer messages have taken the place of these: at the next PING each of their types must have had one. */
    private void passOver(int from, int to) {
        // Who has had nothing needs no word of an empty message that was forgotten.
        boolean hadNothing = from == lostUpTo + 1;
        check(policy == Policy.LATEST, "is told of superseded messages, and its policy is " + policy);
        check(from >= next && from <= firstWanted(next), "is told a gap from " + from + ", and " + next + " comes");
        check(to <= model.count, "is told a gap up to " + to + " of " + model.count);
        for (int sequence = from; sequence <= to && !world.failed(); sequence++) {
            int type = model.type(sequence);
            boolean needed = types.contains(type) && !(hadNothing && isEmpty(sequence));
            if (needed) {
                passedOver.add(type);
            } else {
                passedOver.remove(type);
            }
        }
        world.saw("conflated", 1);
    }

    private void settledUpTo(long number, String by) {
        check(
                passedOver.isEmpty() || by.equals("SEQUENCE"),
                "is told by " + by + " of " + number + " before types " + passedOver + " have come");
        int to = (int) Math.min(number, Integer.MAX_VALUE);
        if (getsState()) {
            check(to == next, "is told by " + by + " of " + number + ", where " + next + " of the state comes");
            return;
        }
        if (to < next || to > model.count + 1 || firstWanted(next) < to) {
            fail("is told by " + by + " of " + number + ", and from " + next + " on message " + firstWanted(next)
                    + " comes next of " + model.count);
            return;
        }
        next = to;
    }

    private void subscribed(SubscribedFrame said) {
        Wish wish = wishes.poll();
        if (wish == null || wish.request != said.request()) {
            fail("gets an answer to request " + said.request() + " instead of " + wish);
            return;
        }
        settledUpTo(said.sequence(), "SUBSCRIBED");
        // All answers of one frame stand at the same place; the last one's types hold.
        types = wish.types;
    }

    @Override
    public String toString() {
        return super.toString() + (hello == null ? "" : " (" + policy + ")");
    }
}
