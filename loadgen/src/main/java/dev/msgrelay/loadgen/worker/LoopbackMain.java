package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.host.LoopbackSpeeds;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Site.JavaProgram;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;

/**
 * Compares throughput over loopback with the host's default congestion control and with another one, in alternating
 * rounds. The fastest round of each counts, as other programs can only make a round slower.
 */
public final class LoopbackMain {
    private static final int ROUNDS = 8;
    private static final long WARMUP_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The size of writes, which is also that of publishers. */
    private static final int WRITE_BYTES = 128 << 10;

    private LoopbackMain() {}

    /**
     * Measures for two seconds, in a process of its own.
     *
     * @param tool runs the process, and separates its stderr from stdout
     * @return the speeds; empty if there is no other congestion control, or the process failed
     */
    public static Optional<LoopbackSpeeds> measure(Tool tool) throws InterruptedException {
        String other = new CongestionControl(CongestionControl.AUTO, CongestionControl.SYSTEM)
                .resolve(Transport.AUTO.resolve(), Optional.empty())
                .local();
        if (other.equals(CongestionControl.SYSTEM)
                || Congestion.ofSystem(null).names().contains(other)) {
            return Optional.empty();
        }
        List<String> options = List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:-UsePerfData", SocketCongestion.JVM_OPTION);
        JavaProgram program =
                new JavaProgram(JavaProgram.withNativeAccess(options), LoopbackMain.class.getName(), List.of(other));
        try {
            Tool.Completed said = tool.run(Site.HERE.command(program));
            return said.succeeded()
                    ? Optional.of(Json.read(Json.parse(said.output()), LoopbackSpeeds.class))
                    : Optional.empty();
        } catch (IOException | JacksonException e) {
            return Optional.empty();
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        System.out.println(Json.line(speeds(args[0], WARMUP_NANOS, MEASURED_NANOS)));
    }

    static LoopbackSpeeds speeds(String other, long warmup, long measured) throws IOException, InterruptedException {
        double byDefault = 0;
        double byOther = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byDefault = Math.max(byDefault, bytesPerSecond(CongestionControl.SYSTEM, warmup, measured));
            byOther = Math.max(byOther, bytesPerSecond(other, warmup, measured));
        }
        return new LoopbackSpeeds(other, byDefault, byOther);
    }

    private static double bytesPerSecond(String name, long warmup, long measured)
            throws IOException, InterruptedException {
        try (ServerSocketChannel server = Sockets.listen("127.0.0.1", null)) {
            SocketCongestion.prepare(server, name);
            return bytesPerSecond(server, name, warmup, measured);
        }
    }

    private static double bytesPerSecond(ServerSocketChannel server, String name, long warmup, long measured)
            throws IOException, InterruptedException {
        try (SocketChannel receiver = Sockets.connect(Sockets.endpoint(server))) {
            Thread reading = new Thread(() -> readAll(receiver), "receiver");
            reading.start();
            try (SocketChannel sender = Sockets.accept(server)) {
                Congestion given = SocketCongestion.choose(sender, name);
                if (given.why() != null) {
                    throw new IOException(given.toString());
                }
                ByteBuffer data = ByteBuffer.allocateDirect(WRITE_BYTES);
                write(sender, data, System.nanoTime() + warmup);
                long begin = System.nanoTime();
                long bytes = write(sender, data, begin + measured);
                return bytes * 1e9 / (System.nanoTime() - begin);
            } finally {
                reading.join();
            }
        }
    }

    private static long write(SocketChannel sender, ByteBuffer data, long until) throws IOException {
        long bytes = 0;
        while (System.nanoTime() - until < 0) {
            bytes += sender.write(data.clear());
        }
        return bytes;
    }

    private static void readAll(SocketChannel receiver) {
        ByteBuffer data = ByteBuffer.allocateDirect(WRITE_BYTES);
        try {
            while (receiver.read(data.clear()) >= 0) {
                // The bytes are dropped.
            }
        } catch (IOException e) {
            // The sending side reports a broken connection.
        }
    }
}
