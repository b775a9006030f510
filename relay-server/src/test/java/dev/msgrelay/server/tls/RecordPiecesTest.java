package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.ReadSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records come in as many pieces as a link makes of them: only whole ones count as such without data. */
class RecordPiecesTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    @ParameterizedTest
    @CsvSource({"BORINGSSL, 160", "BORINGSSL, 1", "BORINGSSL, 1448", "JDK, 160", "JDK, 1", "JDK, 1448"})
    void aPublisherWhoseRecordsComeInPiecesStays(TlsProvider provider, int piece) throws Exception {
        try (Link link = new Link(provider)) {
            byte[] text = new byte[(16 << 10) + 100];
            new Random(7).nextBytes(text);
            link.say(ByteBuffer.wrap(text));
            link.comeInPieces(piece);
            assertThat(link.taken()).isEqualTo(text);
        }
    }

    /** Small records that came together are data, however little of them the connection takes at a time. */
    @ParameterizedTest
    @CsvSource({"BORINGSSL, 1", "BORINGSSL, 25", "JDK, 1", "JDK, 25"})
    void aPublisherOfSmallRecordsStaysWhateverTheRoom(TlsProvider provider, int room) throws Exception {
        try (Link link = new Link(provider)) {
            link.room = room;
            byte[] text = new byte[1_000];
            new Random(7).nextBytes(text);
            for (int i = 0; i < text.length; i += 10) {
                link.say(ByteBuffer.wrap(text, i, 10));
            }
            link.comeInPieces(1 << 14);
            assertThat(link.taken()).isEqualTo(text);
        }
    }

    /** So that a slow link is not taken for a standstill: in pieces of a record there is no data. */
    @EachLibrary
    void whatHasComeOfARecordIsKnown(TlsProvider provider) throws Exception {
        try (Link link = new Link(provider)) {
            link.say(ByteBuffer.allocate(10_000));
            int length = link.said();
            for (int came = 100; came < length; came += 100) {
                link.come(100);
                assertThat(link.in.begun()).isEqualTo(came);
                assertThat(link.taken()).isEmpty();
            }
            link.come(100);
            assertThat(link.in.begun()).isZero();
            assertThat(link.taken()).hasSize(10_000);
        }
    }

    /** Where there is no data at all, BoringSSL may be the one that objects. A byte between them changes nothing. */
    @ParameterizedTest
    @CsvSource({
        "BORINGSSL, 17408, 0, ''",
        "BORINGSSL, 1, 0, ''",
        "JDK, 17408, 0, ''",
        "JDK, 1, 0, ''",
        "BORINGSSL, 17408, 1, more than 32 records without data",
        "BORINGSSL, 1, 1, more than 32 records without data",
        "JDK, 17408, 1, more than 32 records without data",
        "JDK, 1, 1, more than 32 records without data"
    })
    void aFloodOfRecordsWithoutDataEndsTheConnection(TlsProvider provider, int piece, int data, String why)
            throws Exception {
        try (Link link = new Link(provider)) {
            for (int i = 0; i < 40; i++) {
                link.newKeys();
                link.say(ByteBuffer.allocate(data));
            }
            assertThatThrownBy(() -> link.comeInPieces(piece))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining(why);
        }
    }

    /** So that it is answered: once BoringSSL has seen the client's end, it writes nothing any more. */
    @EachLibrary
    void whatComesWithTheEndIsTakenBeforeIt(TlsProvider provider) throws Exception {
        try (Link link = new Link(provider)) {
            link.say(ByteBuffer.allocate(100));
            link.client.closeOutbound();
            link.client.wrap(NOTHING, link.wire);
            link.arrive(link.said());
            link.in.unwrap(link.plain);
            assertThat(link.taken()).hasSize(100);
            assertThat(link.in.hasEnded()).isFalse();
            ByteBuffer answer = ByteBuffer.allocateDirect(10);
            link.relay.wrap(answer, ByteBuffer.allocateDirect(TlsRecords.SMALL));
            assertThat(answer.remaining()).isZero();
            link.in.unwrap(link.plain);
            assertThat(link.in.hasEnded()).isTrue();
        }
    }

    /** Such as a sincere client's: the count begins anew with each tick. */
    @EachLibrary
    void soManyBetweenTwoTicksAreNoFlood(TlsProvider provider) throws Exception {
        try (Link link = new Link(provider)) {
            for (int tick = 0; tick < 5; tick++) {
                for (int i = 0; i < EmptyRecords.MOST; i++) {
                    link.newKeys();
                    link.say(ByteBuffer.allocate(1));
                }
                link.comeInPieces(1);
                link.in.tick();
            }
            assertThat(link.taken()).hasSize(5 * EmptyRecords.MOST);
        }
    }

    /**
     * A client and the relay's side of one connection, whose handshake is done. No socket: what comes, and how, is
     * told.
     */
    private static final class Link implements AutoCloseable {
        private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
        private final MemoryBudget.Pool pool =
                new MemoryBudget(Map.of(Part.TLS, (long) TlsRecords.LARGE)).pool(Part.TLS);
        private final Certificates certificates = new Certificates();
        private final TlsContext context;
        private final SSLEngine relay;
        private final SSLEngine client;
        private final EmbeddedChannel channel = new EmbeddedChannel();
        private final TlsOutput out = new TlsOutput(pool, allocator, () -> {});
        private final TlsInput in =
                new TlsInput(channel, pool, allocator, new ReadSwitch(channel, () -> {}), null, out);
        private final ByteBuffer wire = ByteBuffer.allocateDirect(1 << 18);
        private int arrived;
        private final ByteBuffer plain = ByteBuffer.allocate(1 << 18);
        // Most bytes that the connection takes at a time.
        private int room = 1 << 18;

        Link(TlsProvider provider) throws Exception {
            context = new TlsContext(certificates.relayFiles(), provider, 10_000, Long.MAX_VALUE);
            relay = context.newHandler(allocator).engine();
            client = certificates.client().createSSLEngine();
            client.setUseClientMode(true);
            shakeHands();
            in.open(relay);
        }

        private void shakeHands() throws SSLException {
            ByteBuffer toRelay = ByteBuffer.allocateDirect(1 << 16);
            ByteBuffer toClient = ByteBuffer.allocateDirect(1 << 16);
            ByteBuffer none = ByteBuffer.allocateDirect(TlsRecords.SMALL);
            client.beginHandshake();
            relay.beginHandshake();
            for (int i = 0; i < 20; i++) {
                step(client, toClient, toRelay, none);
                step(relay, toRelay, toClient, none);
            }
            assertThat(client.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
            assertThat(relay.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
            assertThat(toRelay.position()).isZero();
        }

        private static void step(SSLEngine engine, ByteBuffer from, ByteBuffer to, ByteBuffer none)
                throws SSLException {
            from.flip();
            engine.unwrap(from, none.clear());
            from.compact();
            for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                task.run();
            }
            if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                engine.wrap(NOTHING, to);
            }
        }

        void say(ByteBuffer text) throws SSLException {
            while (text.hasRemaining()) {
                client.wrap(text, wire);
            }
        }

        void newKeys() throws SSLException {
            client.beginHandshake();
            while (client.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                client.wrap(NOTHING, wire);
            }
        }

        /** What was said comes, each piece in a read of its own, and none of them behind another tick. */
        void comeInPieces(int piece) throws SSLException {
            while (said() > 0) {
                come(piece);
            }
        }

        int said() {
            return wire.position() - arrived;
        }

        void come(int piece) throws SSLException {
            int left = Math.min(piece, said());
            while (left > 0) {
                left -= arrive(left);
                while (in.waits()) {
                    plain.limit(Math.min(plain.capacity(), plain.position() + room));
                    in.unwrap(plain);
                }
            }
        }

        /** In one read, which takes as much as there is room for. */
        int arrive(int most) {
            ByteBuf read = in.whereToRead();
            int length = Math.min(most, read.writableBytes());
            read.writeBytes(wire.slice(arrived, length));
            arrived += length;
            in.received(read.writerIndex());
            read.release();
            return length;
        }

        byte[] taken() {
            byte[] taken = new byte[plain.position()];
            plain.get(0, taken);
            return taken;
        }

        @Override
        public void close() throws IOException {
            in.release();
            out.release();
            ReferenceCountUtil.release(relay);
            context.close();
            certificates.close();
        }
    }
}
