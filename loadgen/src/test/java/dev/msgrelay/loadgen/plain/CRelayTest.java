package dev.msgrelay.loadgen.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.loadgen.worker.Sockets;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The relay in C against publishers and subscribers that do all to tear frames apart. */
class CRelayTest {
    private static final int PUBLISHERS = 3;
    private static final int SUBSCRIBERS = 3;
    private static final int FRAMES = 300;
    private static final int READ = 1_000;
    private static final Pattern READY = Pattern.compile("\"publish\":\"(.*?)\",\"subscribe\":\"(.*?)\"");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<SocketChannel> channels = new ArrayList<>();
    private Process relay;
    private Endpoint publish;
    private Endpoint subscribe;

    @TempDir
    private Path directory;

    @BeforeEach
    void compiler() {
        assumeTrue(CPrograms.obstacle().isEmpty(), CPrograms.obstacle());
    }

    @AfterEach
    void end() throws Exception {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        if (relay != null) {
            relay.destroyForcibly();
        }
        threads.shutdownNow();
    }

    @Test
    void framesOfSeveralPublishersComeWholeAndInTheSameOrderToAll() throws Exception {
        start("127.0.0.1:0", "127.0.0.1:0");
        everySubscriberGetsWhatEveryPublisherSent();
    }

    @Test
    void overUnixSocketsToo() throws Exception {
        start("unix:" + directory.resolve("p"), "unix:" + directory.resolve("s"));
        everySubscriberGetsWhatEveryPublisherSent();
    }

    private void everySubscriberGetsWhatEveryPublisherSent() throws Exception {
        long seed = System.nanoTime();
        List<SocketChannel> subscribers = connected(subscribe, SUBSCRIBERS);
        List<Future<List<ByteBuffer>>> received = new ArrayList<>();
        for (SocketChannel subscriber : subscribers) {
            Random pauses = new Random(seed + received.size());
            received.add(threads.submit(() -> read(subscriber, PUBLISHERS * FRAMES, pauses)));
        }
        List<SocketChannel> publishers = connected(publish, PUBLISHERS);
        List<Future<List<ByteBuffer>>> sent = new ArrayList<>();
        for (SocketChannel publisher : publishers) {
            int id = sent.size();
            sent.add(threads.submit(() -> send(publisher, id, new Random(seed + 100 + id))));
        }
        List<ByteBuffer> first = received.get(0).get();
        for (int id = 0; id < PUBLISHERS; id++) {
            int type = id;
            assertThat(first.stream().filter(frame -> frame.getInt(0) == type))
                    .as("publisher %d, seed %d", id, seed)
                    .containsExactlyElementsOf(sent.get(id).get());
        }
        for (Future<List<ByteBuffer>> other : received) {
            assertThat(other.get()).as("seed %d", seed).isEqualTo(first);
        }
    }

    @Test
    void whoeverBreaksTheProtocolIsClosedAndWhatWasWholeBeforeIsRelayed() throws Exception {
        start("127.0.0.1:0", "127.0.0.1:0");
        SocketChannel subscriber = connected(subscribe, 1).get(0);
        for (int length : new int[] {-1, FrameLayout.DEFAULT_MAX_BODY + 1}) {
            SocketChannel bad = connected(publish, 1).get(0);
            ByteBuffer data = ByteBuffer.allocate(100);
            FrameLayout.putHeader(data, 0, 7, 4);
            FrameLayout.putHeader(data, 12, 8, 0);
            data.putInt(12 + Integer.BYTES, length);
            bad.write(data.limit(12 + FrameLayout.HEADER_LENGTH));
            assertThat(read(subscriber, 1, new Random(1)).get(0).getInt(0)).isEqualTo(7);
            assertThat(bad.read(ByteBuffer.allocate(1))).as("length %d", length).isEqualTo(-1);
        }
        SocketChannel good = connected(publish, 1).get(0);
        assertThat(read(subscriber, 0, new Random(1))).isEmpty();
        List<ByteBuffer> sent = send(good, 5, new Random(2));
        assertThat(read(subscriber, FRAMES, new Random(3))).isEqualTo(sent);
    }

    @Test
    void aSubscriberThatLeavesHoldsNobodyUp() throws Exception {
        start("127.0.0.1:0", "127.0.0.1:0");
        List<SocketChannel> subscribers = connected(subscribe, 2);
        SocketChannel publisher = connected(publish, 1).get(0);
        Future<List<ByteBuffer>> sent = threads.submit(() -> send(publisher, 1, new Random(4)));
        read(subscribers.get(0), 10, new Random(5));
        subscribers.get(0).close();
        assertThat(read(subscribers.get(1), FRAMES, new Random(6))).isEqualTo(sent.get());
    }

