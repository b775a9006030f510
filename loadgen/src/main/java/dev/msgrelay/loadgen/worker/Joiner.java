package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.StateCheck;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A subscriber that starts with the state, and leaves when the state is complete. It checks the type and the number of
 * each message, and nothing else, so that it costs little beside the relay. One thread owns it.
 */
public final class Joiner implements FrameConsumer {
    private final StateCheck state;
    private long messages;
    private long head;
    private boolean complete;
    private String error;

    private Joiner(Load load) {
        this.state = new StateCheck(load.sizes());
    }

    /**
     * A join.
     *
     * @param nanos time from before the connect to the PING that completes the state
     * @param head sequence of the newest message of the stream at that PING
     * @param wrong the first type whose value is not the newest of the stream; null: all are
     */
    public record Join(long nanos, long messages, long head, StateCheck.Wrong wrong) {}

    public static Join join(Endpoint relay, Load load) throws IOException {
        Joiner joiner = new Joiner(load);
        FrameReader reader =
                new FrameReader(FrameReader.DEFAULT_BUFFER, load.body().max());
        long began = System.nanoTime();
        try (SocketChannel channel = Sockets.connect(relay)) {
            channel.write(HelloFrame.subscriber()
                    .fromState(0, 0)
                    .features(Features.SEQUENCES)
                    .name("join")
                    .build()
                    .encode());
            while (!joiner.complete) {
                if (reader.read(channel, joiner) < 0 || joiner.error != null) {
                    throw new IOException(joiner.error == null ? "closed by the relay" : joiner.error);
                }
            }
            return new Join(System.nanoTime() - began, joiner.messages, joiner.head, joiner.state.first());
        }
    }

    @Override
    public void onFrame(int type, ByteBuffer body) {
        if (!ControlFrames.isControl(type)) {
            messages++;
            boolean hasNumber = body.remaining() >= LoadMessage.MIN_BODY;
            state.onMessage(
                    type, hasNumber ? LoadMessage.number(LoadMessage.stampAt(body, body.position())) : StateCheck.NONE);
            return;
        }
        try {
            onControl(type, body);
        } catch (FrameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private void onControl(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.GAP -> {
                GapFrame.check(body);
                state.onPassedOver(GapFrame.to(body) - GapFrame.from(body) + 1);
            }
            case ControlFrames.PING -> {
                PingFrame.check(body);
                state.onPing();
                head = PingFrame.head(body);
                complete = PingFrame.next(body) == head + 1;
            }
            case ControlFrames.ERROR -> {
                ErrorFrame.check(body);
                error = ErrorFrame.text(body);
            }
            default -> {
                // WELCOME says nothing that the check needs.
            }
        }
    }
}
