package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.MessageStream;
import dev.msgrelay.loadgen.message.Schedule;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Sent;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A publisher process. It has one or more connections, each with its own publisher id. At a fixed rate one thread uses
 * all connections; at full speed each has its own blocking thread.
 */
public final class PublisherMain {
    /**
     * Bytes of a write, which are two segments on loopback. With four segments the relay's throughput was lower, and
     * smaller writes need more system calls.
     */
    private static final int WRITE_BYTES = 128 << 10;

    private static final int LIBRARY_BATCH = 64;
    /** Buffer size of a publisher that waits for disk writes, enough for some milliseconds at full speed. */
    private static final int DURABLE_BUFFER = 16 << 20;

    private static final int DURABLE_BUFFERS = 256 << 20;
    /** Time to wait for wrong acknowledgements after the last right one. It lasts many cycles of the relay. */
    private static final Duration LAST_WORD = Duration.ofMillis(50);

    private final Job job;
    private final Load load;
    private final SizeTable sizes;
    private final Control control;
    private final List<PublishConnection> connections = new ArrayList<>();
    private Congestion congestion = Congestion.NONE;

    private PublisherMain(Job job, Control control) {
        this.job = job;
        this.load = job.load();
        this.sizes = load.sizes();
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(Job.class, (job, control) -> new PublisherMain(job, control).run());
    }

    private void run() throws IOException, InterruptedException {
        for (int id = job.first(); id < job.first() + job.connections(); id++) {
            connections.add(new PublishConnection(id, outlet(id)));
        }
        if (load.fromState()) {
            PublishConnection.fill(connections, sizes);
        }
        control.say(Control.SOCKETS, congestion);
        control.say("ready", Map.of());
        Heartbeat heartbeat = new Heartbeat(control, connections);
        Window window = PublishConnection.prime(connections, sizes, control);
        Punctuality schedule = Punctuality.NONE;
        if (load.isPaced()) {
            schedule = publishPaced(window);
        } else {
            publishAtFullSpeed(window);
        }
        for (PublishConnection connection : connections) {
            connection.settle();
        }
        heartbeat.last();
        control.say(
                "result",
                new Sent(connections.stream().map(PublishConnection::said).toList(), schedule));
        // Connections stay open until the run ends, as a relay may drop the last messages of a closed connection.
        control.closeAtEnd(this::close);
    }

    private void close() throws IOException {
        for (PublishConnection connection : connections) {
            connection.close();
        }
    }

    private Outlet outlet(int id) throws IOException {
        if (load.clients().kind() == Clients.Kind.RAW) {
            SocketChannel socket = Sockets.connect(job.relay(), load.localCongestion());
            congestion = congestion.and(SocketCongestion.choose(socket, load.localCongestion()));
            return new Outlet.Raw(socket);
        }
        congestion = congestion.and(SocketCongestion.ofLibrary(job.relay()));
        // The name is new for each run, as the relay stores message numbers by publisher name.
        String name = "loadgen-" + id + "-" + Long.toHexString(System.nanoTime());
        PublisherOptions.Builder options = LibraryOutlet.options(job.relay(), job.access());
        Level level = load.clients().acks().level();
        if (level == null) {
            return new LibraryOutlet(options, null, Duration.ZERO);
        }
        options.acks(name, level).producer(ProducerId.random()).firstNumber(0, 1);
        if (level != Level.STREAM) {
            options.bufferSize(Math.min(DURABLE_BUFFER, DURABLE_BUFFERS / job.connections()));
        }
        return new LibraryOutlet(
                options, new LibraryOutlet.Acknowledged(1, load.sampling(), control::window), LAST_WORD);
    }

    private void publishAtFullSpeed(Window window) throws IOException, InterruptedException {
        int segment = connections.get(0).outlet().segment();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (PublishConnection connection : connections) {
            tasks.add(() -> {
                connection.publish(stream(connection, segment), window);
                return null;
            });
        }
        // The thread's name is shown to people, in the evidence for the bottleneck.
        ExecutorService threads = Executors.newFixedThreadPool(connections.size(), work -> new Thread(work, "publish"));
        try {
            for (Future<Void> each : threads.invokeAll(tasks)) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } finally {
            threads.shutdown();
        }
    }

    private MessageStream stream(PublishConnection connection, int segment) {
        int id = connection.id();
        long first = connection.messages();
        return segment == 0
                ? MessageStream.ofMessages(id, sizes, LIBRARY_BATCH, first)
                : MessageStream.ofBytes(id, sizes, Segments.wholeUpTo(WRITE_BYTES, segment), first);
    }

    private Punctuality publishPaced(Window window) throws IOException {
        Waiter.sharpenTimer();
        Paced paced = new Paced(
                connections,
                id -> Schedule.staggered(window.sendFrom(), load.rate(), id, load.publishers()),
                window,
                FrameBatch.ofBytes(sizes),
                System::nanoTime);
        int cores = Runtime.getRuntime().availableProcessors();
        paced.publish(Waiter.among(load.publisherProcesses(), cores));
        return paced.punctuality();
    }
}
