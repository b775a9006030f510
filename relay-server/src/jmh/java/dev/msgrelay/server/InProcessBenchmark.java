package dev.msgrelay.server;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.config.RelayConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Messages a second that threads of the relay's own process publish: one by one, or as runs. Nobody subscribes, so the
 * figures are of the ring, the core and the log. A full ring holds the threads back; a message counts when it is
 * accepted.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class InProcessBenchmark {
    private static final int TYPE = 7;
    private static final int RUN_LENGTH = 240;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A relay with free ports. */
    @State(Scope.Benchmark)
    public static class Relay {
        private RelayServer server;

        /** Bytes of one body. */
        @Param("100")
        public int body;

        /** Starts the relay. */
        @Setup
        public void start() throws Exception {
            server = RelayServer.start(RelayConfig.builder(0, 0).build());
        }

        /** Ends the relay. */
        @TearDown
        public void close() {
            server.close();
        }
    }

    /** A producer of each thread. */
    @State(Scope.Thread)
    public static class Producer {
        private LocalPublisher publisher;
        private ByteBuffer single;
        private ByteBuffer run;

        /** Joins the relay. */
        @Setup
        public void open(Relay relay) {
            publisher = relay.server.newLocalPublisher();
            single = ByteBuffer.allocateDirect(relay.body);
            run = ByteBuffer.allocateDirect(RUN_LENGTH * (FrameLayout.HEADER_LENGTH + relay.body));
            for (int i = 0; i < RUN_LENGTH; i++) {
                run.putInt(TYPE).putInt(relay.body).position(run.position() + relay.body);
            }
            run.flip();
        }

        /** Leaves the relay. */
        @TearDown
        public void close() {
            publisher.close();
        }
    }

    /** One thread, message by message. */
    @Benchmark
    @Threads(1)
    public void singlesOfOneThread(Producer producer) throws IOException {
        check(producer.publisher.publish(TYPE, producer.single, WAIT_NANOS));
    }

    /** Four threads, message by message. */
    @Benchmark
    @Threads(4)
    public void singlesOfFourThreads(Producer producer) throws IOException {
        check(producer.publisher.publish(TYPE, producer.single, WAIT_NANOS));
    }

    /** One thread, runs of 240 messages. */
    @Benchmark
    @Threads(1)
    @OperationsPerInvocation(RUN_LENGTH)
    public void runsOfOneThread(Producer producer) throws IOException {
        check(producer.publisher.publishRun(producer.run, WAIT_NANOS));
    }

    /** Four threads, runs of 240 messages. */
    @Benchmark
    @Threads(4)
    @OperationsPerInvocation(RUN_LENGTH)
    public void runsOfFourThreads(Producer producer) throws IOException {
        check(producer.publisher.publishRun(producer.run, WAIT_NANOS));
    }

    private static void check(PublishOutcome outcome) throws IOException {
        if (outcome != PublishOutcome.ACCEPTED) {
            throw new IOException("the relay answered " + outcome);
        }
    }
}