    @Test
    void aSubscriberThatDoesNotReadHoldsThePublisherUpUntilItDoes() throws Exception {
        start("127.0.0.1:0", "127.0.0.1:0");
        List<SocketChannel> subscribers = connected(subscribe, 2);
        SocketChannel publisher = connected(publish, 1).get(0);
        int frames = 200;
        ByteBuffer large = ByteBuffer.allocate(FrameLayout.frameLength(FrameLayout.DEFAULT_MAX_BODY));
        FrameLayout.putHeader(large, 0, 3, FrameLayout.DEFAULT_MAX_BODY);
        Future<?> sent = threads.submit(() -> {
            for (int i = 0; i < frames; i++) {
                writeAll(publisher, large.duplicate());
            }
            return null;
        });
        Future<List<ByteBuffer>> reading = threads.submit(() -> read(subscribers.get(0), frames, null));
        // 200 MB are more than all buffers between them: it cannot end as long as nobody reads the other one.
        assertThat(sent.isDone()).isFalse();
        assertThat(read(subscribers.get(1), frames, null)).hasSize(frames);
        assertThat(reading.get()).hasSize(frames);
        sent.get();
    }

    @Test
    void itEndsWithSigterm() throws Exception {
        start("127.0.0.1:0", "127.0.0.1:0");
        connected(subscribe, 1);
        relay.destroy();
        assertThat(relay.waitFor(120, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void anEndpointThatIsNoneIsNamed() throws Exception {
        Process wrong = new ProcessBuilder(CPrograms.relay().toString(), "nonsense", "127.0.0.1:0").start();
        assertThat(wrong.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong.exitValue()).isEqualTo(1);
        assertThat(wrong.inputReader().readLine())
                .isEqualTo("{\"event\":\"error\",\"message\":\"nonsense: not ADDRESS:PORT or unix:PATH\"}");
    }

    private void start(String publishAt, String subscribeAt) throws IOException {
        relay = new ProcessBuilder(CPrograms.relay().toString(), publishAt, subscribeAt, "" + READ).start();
        String ready =
                new BufferedReader(new InputStreamReader(relay.getInputStream(), StandardCharsets.UTF_8)).readLine();
        Matcher matcher = READY.matcher(ready);
        assertThat(matcher.find()).as(ready).isTrue();
        publish = Endpoint.parse(matcher.group(1));
        subscribe = Endpoint.parse(matcher.group(2));
    }

    private List<SocketChannel> connected(Endpoint endpoint, int count) throws IOException {
        List<SocketChannel> connected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connected.add(Sockets.connect(endpoint));
        }
        channels.addAll(connected);
        return connected;
    }

    /** Frames of up to a few reads' length, in writes that have nothing to do with where they begin and end. */
    private static List<ByteBuffer> send(SocketChannel channel, int type, Random random) throws IOException {
        List<ByteBuffer> frames = new ArrayList<>();
        ByteBuffer stream = ByteBuffer.allocate(FRAMES * FrameLayout.frameLength(4 * READ));
        for (int i = 0; i < FRAMES; i++) {
            byte[] body = new byte[random.nextInt(4) == 0 ? random.nextInt(4 * READ) : random.nextInt(50)];
            random.nextBytes(body);
            int at = stream.position();
            FrameLayout.putHeader(stream, at, type, body.length);
            stream.position(at + FrameLayout.HEADER_LENGTH).put(body);
            frames.add(ByteBuffer.wrap(Arrays.copyOfRange(stream.array(), at, stream.position())));
        }
        int end = stream.position();
        stream.position(0);
        while (stream.position() < end) {
            writeAll(channel, stream.limit(Math.min(end, stream.position() + 1 + random.nextInt(700))));
        }
        return frames;
    }

    private static void writeAll(SocketChannel channel, ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            channel.write(data);
        }
    }

    /** Reads a byte or a thousand at a time; without random numbers as much as there is, of which it keeps no bodies. */
    private static List<ByteBuffer> read(SocketChannel channel, int count, Random random) throws IOException {
        List<ByteBuffer> frames = new ArrayList<>();
        FrameReader reader =
                new FrameReader(random == null ? 1 << 20 : 100 + random.nextInt(2_000), FrameLayout.MAX_MAX_BODY);
        while (frames.size() < count) {
            int n = reader.read(channel, (type, body) -> {
                ByteBuffer frame = ByteBuffer.allocate(random == null ? 4 : FrameLayout.frameLength(body.remaining()));
                frame.putInt(type);
                if (random != null) {
                    frame.putInt(body.remaining()).put(body);
                }
                frames.add(frame.flip());
            });
            assertThat(n).as("end of the stream after %d frames", frames.size()).isNotNegative();
        }
        return frames;
    }
}
