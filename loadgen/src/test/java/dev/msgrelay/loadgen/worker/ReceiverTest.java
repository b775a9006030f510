package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.message.StateCheck;
import dev.msgrelay.loadgen.message.StateCheck.Wrong;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Got.Received;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.StateSeen;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.scripted.FrameText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReceiverTest {
    private static final long PRIMED_MILLIS = 120_000;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final long PAST = System.nanoTime() - MINUTE;

    private static final BodySizes MIXED = BodySizes.parse("20-2000");

    private final Control control = new Control();
    private BodySizes body = BodySizes.fixed(20);
    private SizeTable sizes = SizeTable.of(body);
    private Check check = Check.FULL;
    private Policy policy;
    private int types = 1;
    private boolean fromState;
    private int interval;
    private Loopback loopback;

    @BeforeEach
    void connect() throws IOException {
        loopback = Loopback.open();
    }

    @AfterEach
    void close() throws IOException {
        loopback.close();
    }

    @Test
    void aCleanStreamIsReportedClean() throws Exception {
        assertThat(counts(resultOf(5, 0, 1, 2, 3, 4))).containsExactly(0, 0, 0);
    }

    @ParameterizedTest(name = "{0}: lost, duplicated, reordered {1}, {2}, {3}")
    @CsvSource({"'0,1,3,4', 1, 0, 0", "'0,1,2,2,3,4', 0, 1, 0", "'0,1,3,2,4', 0, 0, 1", "'2,3,4', 2, 0, 0"})
    void whatIsLostDuplicatedAndReorderedIsReported(String numbers, int lost, int duplicated, int reordered)
            throws Exception {
        long[] came = Stream.of(numbers.split(",")).mapToLong(Long::parseLong).toArray();
        assertThat(counts(resultOf(5, came))).containsExactly(lost, duplicated, reordered);
    }

    @Test
    void aMissingTailIsReportedAsSuch() throws Exception {
        Received result = resultOf(5, 0, 1, 2);
        assertThat(counts(result)).containsExactly(2, 0, 0);
        assertThat(result.result().faults().tail()).isEqualTo(2);
    }

    /** Nothing more is to come once the last message of every publisher has: a hole before it stays one. */
    @Test
    void aHoleIsNotWaitedFor() throws Exception {
        Receiver receiver = receiver();
        send(0, 1, 3, 4);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PRIMED_MILLIS);
        while (!receiver.isComplete(5) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(receiver.isComplete(5)).isTrue();
        assertThat(receiver.isComplete(6)).as("the last one is missing").isFalse();
        receiver.stop();
    }

    /**
     * On one clock no message comes before it is sent: whatever does is counted, and not made one that took no time.
     */
    @Test
    void aMessageThatComesBeforeItsTimeIsCounted() throws Exception {
        window(PAST);
        FrameBatch batch = FrameBatch.ofMessages(sizes, 1);
        batch.add(LoadMessage.stamp(0, 0), System.nanoTime() + MINUTE);
        ByteBuffer early = batch.drain();
        byte[] bytes = new byte[early.remaining()];
        early.get(bytes);
        Received result = resultOf(2, bytes, frame(1));
        assertThat(counts(result)).containsExactly(0, 0, 0);
        assertThat(result.beforeTheirTime()).isOne();
    }

    @Test
    void onlyWhatComesWithinTheWindowIsMeasured() throws Exception {
        window(0);
        Received result = resultOf(3, 0, 1, 2);
        assertThat(result.result().messages()).isEqualTo(3);
    }

    @Test
    void whatComesBeforeTheWindowIsNotMeasured() throws Exception {
        window(Long.MAX_VALUE - 1);
        Received result = resultOf(3, 0, 1, 2);
        assertThat(result.result().messages()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void nothingOfTheRehearsalIsMeasured(Check how) throws Exception {
        check = how;
        long now = System.nanoTime();
        Window window = new Window(now - 50 * MINUTE, now + 100 * MINUTE, Long.MAX_VALUE);
        assertThat(now).isBetween(window.rehearsal().begin(), window.rehearsal().end());
        control.onCommand(Json.tree(Map.of("window", window)));
        FrameBatch batch = FrameBatch.ofMessages(sizes, 1);
        batch.add(LoadMessage.stamp(0, 0), now + MINUTE);
        ByteBuffer early = batch.drain();
        byte[] bytes = new byte[early.remaining()];
        early.get(bytes);
        Received result = resultOf(2, bytes, frame(1));
        assertThat(result.result().messages()).isZero();
        assertThat(result.bytes()).isZero();
        assertThat(result.samples()).isEqualTo(how == Check.FULL ? 0 : -1);
        assertThat(result.beforeTheirTime()).isZero();
    }

    @Test
    void aWindowThatIsToldWhileItReadsBeginsThen() throws Exception {
        Receiver receiver = receiver();
        send(0);
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isTrue();
        window(System.nanoTime());
        send(1, 2);
        loopback.far().shutdownOutput();
        awaitClosed(receiver);
        receiver.stop();
        Received result = receiver.result(0, Map.of(0, 3L), 0);
        assertThat(result.result().messages()).isEqualTo(2);
        assertThat(result.samples()).as("it heard of it in time").isNotNegative();
    }

    @Test
    void theReasonThatTheRelayGivesIsPassedOn() throws Exception {
        Receiver receiver = receiver();
        send(0);
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isTrue();
        loopback.far().write(ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "lag of 9 over the limit of 8"));
        loopback.far().close();
        awaitClosed(receiver);
        receiver.stop();
        Received result = receiver.result(0, Map.of(0, 4L), 0);
        assertThat(result.result().closed()).isEqualTo("lag of 9 over the limit of 8");
        assertThat(result.result().closeReason()).isEqualTo(CloseReason.SLOW_SUBSCRIBER.code());
        assertThat(counts(result)).containsExactly(3, 0, 0);
    }

    @Test
    void aConnectionThatEndsBeforeTheFirstMessageIsNotPrimed() throws Exception {
        Receiver receiver = receiver();
        loopback.far().close();
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isFalse();
        receiver.stop();
    }

    /** Whether the close hits the thread within a read or between two of them, it is not the relay's doing. */
    @Test
    void stoppingInTheMiddleOfAStreamIsNoFailure() throws Exception {
        Thread sender = new Thread(() -> {
            try {
                for (long number = 0; ; number++) {
                    send(number);
                }
            } catch (IOException e) {
                // the subscriber has gone
            }
        });
        Receiver receiver = receiver();
        sender.start();
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isTrue();
        receiver.stop();
        sender.join(PRIMED_MILLIS);
        assertThat(receiver.closed()).isNull();
    }

    @Test
    void stoppingWithinAnAnswerIsNoFailure() throws Exception {
        ofState();
        Answering relay = new Answering(welcome(Policy.BACKPRESSURE, 1), ping(1, 0));
        Receiver receiver = receiver(relay);
        assertThat(relay.answered.await(PRIMED_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        receiver.stop();
        assertThat(receiver.closed()).isNull();
    }

    @Test
    void anAnswerThatCannotBeWrittenIsAFailure() throws Exception {
        ofState();
        Answering relay = new Answering(welcome(Policy.BACKPRESSURE, 1), ping(1, 0));
        relay.fault = "Broken pipe";
        Receiver receiver = receiver(relay);
        awaitClosed(receiver);
        assertThat(receiver.closed()).isEqualTo("Broken pipe");
        receiver.stop();
    }

    /** A relay that sends some frames. The answer to them ends by the channel's end, or by a fault. */
    private static final class Answering implements ByteChannel {
        private final ByteBuffer frames;
        private final CountDownLatch answered = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private boolean saidHello;
        private String fault = "";

        private Answering(byte[]... frames) {
            this.frames = ByteBuffer.allocate(
                    Stream.of(frames).mapToInt(one -> one.length).sum());
            Stream.of(frames).forEach(this.frames::put);
            this.frames.flip();
        }

        @Override
        public int read(ByteBuffer target) {
            int length = Math.min(target.remaining(), frames.remaining());
            target.put(frames.slice().limit(length));
            frames.position(frames.position() + length);
            return length;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            int length = source.remaining();
            source.position(source.limit());
            if (!saidHello) {
                saidHello = true;
                return length;
            }
            answered.countDown();
            if (!fault.isEmpty()) {
                throw new IOException(fault);
            }
            try {
                closed.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            throw new AsynchronousCloseException();
        }

        @Override
        public boolean isOpen() {
            return closed.getCount() > 0;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void mixedSizesAreReportedClean() throws Exception {
        body = MIXED;
        sizes = SizeTable.of(body);
        Received result = resultOf(3_000, LongStream.range(0, 3_000).toArray());
        assertThat(counts(result)).containsExactly(0, 0, 0);
        assertThat(result.result().faults().corrupted()).isZero();
        assertThat(result.result().faults().foreign()).isZero();
    }

    @Test
    void aTruncatedBodyIsReported() throws Exception {
        body = MIXED;
        sizes = SizeTable.of(body);
        long number = 1;
        int length = sizes.sizeOf(number) - 1;
        Received result = resultOf(3, frame(0), cut(frame(number), length), frame(2));
        assertThat(counts(result)).as("it has arrived, though").containsExactly(0, 0, 0);
        assertThat(result.result().faults().corrupted()).isOne();
    }

    @Test
    void aBodyThatIsTooShortForItsNumberIsReportedAndItsNumberLost() throws Exception {
        Received result = resultOf(3, frame(0), cut(frame(1), LoadMessage.MIN_BODY - 1), frame(2));
        assertThat(counts(result)).containsExactly(1, 0, 0);
        assertThat(result.result().faults().corrupted()).isOne();
    }

    @Test
    void bodiesThatWereMixedUpAreReported() throws Exception {
        body = MIXED;
        sizes = SizeTable.of(body);
        long other = 2;
        while (sizes.sizeOf(other) == sizes.sizeOf(1)) {
            other++;
        }
        // The number of one message in the body of another: both come, and neither as it was sent.
        byte[] first = frame(1);
        byte[] second = frame(other);
        swapStamps(first, second);
        Received result = resultOf(2, frame(0), first, second);
        assertThat(result.result().faults().corrupted()).isEqualTo(2);
    }

    @Test
    void aChangedBitOfThePaddingIsReported() throws Exception {
        byte[] changed = frame(1);
        changed[changed.length - 1] ^= 1;
        Received result = resultOf(2, frame(0), changed);
        assertThat(counts(result)).containsExactly(0, 0, 0);
        assertThat(result.result().faults().corrupted()).isOne();
    }

    @Test
    void aChangedBitOfTheTimeIsReportedAndTheNumberLost() throws Exception {
        byte[] changed = frame(1);
        changed[FrameLayout.HEADER_LENGTH + LoadMessage.TIME_OFFSET] ^= 1;
        Received result = resultOf(2, frame(0), changed);
        assertThat(counts(result)).containsExactly(1, 0, 0);
        assertThat(result.result().faults().corrupted()).isOne();
    }

    @Test
    void messagesThatNobodySentAreForeign() throws Exception {
        FrameBatch batch = FrameBatch.ofMessages(sizes, 1);
        batch.add(LoadMessage.stamp(1, 0), PAST);
        ByteBuffer otherPublisher = batch.drain();
        byte[] bytes = new byte[otherPublisher.remaining()];
        otherPublisher.get(bytes);
        Received result = resultOf(2, frame(0), bytes, new byte[FrameLayout.HEADER_LENGTH], frame(1));
        assertThat(counts(result)).containsExactly(0, 0, 0);
        assertThat(result.result().faults().foreign()).isEqualTo(2);
    }

    @Test
    void whoChecksNothingCountsByTheMeanSize() throws Exception {
        check = Check.NONE;
        window(0);
        Received result = resultOf(4, frame(0), new byte[3 * FrameLayout.frameLength(20)]);
        assertThat(result.result().messages()).isEqualTo(4);
        assertThat(result.latency()).isNull();
    }

    @Test
    void whoSaysHelloIsToldWhatItMisses() throws Exception {
        policy = Policy.SKIP;
        ByteBuffer gap = ByteBuffer.allocate(GapFrame.FRAME_LENGTH);
        GapFrame.put(gap, 42, 44, GapReason.SLOW);
        Received result = resultOf(5, welcome(Policy.SKIP), frame(0), gap.array(), frame(4));
        assertThat(counts(result)).containsExactly(3, 0, 0);
        assertThat(result.result().told().missed()).isEqualTo(3);
        assertThat(result.result().told().gaps()).isOne();
        assertThat(result.result().told().untrue()).isZero();
    }

    /** The whole stream has the types 1, 2, 3, and then some at random; the last ones of each type come. */
    @Test
    void aStateIsComparedWithTheWholeStream() throws Exception {
        ofState();
        long end = 3;
        while (sizes.typeOf(end) != sizes.typeOf(0)) {
            end++;
        }
        List<byte[]> frames = new ArrayList<>();
        frames.add(welcome(Policy.BACKPRESSURE, 1));
        frames.add(ping(1, end + 1));
        frames.add(gap(1, 1, GapReason.SUPERSEDED));
        // A sign of life in the middle of the state says nothing about it.
        frames.add(ping(0, end + 1));
        for (long number = 1; number <= end; number++) {
            frames.add(frame(number));
        }
        frames.add(ping(end + 2, end + 1));
        Received result = resultOf(end + 1, frames.toArray(byte[][]::new));
        assertThat(result.result().state()).isEqualTo(new StateSeen(1, 2, 0, null));
        assertThat(counts(result)).containsExactly(0, 0, 0);
        assertThat(result.result().told()).isEqualTo(Told.NOTHING);
    }

    @Test
    void aTypeThatTheStateLacksIsNamed() throws Exception {
        ofState();
        Received result = resultOf(
                3, welcome(Policy.BACKPRESSURE, 1), gap(1, 1, GapReason.SUPERSEDED), frame(1), frame(2), ping(4, 3));
        assertThat(result.result().state().first()).isEqualTo(new Wrong(4, 1, 0, StateCheck.NONE));
        assertThat(result.result().isClean()).isFalse();
    }

    @Test
    void whatAStateWithoutRoomHasForgottenIsLost() throws Exception {
        ofState();
        Received result = resultOf(
                3, welcome(Policy.BACKPRESSURE, 1), gap(1, 1, GapReason.NOT_HELD), frame(1), frame(2), ping(4, 3));
        assertThat(result.result().state().wrong()).isZero();
        assertThat(counts(result)).containsExactly(1, 0, 0);
        assertThat(result.result().told().missed()).isOne();
    }

    @Test
    void aStateThatIsNotCompleteIsNotPrimed() throws Exception {
        ofState();
        Receiver receiver = receiver();
        for (byte[] frame : List.of(welcome(Policy.BACKPRESSURE, 1), frame(0), ping(2, 3))) {
            write(ByteBuffer.wrap(frame));
        }
        loopback.far().shutdownOutput();
        awaitClosed(receiver);
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isFalse();
        receiver.stop();
    }

    @Test
    void aStateThatDoesNotBeginAtTheFirstMessageIsLeft() throws Exception {
        ofState();
        Received result = resultOf(1, welcome(Policy.BACKPRESSURE, 2), frame(1));
        assertThat(result.result().closed()).isEqualTo("asked for the whole state, the relay starts at 2");
    }

    /** Each tick has the newest message of each type that has changed, and its PING is where all are compared. */
    @Test
    void eachTickIsComparedWithTheWholeStream() throws Exception {
        ofState();
        interval = 500;
        policy = Policy.LATEST;
        List<byte[]> frames = new ArrayList<>(List.of(welcomeEvery(500), frame(0), frame(1), frame(2), ping(4, 3)));
        long begin = 3;
        long end = 40;
        for (long number = begin; number < end; number++) {
            boolean isNewest = true;
            for (long later = number + 1; later < end; later++) {
                isNewest &= sizes.typeOf(later) != sizes.typeOf(number);
            }
            frames.add(isNewest ? frame(number) : gap(number + 1, number + 1, GapReason.SUPERSEDED));
        }
        frames.add(ping(end + 1, end));
        Received result = resultOf(end, frames.toArray(byte[][]::new));
        assertThat(result.result().state().wrong()).isZero();
        assertThat(result.result().state().compared()).isEqualTo(2);
        assertThat(result.result().state().passedOver()).isEqualTo(end - begin - 3);
        assertThat(counts(result)).containsExactly(0, 0, 0);
        frames.remove(frames.size() - 2);
        frames.add(frames.size() - 1, gap(end, end, GapReason.SUPERSEDED));
        connectAnew();
        Received lacking = resultOf(end, frames.toArray(byte[][]::new));
        assertThat(lacking.result().state().first())
                .as("a newest one was passed over")
                .isNotNull();
    }

    @Test
    void aRelayThatGrantsAnotherIntervalIsLeft() throws Exception {
        ofState();
        interval = 500;
        policy = Policy.LATEST;
        Received result = resultOf(1, welcomeEvery(1_000), frame(0));
        assertThat(result.result().closed())
                .isEqualTo("asked for an interval of 500 ms, the relay grants one of 1000 ms");
        connectAnew();
        result = resultOf(1, welcome(Policy.LATEST, 1), frame(0));
        assertThat(result.result().closed()).isEqualTo("asked for an interval of 500 ms, the relay grants one of 0 ms");
    }

    private void connectAnew() throws IOException {
        loopback.close();
        loopback = Loopback.open();
    }

    private static byte[] welcomeEvery(int millis) {
        return FrameText.encode("WELCOME policy=5 features=8 interval=" + millis)
                .array();
    }

    private void ofState() {
        types = 3;
        fromState = true;
        sizes = SizeTable.of(body).withTypes(types);
        policy = Policy.BACKPRESSURE;
    }

    private static byte[] gap(long from, long to, GapReason reason) {
        ByteBuffer gap = ByteBuffer.allocate(GapFrame.FRAME_LENGTH);
        GapFrame.put(gap, from, to, reason);
        return gap.array();
    }

    private static byte[] ping(long next, long head) {
        ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
        PingFrame.put(ping, 1, next, head);
        return ping.array();
    }

    @Test
    void aRelayThatGrantsAnotherPolicyIsLeft() throws Exception {
        policy = Policy.SKIP;
        Received result = resultOf(1, welcome(Policy.DISCONNECT), frame(0));
        assertThat(result.result().closed()).isEqualTo("asked for the policy skip, the relay grants disconnect");
    }

    private static byte[] welcome(Policy policy) {
        return welcome(policy, 41);
    }

    private static byte[] welcome(Policy policy, long next) {
        return new WelcomeFrame(1, policy, 0, 0, 7, next, 0, 1 << 20, 10_000, 30_000, 16, "test", 0)
                .encode()
                .array();
    }

    private Receiver receiver() throws IOException {
        return receiver(loopback.near());
    }

    private Receiver receiver(ByteChannel channel) throws IOException {
        Load load = Load.oneToOne(20)
                .withBody(body)
                .withTypes(types)
                .withCheck(check)
                .withFromState(fromState)
                .withInterval(interval);
        Job job = Job.client(null, Access.OPEN, 0, 1, load);
        return new Receiver(channel, job, policy, 4_096, control, "subscriber-0");
    }

    private void window(long begin) {
        control.onCommand(Json.tree(Map.of("window", new Window(0, begin, Long.MAX_VALUE))));
    }

    private Receiver primedAndEnded(long... numbers) throws Exception {
        return ended(() -> send(numbers));
    }

    private Receiver ended(Sender sender) throws Exception {
        Receiver receiver = receiver();
        sender.send();
        loopback.far().shutdownOutput();
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS) || receiver.closed() != null)
                .isTrue();
        awaitClosed(receiver);
        receiver.stop();
        return receiver;
    }

    private Received resultOf(long sent, long... numbers) throws Exception {
        return primedAndEnded(numbers).result(0, Map.of(0, sent), 0);
    }

    private Received resultOf(long sent, byte[]... frames) throws Exception {
        Receiver receiver = ended(() -> {
            for (byte[] frame : frames) {
                write(ByteBuffer.wrap(frame));
            }
        });
        return receiver.result(0, Map.of(0, sent), 0);
    }

    /** The end of the stream makes the subscriber's thread end, whatever came before has been handled then. */
    private static void awaitClosed(Receiver receiver) throws InterruptedException {
        receiver.awaitEnd(PRIMED_MILLIS);
        assertThat(receiver.closed()).isNotNull();
    }

    private void send(long... numbers) throws IOException {
        for (long number : numbers) {
            write(ByteBuffer.wrap(frame(number)));
        }
    }

    private void write(ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            loopback.far().write(data);
        }
    }

    private byte[] frame(long number) {
        FrameBatch batch = FrameBatch.ofMessages(sizes, 1);
        batch.add(LoadMessage.stamp(0, number), PAST);
        ByteBuffer frame = batch.drain();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private static byte[] cut(byte[] frame, int bodyLength) {
        byte[] shorter = Arrays.copyOf(frame, FrameLayout.frameLength(bodyLength));
        FrameLayout.putHeader(ByteBuffer.wrap(shorter), 0, LoadMessage.TYPE, bodyLength);
        return shorter;
    }

    private static void swapStamps(byte[] one, byte[] other) {
        ByteBuffer first = ByteBuffer.wrap(one);
        ByteBuffer second = ByteBuffer.wrap(other);
        long kept = LoadMessage.stampAt(first, FrameLayout.HEADER_LENGTH);
        LoadMessage.put(first, FrameLayout.HEADER_LENGTH, LoadMessage.stampAt(second, FrameLayout.HEADER_LENGTH), PAST);
        LoadMessage.put(second, FrameLayout.HEADER_LENGTH, kept, PAST);
    }

    private static long[] counts(Received result) {
        Faults faults = result.result().faults();
        return new long[] {faults.lost(), faults.duplicated(), faults.reordered()};
    }

    private interface Sender {
        void send() throws IOException;
    }
}
