package dev.msgrelay.simulation;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.session.Session;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * A client on one connection: what it wants to send comes to the relay piece by piece, what the relay sends it is taken apart
 * and compared, byte by byte, as soon as its socket has taken it.
 */
public abstract class Peer implements SimChannel.Other {
    private static final Set<CloseReason> ENDED_ITSELF =
            EnumSet.of(CloseReason.PEER_CLOSED, CloseReason.TRUNCATED_FRAME);

    /** Reasons for which a connection is not let in. */
    public static final Set<CloseReason> REFUSALS = EnumSet.of(
            CloseReason.TOO_MANY_CONNECTIONS,
            CloseReason.TOO_MANY_PUBLISHERS,
            CloseReason.TOO_MANY_FROM_ADDRESS,
            CloseReason.MEMORY_LIMIT);

    /** A socket's own buffer at the relay. */
    private static final int MOST_UNREAD = 256 << 10;

    private final World world;
    private final StreamModel model;
    private final String name;
    private final SimChannel channel;
    private final Patience patience;
    // Null: it speaks without TLS.
    private TlsClient tls;
    private long registeredNanos;
    private boolean opened;
    private Session connection;
    private boolean connected;
    private boolean arrived;
    private final EnumSet<CloseReason> deserves = EnumSet.noneOf(CloseReason.class);

    // What it wants to send.
    private byte[] out = new byte[256];
    private int outFrom;
    private int outTo;
    private boolean left;
    private boolean silent;
    private long pings;
    // 0: none.
    private long expectedPong;

    // What it gets.
    private final byte[] header = new byte[16];
    private int have;
    private byte[] control = new byte[64];
    private int controlHave;
    private int controlLength;
    private int at;
    private int end;
    private CloseReason told;
    private boolean ended;
    private boolean accounted;
    private boolean leftFirst;
    private CloseReason endedBy;
    private boolean closedByRelay;

    Peer(World world, StreamModel model, String name, SimChannel channel, Role role) {
        this.world = world;
        this.model = model;
        this.name = name;
        this.channel = channel;
        this.patience = new Patience(world.config(), role);
        channel.connect(this);
    }

    // ---- what it does --------------------------------------------------------------------------------------------

    /** Something, as the seed says. */
    public abstract void act();

    /** What is right: it sends what it has to, reads all, and answers. */
    public abstract void behave();

    /** What it is still owed, or has not been able to do; empty: nothing. Asked once it behaves. */
    public abstract String owed();

    /** Reasons for which the relay may end it, whatever it does; those of time when {@link Patience} says so. */
    protected abstract Set<CloseReason> mayEndBy();

    /** It speaks TLS, or tries to. */
    public final void speakTls(SSLContext context) {
        tls = new TlsClient(world, channel, context);
        if (!world.calm() && world.onceIn(12)) {
            tls.garble();
            deserves(CloseReason.TLS_FAILED);
        }
        tls.begin();
    }

    protected final boolean speaksTls() {
        return tls != null;
    }

