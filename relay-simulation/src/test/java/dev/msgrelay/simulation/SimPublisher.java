package dev.msgrelay.simulation;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;

/** A publisher that knows nothing but frames, and now and then not even those. */
public final class SimPublisher extends Peer {
    private final Source source;
    private final boolean malicious;
    private int made;
    private long sent;
    private int sentWhole;
    private long sentWholeBytes;
    private boolean spoilt;
    private boolean broken;

    public SimPublisher(World world, StreamModel model, SimChannel channel, Source source, boolean malicious) {
        super(world, model, "publisher " + source.id(), channel, Role.PUBLISHER);
        this.source = source;
        this.malicious = malicious;
        channel.read(1 << 20);
    }

    @Override
    public void act() {
        closeIfTold();
        if (vanished() || hasLeft()) {
            return;
        }
        switch (world().below(16)) {
            case 0 -> {
                if (malicious && world().onceIn(8)) {
                    spoil();
                }
            }
            case 1 -> {
                // Also with all that it has sent in the relay's hands, which has no room for it.
                boolean held = !channel().config().isAutoRead() && channel().unread() < 1000;
                if (world().onceIn(held ? 2 : 40)) {
                    broken = world().onceIn(2);
                    leave(!broken);
                }
            }
            case 2 -> {
                if (world().onceIn(200)) {
                    vanish();
                }
            }
            case 3 -> {
                boolean waits = !channel().config().isAutoRead() && waiting() > 0;
                if (waits && world().onceIn(8) && live()) {
                    breakDownWhenItGoesOn();
                    spoilt = true;
                } else if (malicious && world().onceIn(6) && live()) {
                    breakDown();
                    spoilt = true;
                }
            }
            case 4, 5, 6, 7, 8, 9 -> make(1 + world().skewed(40) * world().volume());
            default -> send(deliverSome());
        }
    }

    private void make(int count) {
        for (int i = 0; i < count && waiting() < world().volume() << 15 && !spoilt && mayMake(); i++) {
            want(source, ++made);
        }
    }

    private boolean mayMake() {
        return !world().calm() && model().end() < world().mostStream() && made < MOST_MESSAGES;
    }

    private void send(int bytes) {
        sent += bytes;
        while (sentWhole < made && sentWholeBytes + source.frameLength(sentWhole + 1) <= sent) {
            sentWholeBytes += source.frameLength(++sentWhole);
        }
    }

    /** Something that the relay does not take. */
    private void spoil() {
        if (spoilt) {
            return;
        }
        spoilt = true;
        if (speaksTls() && world().onceIn(2)) {
            want(ByteBuffer.allocate(8).putInt(7).putInt(0).flip());
            spoilRecord();
            return;
        }
        switch (world().below(4)) {
            case 0 -> {
                want(ByteBuffer.allocate(8)
                        .putInt(7)
                        .putInt(-1 - world().below(1000))
                        .flip());
                deserves(CloseReason.NEGATIVE_LENGTH);
            }
            case 1 -> {
                want(ByteBuffer.allocate(8).putInt(7).putInt(0x7000_0000).flip());
                deserves(CloseReason.OVERSIZED_LENGTH);
            }
            case 2 -> {
                want(ByteBuffer.allocate(12)
                        .putInt(0x8000_0000 + world().below(256))
                        .putInt(4)
                        .putInt(0)
                        .flip());
                deserves(
                        CloseReason.RESERVED_TYPE,
                        CloseReason.PROTOCOL_ORDER,
                        CloseReason.MALFORMED_CONTROL,
                        CloseReason.UNSUPPORTED,
                        CloseReason.HANDSHAKE_TIMEOUT);
            }
            default -> {
                byte[] bytes = new byte[64];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) (0x80 | world().below(128));
                }
                want(bytes, bytes.length);
                deserves(CloseReason.NEGATIVE_LENGTH);
            }
        }
    }

    @Override
    public void behave() {
        closeIfTold();
        if (vanished()) {
            leave(false);
        } else if (live()) {
            send(deliver(Integer.MAX_VALUE));
            if (waiting() == 0 && source.inStream() == made && world().onceIn(4)) {
                leave(true);
            }
        }
    }

    /** Of one that the relay has read to its end: what of it is not in the stream. */
    public String lost() {
        return endedInOrder() && !spoilt && source.inStream() != sentWhole
                ? this + " has sent " + sentWhole + " messages whole, and ended in order; " + source.inStream()
                        + " are in the stream"
                : "";
    }

    @Override
    public String owed() {
        if ((isEnded() && !hasLeft()) || vanished() || broken) {
            return "";
        }
        if (!spoilt && source.inStream() != sentWhole) {
            return this + " has sent " + sentWhole + " messages whole, " + source.inStream() + " are in the stream; "
                    + channel().state();
        }
        if (channel().unread() > 0 && !hasLeft()) {
            return this + " is not read: " + channel().state();
        }
        return "";
    }

    @Override
    protected Set<CloseReason> mayEndBy() {
        return PLAIN;
    }

    /** Time may pass while a frame is on its way. */
    private static final Set<CloseReason> PLAIN =
            EnumSet.of(CloseReason.FRAME_TIMEOUT, CloseReason.IDLE_TIMEOUT, CloseReason.SHUTDOWN);

    static final int MOST_MESSAGES = 60_000;

    @Override
    protected int messageStarts(byte[] first, int length) {
        world().fail(this + " gets a message");
        return 0;
    }

    @Override
    protected void messageEnded() {}

    @Override
    protected void onControl(int type, ByteBuffer body) {
        world().fail(this + " gets a control frame " + Integer.toHexString(type));
    }
}
