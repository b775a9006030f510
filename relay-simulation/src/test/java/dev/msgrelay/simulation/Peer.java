package dev.msgrelay.simulation;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.RetryAfterFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.connection.Closing;
import dev.msgrelay.server.connection.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A client on one connection: what it wants to send comes to the relay piece by piece, what the relay sends it is taken
 * apart and compared, byte by byte, as soon as its socket has taken it.
 */
abstract class Peer implements SimChannel.Other {
    private static final Set<CloseReason> ENDED_ITSELF =
            EnumSet.of(CloseReason.PEER_CLOSED, CloseReason.TRUNCATED_FRAME);

    /** Reasons for which a connection is not let in. */
    private static final Set<CloseReason> REFUSALS = EnumSet.of(
            CloseReason.TOO_MANY_CONNECTIONS,
            CloseReason.TOO_MANY_PUBLISHERS,
            CloseReason.TOO_MANY_FROM_ADDRESS,
            CloseReason.MEMORY_LIMIT);

    /** For so long the relay tries to tell a client why it ends. */
    private static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS);

    /** A socket's own buffer at the relay. */
    private static final int MOST_UNREAD = 256 << 10;

    protected final World world;
    protected final StreamModel model;
    protected final Lives lives;
    protected final SimChannel channel;
    // The relay's side of it; null where it was refused.
    protected Session connection;
    protected final String name;
    final Role role;
    private final Patience patience;
    // Null: it speaks without TLS.
    protected TlsClient tls;
    private long registeredNanos;
    private boolean connected;
    private boolean opened;
    private boolean arrived;
    protected final EnumSet<CloseReason> deserves = EnumSet.noneOf(CloseReason.class);

    // What it wants to send.
    protected final ByteBuf out = Unpooled.buffer();
    // Whether that is something that no relay takes.
    protected boolean spoilt;
    protected boolean left;
    // Whether it ends its output right behind what waits, which is wrong, and whether it has.
    private boolean endsBehindAFault;
    private boolean outputEnded;
    // By what the relay may end it for that.
    private final EnumSet<CloseReason> faults = EnumSet.noneOf(CloseReason.class);
    private boolean leftInOrder;
    // Whether nothing is heard of it any more.
    protected boolean silent;
    private long pings;
    // 0: none.
    private long expectedPong;

    // Null: it says none.
    protected HelloFrame hello;
    protected boolean welcomed;
    // Whether it is served by how far messages have got in the journal, or told so.
    protected boolean levels;

    // What it gets: a control frame, or the beginning of a message; then the bytes of that up to its end.
    private final byte[] frame = new byte[Source.HEADER + ControlFrames.MAX_CONTROL_BODY];
    private int have;
    private int at;
    private int end;
    // Why the relay has ended it, or will: as it was told, and as the relay has counted it.
    protected CloseReason told;
    private boolean isToldToWait;
    CloseReason endedBy;
    private boolean accounted;
    private long accountedNanos;
    private long closedNanos;
    private boolean cutOff;
    // The relay's output, and all of its side.
    protected boolean ended;
    boolean closedByRelay;

    Peer(World world, String name, SimChannel channel, Role role) {
        this.world = world;
        this.model = world.model;
        this.lives = world.lives;
        this.name = name;
        this.channel = channel;
        this.role = role;
        this.patience = new Patience(world.config, role);
        channel.other = this;
    }

    final void act() {
        closeIfTold();
        if (!left) {
            read();
        }
        if (left || silent) {
            return;
        }
        int dice = world.below(20);
        if (dice == 0 && world.onceIn(40)) {
            leave(world.onceIn(2));
        } else if (dice == 1 && world.onceIn(100)) {
            silent = true;
            world.trace(name, "vanishes", 0, 0);
        } else if (dice == 2 && world.malicious && world.onceIn(10) && !spoilt) {
            spoilt = true;
            spoil();
        } else if (dice == 3 && world.malicious && world.onceIn(6) && live()) {
            breakDown(false);
        } else if (dice < 12) {
            doMore();
        } else {
            deliverSome();
        }
    }

    /** It reads, or does not, as its kind does. */
    protected void read() {}

    protected abstract void doMore();

    /** Wants to send something that no relay takes: with TLS it may be changed on its way. */
    private void spoil() {
        if (tls != null && world.onceIn(2)) {
            wrong(7, 0, CloseReason.TLS_FAILED);
            tls.spoilsNext = true;
        } else {
            EnumSet<CloseReason> before = EnumSet.copyOf(deserves);
            sayWrong();
            faults.addAll(deserves);
            faults.removeAll(before);
            // Of those, who says ERROR itself is told nothing.
            endsBehindAFault = world.onceIn(2) && !faults.contains(CloseReason.PEER_CLOSED);
        }
    }

    protected abstract void sayWrong();

    /**
     * Wants to send a frame of this type and length, its body zeros if it is short; the relay has these reasons then.
     */
    protected final void wrong(int type, int length, CloseReason... reasons) {
        out.writeInt(type).writeInt(length).writeZero(length > 0 && length <= 8 ? length : 0);
        deserves(reasons);
    }

    /** What is right: it sends what it has to, reads all, and answers. */
    final void behave() {
        closeIfTold();
        if (silent) {
            leave(false);
        }
        behaveMore();
    }

    protected abstract void behaveMore();

    /** What it is still owed, or has not been able to do; empty: nothing. Asked once it behaves. */
    abstract String owed();

    /** Bytes that nobody reads, or an answer; empty: nothing. */
    protected final String owedAnswer() {
        boolean waits = hello != null && (!welcomed || expectedPong != 0);
        return waiting() > 0 || channel.unread() > 0
                ? this + " is not read: " + channel.state() + ", " + waiting() + " bytes wait"
                : waits ? this + " waits for WELCOME or PONG: " + channel.state() : "";
    }

    final String owedOrLate() {
        String owed = owed();
        return !owed.isEmpty()
                ? owed
                : !arrived
                        ? this + " has not shaken hands: " + channel.state()
                        : left ? this + " has left, and is not closed: " + channel.state() : "";
    }

    /** Reasons for which the relay may end it, whatever it does; those of time when {@link Patience} says so. */
    protected EnumSet<CloseReason> mayEndBy() {
        EnumSet<CloseReason> reasons = EnumSet.of(CloseReason.SHUTDOWN);
        if (outputEnded && world.draining) {
            // What is wrong is not looked at any more.
            reasons.addAll(ENDED_ITSELF);
        }
        if (hello != null || role == Role.PUBLISHER) {
            reasons.add(CloseReason.IDLE_TIMEOUT);
            reasons.add(CloseReason.FRAME_TIMEOUT);
        }
        if (hello != null && !welcomed) {
            reasons.add(CloseReason.HANDSHAKE_TIMEOUT);
        }
        if (hello != null && lives.failed() && hello.level() != Level.STREAM) {
            reasons.add(CloseReason.JOURNAL_FAILED);
        }
        return reasons;
    }

    final void speakTls() {
        boolean garbled = !world.calm && world.onceIn(12);
        tls = new TlsClient(world, channel, garbled);
        if (garbled) {
            deserves(CloseReason.TLS_FAILED);
        }
    }

    final void placed() {
        connection = channel.pipeline().get(Session.class);
        if (tls != null) {
            tls.placed();
            if (connection != null) {
                String before = channel.pipeline().context(connection).name();
                channel.pipeline().addBefore(before, null, new Opening());
            }
        }
    }

    /** Sees when the handshake is done, and goes. */
    private final class Opening extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            open();
            ctx.fireChannelActive();
            ctx.pipeline().remove(this);
        }
    }

    @Override
    public final void registered() {
        if (!connected) {
            connected = true;
            registeredNanos = world.now();
            if (tls == null || connection == null) {
                open();
            }
        }
    }

    private void open() {
        opened = true;
        patience.begins(world.now());
        model.sync();
        connected();
    }

    /** Whether the relay knows of it, or of the end of its handshake, and nobody has looked yet. */
    final boolean takeArrival() {
        boolean news = !arrived && (opened || failedHandshake());
        arrived |= news;
        return news;
    }

    private boolean failedHandshake() {
        return !opened && tls != null && tls.failedThere();
    }

    protected void connected() {}

    /** What was said in the middle of a step must hold at its end. */
    protected void endOfStep() {}

    /** A message begins so: answers its sequence. */
    protected int messageStarts(byte[] first, int length) {
        fail("gets a message");
        return 0;
    }

    protected void messageEnded() {}

    protected void welcome(WelcomeFrame said) {}

    /** Something else than others get, too; or a PING, before it is answered. */
    protected void onControl(int type, ByteBuffer body) throws FrameException {
        if (type != ControlFrames.PING) {
            fail("gets " + ControlFrames.name(type));
        }
    }

    /** First bytes of a message that are needed to know which one it is. */
    protected int needed() {
        return Source.HEADER;
    }

    protected final void check(boolean holds, String what) {
        if (!holds) {
            fail(what);
        }
    }

    protected final void fail(String what) {
        world.fail(this + " " + what);
    }

    protected final void want(Source source, int number) {
        int length = source.frameLength(number);
        out.ensureWritable(length);
        source.put(number, out.array(), out.arrayOffset() + out.writerIndex());
        out.writerIndex(out.writerIndex() + length);
    }

    protected final void wantHello(HelloFrame said) {
        hello = said;
        out.writeBytes(said.encode());
        patience.hello(out.readableBytes(), said.heartbeatMillis());
    }

    protected final int waiting() {
        return out.readableBytes();
    }

    protected final void deliver(int most) {
        if (silent || left || outputEnded) {
            return;
        }
        int length = tls == null || tls.maySay() ? Math.min(most, waiting()) : 0;
        length = Math.max(0, Math.min(length, MOST_UNREAD - channel.unread()));
        if (length > 0) {
            ByteBuf part = out.readSlice(length);
            if (tls == null) {
                channel.deliver(part);
            } else {
                tls.say(part);
            }
            out.discardSomeReadBytes();
            world.trace(name, "sends", length, waiting());
            sent(length);
        }
        if (tls != null) {
            tls.flush(most);
        }
        if (endsBehindAFault && waiting() == 0 && opened) {
            endOutput();
        }
    }

    /** It sends nothing more, and reads on: what it has sent is wrong, so it is told why. */
    private void endOutput() {
        outputEnded = true;
        world.trace(name, "ends its output", channel.unread(), 0);
        if (tls != null) {
            tls.finish(world.onceIn(2));
        }
        channel.finish();
    }

    /**
     * The relay has closed it. One that broke a rule, ended its output and read on was told why, unless it read too
     * slowly.
     */
    final void checkTold() {
        boolean hindered = left && told == null || cutOff || deserves.contains(CloseReason.INTERNAL_ERROR);
        if (!outputEnded || hindered || !faults.contains(endedBy)) {
            return;
        }
        long most = role == Role.PUBLISHER
                ? LAST_WORD_NANOS
                : Math.max(LAST_WORD_NANOS, world.config.stallTimeout().toNanos());
        boolean tooSlow = closedNanos - accountedNanos >= most;
        check(
                told != null || tooSlow,
                "ends its output behind a fault, is closed as " + endedBy + ", and is told nothing");
        if (told != null) {
            world.saw("told behind the end of its output", 1);
            checkToldAll();
        }
    }

    /** What else it was told, one that has ended its output behind a fault. */
    protected void checkToldAll() {}

    /** So much more has come to the relay, or is on its way. */
    protected void sent(int bytes) {}

    /** A piece as it comes: all, a part, a byte or two. */
    protected final void deliverSome() {
        switch (world.below(4)) {
            case 0 -> deliver(1 + world.below(3));
            case 1 -> deliver(1 + world.skewed(Math.max(1, waiting())));
            default -> deliver(Integer.MAX_VALUE);
        }
    }

    /** Sends the end of its input, or breaks the connection. */
    protected final void leave(boolean orderly) {
        if (!left) {
            leftInOrder = orderly && live();
            left = true;
            world.trace(name, orderly ? "finishes" : "resets", waiting(), 0);
            if (tls != null && !opened) {
                deserves(CloseReason.TLS_FAILED);
            }
            // With TLS a word may be all there is of the end.
            boolean byWord = orderly && tls != null && tls.finish(world.onceIn(2)) && world.onceIn(2);
            if (byWord) {
                world.trace(name, "leaves it at a word", 0, 0);
            } else if (orderly) {
                channel.finish();
            } else {
                channel.reset();
                deserves(CloseReason.CONNECTION_LOST);
            }
            deserves.addAll(ENDED_ITSELF);
        }
    }

    /**
     * Something in its connection at the relay goes wrong, and not by its doing: soon, or when it gets what it waits
     * for.
     */
    protected final void breakDown(boolean whenItGoesOn) {
        channel.throwOnce(whenItGoesOn);
        // A connection that fails before its first byte is a probe to the relay, as one that is closed is.
        deserves(CloseReason.INTERNAL_ERROR, CloseReason.CONNECTION_LOST, CloseReason.PEER_CLOSED);
    }

    protected final void ping() {
        if (expectedPong == 0 && hello != null && live() && !spoilt) {
            expectedPong = ++pings;
            ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
            PingFrame.put(ping, expectedPong, 0, 0);
            out.writeBytes(ping.flip());
        }
    }

    protected final void deserves(CloseReason... reasons) {
        deserves.addAll(Arrays.asList(reasons));
    }

    final boolean live() {
        return !left && !ended && told == null;
    }

    /** Once told why it ends, or that it has, a client closes: some at once, some later. */
    private void closeIfTold() {
        if ((told != null || ended) && !left && (world.calm || world.onceIn(3))) {
            leave(true);
        }
    }

    /** Whether the relay has counted its end, and nobody has looked yet. */
    final boolean takeEnd() {
        boolean news = !accounted
                && (connection == null || connected && (connection.state().ended() || failedHandshake()));
        if (news) {
            accounted = true;
            accountedNanos = world.now();
        }
        return news;
    }

    /** Whether it has ended its input in order, and that is why the relay has ended it: all of it was read then. */
    protected final boolean endedInOrder() {
        return leftInOrder && ENDED_ITSELF.contains(endedBy);
    }

    /** The relay's process has gone, and all its connections with it. */
    final void relayGone() {
        left = true;
        ended = true;
        accounted = true;
        closedByRelay = true;
        channel.relayGone();
    }

    /** Whether the relay may have ended it for this reason. */
    final boolean mayEndBy(CloseReason reason) {
        if (tls != null && reason == CloseReason.TLS_FAILED && !opened) {
            return deserves.contains(reason)
                    || world.now() - registeredNanos
                            >= world.config.clients().handshakeTimeout().toNanos();
        }
        if (tls != null && reason == CloseReason.TLS_KEY_USED_UP) {
            return opened && tls.recordsThere() >= world.config.tls().recordsPerKey();
        }
        return connection == null
                ? REFUSALS.contains(reason)
                : patience.over(reason, world.now())
                        && (deserves.contains(reason) || mayEndBy().contains(reason));
    }

    @Override
    public final void ended(boolean whole) {
        ended = true;
        closedByRelay |= whole;
        closedNanos = world.now();
        world.trace(name, whole ? "is closed" : "gets the end", have + (end - at), 0);
    }

    @Override
    public final void cutOff() {
        cutOff = true;
    }

    @Override
    public final void beforeWrite() {
        model.sync();
    }

    protected final boolean betweenFrames() {
        return have == 0 && at == end;
    }

    @Override
    public final void wasRead(int length) {
        int bytes = tls == null ? length : tls.wasRead(length);
        if (bytes > 0 && counts()) {
            patience.read(world.now(), bytes);
        }
    }

    /** What passes behind its end changes nothing. */
    private boolean counts() {
        return connection != null && !connection.state().ended();
    }

    @Override
    public final void took(byte[] bytes) {
        if (counts()) {
            patience.tookNanos = world.now();
        }
        if (tls == null) {
            gets(bytes);
        } else {
            String wrong = tls.took(bytes, this::gets);
            check(
                    wrong == null || mayEndBy(CloseReason.TLS_FAILED) || mayEndBy(CloseReason.INTERNAL_ERROR),
                    "gets a record that is wrong: " + wrong);
        }
    }

    private void gets(byte[] bytes) {
        int i = 0;
        while (i < bytes.length && !world.failed()) {
            if (at < end) {
                i += compare(bytes, i);
            } else {
                int part = Math.min(bytes.length - i, missing());
                System.arraycopy(bytes, i, frame, have, part);
                have += part;
                i += part;
                if (have >= Source.HEADER && missing() <= 0) {
                    frameThere();
                }
            }
        }
    }

    private int compare(byte[] bytes, int i) {
        int part = Math.min(bytes.length - i, end - at);
        int wrong = Arrays.mismatch(bytes, i, i + part, StreamModel.shared, at, at + part);
        if (wrong >= 0) {
            fail("gets a wrong byte: that of position " + (at + wrong) + ", of a message up to " + end);
        }
        at += part;
        if (at == end) {
            messageEnded();
        }
        return part;
    }

    /**
     * Bytes until it knows what it gets: the header, then a whole control frame, or as much of a message as it needs.
     */
    private int missing() {
        if (have < Source.HEADER) {
            return Source.HEADER - have;
        }
        int body = Source.getInt(frame, 4);
        boolean control = ControlFrames.isControl(Source.getInt(frame, 0)) && body <= ControlFrames.MAX_CONTROL_BODY;
        int whole = Source.HEADER + Math.max(0, body);
        return (control ? whole : Math.min(needed(), whole)) - have;
    }

    private void frameThere() {
        int type = Source.getInt(frame, 0);
        int body = Source.getInt(frame, 4);
        int length = have;
        have = 0;
        if (told != null) {
            fail("gets a frame behind ERROR " + told);
        } else if (isToldToWait && type != ControlFrames.ERROR) {
            fail("gets " + ControlFrames.name(type) + " between RETRY_AFTER and ERROR");
        } else if (!ControlFrames.isControl(type)) {
            messageThere(type, body, length);
        } else if (body < 0 || body > ControlFrames.MAX_CONTROL_BODY) {
            fail("gets " + ControlFrames.name(type) + " of " + body + " bytes");
        } else {
            gotControl(type, ByteBuffer.wrap(frame, 0, length).position(Source.HEADER));
        }
    }

    private void messageThere(int type, int body, int length) {
        int sequence = messageStarts(frame, length);
        if (world.failed()) {
            return;
        }
        at = model.start(sequence);
        end = model.start(sequence + 1);
        check(
                Arrays.equals(frame, 0, length, StreamModel.shared, at, at + length),
                "gets a message that begins otherwise than message " + sequence + ": type " + type + ", " + body
                        + " bytes");
        at += length;
        if (at == end) {
            messageEnded();
        }
    }

    private void gotControl(int type, ByteBuffer body) {
        world.trace(name, "gets control", type & 0xFF, body.remaining());
        try {
            if (type == ControlFrames.ERROR) {
                told = CloseReason.ofCode(ErrorFrame.code(body));
                check(told != null && mayEndBy(told), "is told ERROR " + told + ": " + ErrorFrame.text(body));
            } else if (type == ControlFrames.RETRY_AFTER) {
                RetryAfterFrame.check(body);
                isToldToWait = true;
            } else if (hello == null) {
                fail("is plain, and gets " + ControlFrames.name(type));
            } else if (type == ControlFrames.WELCOME) {
                checkWelcome(WelcomeFrame.decode(body));
            } else if (!welcomed) {
                fail("gets " + ControlFrames.name(type) + " before WELCOME");
            } else if (type == ControlFrames.PING) {
                PingFrame.check(body);
                onControl(type, body);
                wantPong(PingFrame.id(body));
            } else if (type == ControlFrames.PONG) {
                PongFrame.check(body);
                check(PongFrame.id(body) == expectedPong, "gets a PONG of another PING");
                expectedPong = 0;
            } else if (type != ControlFrames.GOAWAY) {
                onControl(type, body);
            }
        } catch (FrameException e) {
            fail("gets " + ControlFrames.name(type) + ": " + e.getMessage());
        }
    }

    private void checkWelcome(WelcomeFrame said) {
        check(!welcomed, "is welcomed twice");
        welcomed = true;
        levels = said.grants(Features.LEVELS);
        boolean asks = hello.wants(Features.LEVELS);
        check(levels ? asks : !asks || !lives.keeps(), "is granted levels: " + levels);
        check(said.epoch() == lives.epoch, "is told another epoch");
        welcome(said);
    }

    private void wantPong(long id) {
        if (!silent) {
            ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
            PongFrame.put(pong, id);
            out.writeBytes(pong.flip());
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