    /** It is about to be accepted, or refused. */
    public final void placed() {
        connection = channel.pipeline().get(Session.class);
        if (tls != null) {
            tls.placed();
            if (connection != null) {
                String name = channel.pipeline().context(connection).name();
                channel.pipeline().addBefore(name, null, new Opening());
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
    public final boolean takeArrival() {
        boolean news = !arrived && (opened || failedHandshake());
        arrived |= news;
        return news;
    }

    /** Whether the relay has taken notice of it. */
    public final boolean hasArrived() {
        return arrived;
    }

    private boolean failedHandshake() {
        return !opened && tls != null && tls.failedThere();
    }

    /** It is there. */
    protected void connected() {}

    /** Something that may come before its turn: for publishers nothing may. */
    protected abstract int messageStarts(byte[] first, int length);

    protected abstract void messageEnded();

    protected abstract void onControl(int type, ByteBuffer body);

    /** First bytes of a message that are needed to know which one it is. */
    protected int needed() {
        return Source.HEADER;
    }

    public final String name() {
        return name;
    }

    protected final World world() {
        return world;
    }

    protected final StreamModel model() {
        return model;
    }

    public final SimChannel channel() {
        return channel;
    }

    /** The relay's side of it; null where it was refused. */
    public final Session connection() {
        return connection;
    }

    // ---- sending -------------------------------------------------------------------------------------------------

    /** Wants to send these as well. */
    protected final void want(byte[] bytes, int length) {
        makeRoom(length);
        System.arraycopy(bytes, 0, out, outTo, length);
        outTo += length;
    }

    protected final void want(ByteBuffer frame) {
        int length = frame.remaining();
        makeRoom(length);
        frame.get(out, outTo, length);
        outTo += length;
    }

    /** Wants to send a message as well. */
    protected final void want(Source source, int number) {
        makeRoom(source.frameLength(number));
        outTo += source.put(number, out, outTo);
    }

    /** Wants to say HELLO, before anything else. */
    protected final void wantHello(HelloFrame hello) {
        ByteBuffer frame = hello.encode();
        patience.hello(frame.remaining(), hello.heartbeatMillis());
        want(frame);
    }

    private void makeRoom(int length) {
        if (outTo + length > out.length) {
            int waiting = outTo - outFrom;
            byte[] target = waiting + length > out.length ? new byte[2 * (waiting + length)] : out;
            System.arraycopy(out, outFrom, target, 0, waiting);
            out = target;
            outFrom = 0;
            outTo = waiting;
        }
    }

    /** Bytes that it wants to send and that have not come to the relay. */
    protected final int waiting() {
        return outTo - outFrom;
    }

    /** Some of that comes to the relay. */
    protected final int deliver(int most) {
        if (silent || left) {
            return 0;
        }
        int length = tls == null || tls.maySay() ? Math.min(most, waiting()) : 0;
        length = Math.max(0, Math.min(length, MOST_UNREAD - channel.unread()));
        if (length > 0) {
            if (tls == null) {
                channel.deliver(out, outFrom, length);
            } else {
                tls.say(out, outFrom, length);
            }
            outFrom += length;
            world.trace(name, "sends", length, waiting());
        }
        if (tls != null) {
            tls.flush(most);
        }
        return length;
    }

    /** A piece as it comes: all, a part, a byte or two. */
    protected final int deliverSome() {
        return switch (world.below(4)) {
            case 0 -> deliver(1 + world.below(3));
            case 1 -> deliver(1 + world.skewed(Math.max(1, waiting())));
            default -> deliver(Integer.MAX_VALUE);
        };
    }

    /** Sends the end of its input, or breaks the connection. */
    protected final void leave(boolean orderly) {
        if (!left) {
            boolean live = live();
            left = true;
            leftFirst = orderly && live;
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

    /** Makes room for others. */
    public final void goAway() {
        leave(true);
    }

    /** From now on nothing is heard of it. */
    protected final void vanish() {
        if (!silent) {
            silent = true;
            world.trace(name, "vanishes", 0, 0);
        }
    }

    protected final boolean vanished() {
        return silent;
    }

    /** Something in its connection at the relay goes wrong, and not by its doing. */
    protected final void breakDown() {
        channel.throwOnce();
        deserves(CloseReason.INTERNAL_ERROR, CloseReason.CONNECTION_LOST);
    }

    /** Likewise, when it gets the memory or the room that it waits for. */
    protected final void breakDownWhenItGoesOn() {
        channel.throwWhenItGoesOn();
        deserves(CloseReason.INTERNAL_ERROR, CloseReason.CONNECTION_LOST);
    }

    /** Something that it says is changed on its way: with TLS it can be told. */
    protected final void spoilRecord() {
        tls.spoilNext();
        deserves(CloseReason.TLS_FAILED);
    }

    /** Wants to send a PING, one at a time. */
    protected final void ping() {
        if (expectedPong == 0) {
            expectedPong = ++pings;
            ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
            PingFrame.put(ping, expectedPong, 0, 0);
            want(ping.flip());
        }
    }

    /** Whether the answer to a PING is still to come. */
    protected final boolean awaitsPong() {
        return expectedPong != 0;
    }

    /** The answer has come. */
    protected final void ponged(ByteBuffer body) throws FrameException {
        PongFrame.check(body);
        world.check(PongFrame.id(body) == expectedPong, this + " gets a PONG of another PING");
        expectedPong = 0;
    }

    /** Has given the relay a reason. */
    protected final void deserves(CloseReason... reasons) {
        deserves.addAll(Arrays.asList(reasons));
    }

    protected final boolean hasDeserved(CloseReason reason) {
        return deserves.contains(reason);
    }

    /** Whether it has not ended, as far as it knows. */
    public final boolean live() {
        return !left && !ended && told == null;
    }

    public final boolean hasLeft() {
        return left;
    }

    /** Whether the relay has ended its side, or all of it. */
    public final boolean isEnded() {
        return ended;
    }

    public final boolean closedByRelay() {
        return closedByRelay;
    }

    /** Once told why it ends, or that it has, a client closes: some at once, some later. */
    protected final void closeIfTold() {
        if ((told != null || ended) && !left && (world.calm() || world.onceIn(3))) {
            leave(true);
        }
    }

    // ---- its end -------------------------------------------------------------------------------------------------

    /** Whether the relay has counted its end, and nobody has looked yet. */
    public final boolean takeEnd() {
        if (accounted || !connected) {
            return false;
        }
        accounted = connection == null ? !channel.isOpen() : connection.state().ended() || failedHandshake();
        return accounted;
    }

    /** Its end is the only one that was counted just now, for this reason. */
    public final void endedBy(CloseReason reason) {
        endedBy = reason;
    }

    /** Whether it has ended its input in order, and that is why the relay has ended it: all of it was read then. */
    public final boolean endedInOrder() {
        return leftFirst && ENDED_ITSELF.contains(endedBy);
    }

    public final void refused() {
        accounted = true;
    }

    /** The relay's process has gone, and all its connections with it. */
    public final void relayGone() {
        left = true;
        ended = true;
        accounted = true;
        closedByRelay = true;
        channel.relayGone();
    }

    /** Whether the relay may have ended it for this reason. */
    public final boolean mayEndBy(CloseReason reason) {
        if (tls != null && reason == CloseReason.TLS_FAILED && !opened) {
            return deserves.contains(reason)
                    || world.now() - registeredNanos
                            >= world.config().clients().handshakeTimeout().toNanos();
        }
        if (tls != null && reason == CloseReason.TLS_KEY_USED_UP) {
            return opened && tls.recordsThere() >= world.config().tls().recordsPerKey();
        }
        return connection() == null
                ? REFUSALS.contains(reason)
                : patience.over(reason, world.now())
                        && (deserves.contains(reason) || mayEndBy().contains(reason));
    }

    @Override
    public final void ended(boolean whole) {
        ended = true;
        closedByRelay |= whole;
        world.trace(name, whole ? "is closed" : "gets the end", have + controlHave + (end - at), 0);
    }

    protected final CloseReason told() {
        return told;
    }

    // ---- receiving -----------------------------------------------------------------------------------------------

    @Override
    public final void beforeWrite() {
        model.sync();
    }

    /** Whether it is between two frames. */
    protected final boolean betweenFrames() {
        return have == 0 && controlLength == 0 && at == end;
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
    public final void took(byte[] bytes, int length) {
        if (counts()) {
            patience.took(world.now());
        }
        if (tls == null) {
            gets(bytes, length);
        } else {
            String wrong = tls.took(bytes, length, this::gets);
            world.check(
                    wrong == null || mayEndBy(CloseReason.TLS_FAILED) || mayEndBy(CloseReason.INTERNAL_ERROR),
                    this + " gets a record that is wrong: " + wrong);
        }
    }

    private void gets(byte[] bytes, int length) {
        int i = 0;
        while (i < length && !world.failed()) {
            if (at < end) {
                i += compare(bytes, i, length);
            } else if (controlLength > 0) {
                i += collect(bytes, i, length);
            } else {
                header[have++] = bytes[i++];
                if (have >= Source.HEADER) {
                    headerThere();
                }
            }
        }
    }

    private int compare(byte[] bytes, int i, int length) {
        int part = Math.min(length - i, end - at);
        int wrong = Arrays.mismatch(bytes, i, i + part, model.bytes(), at, at + part);
        if (wrong >= 0) {
            world.fail(name + " got a wrong byte: that of position " + (at + wrong) + ", of a message up to " + end);
        }
        at += part;
        if (at == end) {
            messageEnded();
        }
        return part;
    }

    private int collect(byte[] bytes, int i, int length) {
        int part = Math.min(length - i, controlLength - controlHave);
        System.arraycopy(bytes, i, control, controlHave, part);
        controlHave += part;
        if (controlHave == controlLength) {
            int type = Source.getInt(control, 0);
            ByteBuffer body = ByteBuffer.wrap(control, 0, controlLength).position(Source.HEADER);
            controlLength = 0;
            controlHave = 0;
            gotControl(type, body);
        }
        return part;
    }

    private void headerThere() {
        int type = Source.getInt(header, 0);
        int body = Source.getInt(header, 4);
        if (told != null) {
            world.fail(name + " gets a frame behind ERROR " + told);
        } else if (ControlFrames.isControl(type)) {
            if (body < 0 || body > ControlFrames.MAX_CONTROL_BODY) {
                world.fail(name + " gets " + ControlFrames.name(type) + " of " + body + " bytes");
                return;
            }
            control = SimChannel.grown(control, Source.HEADER + body);
            System.arraycopy(header, 0, control, 0, Source.HEADER);
            controlLength = Source.HEADER + body;
            controlHave = have;
            have = 0;
            if (body == 0) {
                controlLength = 0;
                controlHave = 0;
                gotControl(type, ByteBuffer.allocate(0));
            }
        } else if (have >= Math.min(needed(), Source.HEADER + Math.max(0, body))) {
            int sequence = messageStarts(header, have);
            if (world.failed()) {
                return;
            }
            at = model.start(sequence);
            end = model.start(sequence + 1);
            if (!Arrays.equals(header, 0, have, model.bytes(), at, at + have)) {
                world.fail(name + " gets a message that begins otherwise than message " + sequence + ": type " + type
                        + ", " + body + " bytes");
            }
            at += have;
            have = 0;
            if (at == end) {
                messageEnded();
            }
        }
    }

    private void gotControl(int type, ByteBuffer body) {
        world.trace(name, "gets control", type & 0xFF, body.remaining());
        if (type == ControlFrames.ERROR) {
            told = CloseReason.ofCode(ErrorFrame.code(body));
            if (told == null || !mayEndBy(told)) {
                world.fail(name + " is told ERROR " + told + ": " + ErrorFrame.text(body));
            }
        } else {
            onControl(type, body);
        }
    }

    /** Answers a PING. */
    protected final void wantPong(long id) {
        ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
        PongFrame.put(pong, id);
        want(pong.flip());
    }

    /** What it has got so far of a frame that is not whole, for messages. */
    protected final String partial() {
        return betweenFrames() ? "" : "a part of a frame (" + have + ", " + controlHave + ", " + (end - at) + " left)";
    }

    @Override
    public String toString() {
        return name;
    }
}
