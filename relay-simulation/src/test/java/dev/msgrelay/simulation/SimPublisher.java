package dev.msgrelay.simulation;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;

/** A publisher that knows nothing but frames, and now and then not even those. */
final class SimPublisher extends Peer {
    private final Source source;
    private int made;
    private int sentWhole;
    // Behind those.
    private long sent;

    SimPublisher(World world, SimChannel channel, Source source) {
        super(world, "publisher " + source.id, channel, Role.PUBLISHER);
        this.source = source;
        channel.read(1 << 20);
    }

    @Override
    protected void doMore() {
        boolean held = !channel.config().isAutoRead();
        if (held && channel.unread() < 1000 && world.onceIn(12)) {
            // With all that it has sent in the relay's hands, which has no room for it.
            leave(world.onceIn(2));
        } else if (held && waiting() > 0 && world.onceIn(48) && live()) {
            breakDown(true);
        } else {
            make(1 + world.skewed(40) * world.volume);
        }
    }

    private void make(int count) {
        for (int i = 0; i < count && waiting() < world.volume << 15 && !unsure() && world.mayPublish(made); i++) {
            want(source, ++made);
        }
    }

    /** Whether not all that it sends is to get into the stream. */
    private boolean unsure() {
        return spoilt || deserves.contains(CloseReason.INTERNAL_ERROR);
    }

    @Override
    protected void sent(int bytes) {
        sent += bytes;
        while (sentWhole < made && sent >= source.frameLength(sentWhole + 1)) {
            sent -= source.frameLength(++sentWhole);
        }
    }

    @Override
    protected void sayWrong() {
        switch (world.below(4)) {
            case 0 -> wrong(7, -1 - world.below(1000), CloseReason.NEGATIVE_LENGTH);
            case 1 -> wrong(7, 0x7000_0000, CloseReason.OVERSIZED_LENGTH);
            case 2 ->
                wrong(
                        0x8000_0000 + world.below(256),
                        4,
                        CloseReason.RESERVED_TYPE,
                        CloseReason.PROTOCOL_ORDER,
                        CloseReason.MALFORMED_CONTROL,
                        CloseReason.UNSUPPORTED,
                        CloseReason.HANDSHAKE_TIMEOUT);
            default -> {
                for (int i = 0; i < 64; i++) {
                    out.writeByte(0x80 | world.below(128));
                }
                deserves(CloseReason.NEGATIVE_LENGTH);
            }
        }
    }

    @Override
    protected void behaveMore() {
        if (live()) {
            deliver(Integer.MAX_VALUE);
            if (waiting() == 0 && source.inStream == made && world.onceIn(4)) {
                leave(true);
            }
        }
    }

    /** Of one that the relay has read to its end: what of it is not in the stream. */
    String lost() {
        return endedInOrder() && !unsure() && source.inStream != sentWhole
                ? this + " has sent " + sentWhole + " messages whole, and ended in order; " + source.inStream
                        + " are in the stream"
                : "";
    }

    @Override
    String owed() {
        if ((ended && !left) || silent || (left && deserves.contains(CloseReason.CONNECTION_LOST))) {
            return "";
        }
        if (!unsure() && source.inStream != sentWhole) {
            return this + " has sent " + sentWhole + " messages whole, " + source.inStream + " are in the stream; "
                    + channel.state();
        }
        if (channel.unread() > 0 && !left) {
            return this + " is not read: " + channel.state();
        }
        return "";
    }
}
