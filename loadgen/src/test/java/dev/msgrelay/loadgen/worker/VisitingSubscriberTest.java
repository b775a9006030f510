package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who comes in the middle of the stream notices whatever is wrong with what it gets from there on. */
class VisitingSubscriberTest {
    private static final SizeTable SIZES = SizeTable.fixed(100);
    private static final int PUBLISHERS = 2;

    private ServerSocketChannel relay;
    private VisitingSubscriber visitor;

    @BeforeEach
    void listen() throws IOException {
        relay = Sockets.listen();
        visitor = visitor();
    }

    private VisitingSubscriber visitor(String... more) throws IOException {
        List<String> args =
                new ArrayList<>(List.of("--from", Sockets.endpoint(relay).toString(), "--publishers", "" + PUBLISHERS));
        args.addAll(List.of(more));
        // In a storm it stays for a while, however soon something comes.
        return new VisitingSubscriber(new WorkerArgs(args.toArray(String[]::new)), new Control(), SIZES, 1, true);
    }

    @AfterEach
    void close() throws IOException {
        relay.close();
    }

    @Test
    void fromWhereverItBeginsAStreamInOrderIsClean() throws Exception {
        visit(false, of(0, 1_000), of(1, 77), of(0, 1_001), of(0, 1_002), of(1, 78));
        visit(false, of(1, 5_000), of(0, 9_000), of(0, 9_001));
        assertThat(visitor.counts()).containsEntry("messages", 8L);
        assertThat(faults()).isEmpty();
        assertThat(visitor.closed()).isNull();
    }

    @Test
    void aHoleIsALossAndNothingElse() throws Exception {
        visit(false, of(0, 1_000), of(0, 1_003));
        assertThat(faults()).containsOnly(Map.entry("lost", 2L));
    }

    /** It leaves before the message behind the gap: what it was told then explains nothing that is missing later. */
    @Test
    void aGapOfOneVisitExplainsNoLossOfAnother() throws Exception {
        visitor = visitor("--policy", Policy.SKIP.flag());
        visit(false, welcome(), of(0, 1_000), gap(2, 6));
        visit(false, welcome(), of(0, 9_000), of(0, 9_002));
        assertThat(faults()).containsOnly(Map.entry("gaps", 1L), Map.entry("lost", 1L));
    }

    /** What it was told of within a visit is no loss. */
    @Test
    void aGapExplainsTheLossesOfItsVisit() throws Exception {
        visitor = visitor("--policy", Policy.SKIP.flag());
        visit(false, welcome(), of(0, 1_000), gap(2, 3), of(0, 1_003));
        assertThat(faults()).containsOnly(Map.entry("gaps", 1L));
    }

    private static byte[] welcome() {
        ByteBuffer frame =
                new WelcomeFrame(1, Policy.SKIP, 0, 0, 7, 1, 0, 1 << 20, 10_000, 30_000, 16, "test", 0).encode();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private static byte[] gap(long from, long to) {
        ByteBuffer frame = ByteBuffer.allocate(GapFrame.FRAME_LENGTH);
        GapFrame.put(frame, from, to, GapReason.SLOW);
        return frame.array();
    }

    @Test
    void whatComesTwiceOrOutOfTurnIsNoticed() throws Exception {
        visit(false, of(0, 10), of(0, 11), of(0, 11), of(0, 13), of(0, 12));
        assertThat(faults()).containsOnly(Map.entry("duplicated", 1L), Map.entry("reordered", 1L));
    }

    @Test
    void oneBitIsNoticedWhereverItIs() throws Exception {
        for (int at : List.of(LoadMessage.STAMP_OFFSET, LoadMessage.TIME_OFFSET, LoadMessage.MIN_BODY, 99)) {
            byte[] changed = of(0, 11);
            changed[FrameLayout.HEADER_LENGTH + at] ^= 1;
            visit(false, of(0, 10), changed);
        }
        assertThat(visitor.counts()).containsEntry("corrupted", 4L);
    }

    @Test
    void aMessageOfNobodyIsForeign() throws Exception {
        visit(false, of(0, 10), of(PUBLISHERS, 0), new byte[FrameLayout.HEADER_LENGTH]);
        assertThat(faults()).containsOnly(Map.entry("foreign", 2L));
    }

    @Test
    void anEndThatItHasNotMadeIsTold() throws Exception {
        visit(true, of(0, 10));
        assertThat(visitor.closed()).isEqualTo("closed by the relay");
    }

    private Map<String, Long> faults() {
        Map<String, Long> faults = visitor.counts();
        faults.keySet().removeAll(List.of("messages", "total"));
        faults.values().removeIf(count -> count == 0);
        return faults;
    }

    /** It comes, gets this, and leaves; or the relay ends the connection. */
    private void visit(boolean ended, byte[]... frames) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.write(frame);
        }
        CompletableFuture<Void> served = CompletableFuture.runAsync(() -> serve(all.toByteArray(), ended));
        visitor.visit(System.nanoTime(), Window.NONE);
        served.get(120, TimeUnit.SECONDS);
    }

    private void serve(byte[] bytes, boolean ends) {
        try (SocketChannel subscriber = Sockets.accept(relay)) {
            subscriber.write(ByteBuffer.wrap(bytes));
            // Until it has left.
            while (!ends && subscriber.read(ByteBuffer.allocate(1)) >= 0) {
                assertThat(subscriber.isOpen()).isTrue();
            }
        } catch (IOException e) {
            // it has left in the middle
        }
    }

    private static byte[] of(int publisher, long number) {
        FrameBatch batch = FrameBatch.ofMessages(SIZES, 1);
        batch.add(LoadMessage.stamp(publisher, number), System.nanoTime());
        ByteBuffer frame = batch.take();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }
}
