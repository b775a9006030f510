package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The process of those who come to a relay's other ports beside the load, on a schedule, and have no part in the stream.
 *
 * <pre>
 *  --to ENDPOINT     shakes hands there, and leaves; with --tls-ca and the like, see Tls
 *  --admin ENDPOINT  instead: has the page's events read all the time, and asks for /metrics
 *  --rate R          visits a second
 * </pre>
 */
public final class VisitorMain {
    /** On a busy machine one visit takes longer than there is between two. */
    private static final int THREADS = 8;

    /** A visit that is later than this did not come when it was meant to. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final WorkerArgs args;
    private final Control control;
    private final int rate;
    private final AtomicLong visits = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();

    private VisitorMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        this.rate = args.number("rate");
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new VisitorMain(parsed, control).run());
    }

    /** One visit; each thread has its own. */
    @FunctionalInterface
    private interface Visit {
        void pay() throws IOException;
    }

    private void run() throws IOException, InterruptedException {
        int threads = Math.min(THREADS, rate);
        control.say("ready", Map.of("connections", threads));
        Schedule schedule = Schedule.staggered(System.nanoTime(), rate, 1, 0, 1);
        boolean admin = args.flag("admin");
        Tls tls = Tls.of(args);
        // Who watches the page is one more.
        Together.run(
                IntStream.range(0, threads + (admin ? 1 : 0)).boxed().toList(), index -> "visitor-" + index, index -> {
                    if (index == threads) {
                        watch();
                    } else {
                        visit(schedule, index, threads, admin ? this::scrape : shakeHands(tls));
                    }
                });
        JsonObject result = new JsonObject();
        result.put("visits", visits.get());
        result.put("visitsLate", late.get());
        result.put("longestVisitNanos", longestNanos.get());
        control.say("result", result);
    }

    private void visit(Schedule schedule, int first, int step, Visit visit) throws IOException {
        Waiter waiter = new Waiter(0);
        for (long n = first; ; n += step) {
            long due = schedule.intended(n);
            long now = waiter.awaitMoment(due);
            Window window = control.window();
            if (now >= window.end()) {
                return;
            }
            visit.pay();
            if (now >= window.begin()) {
                visits.incrementAndGet();
                late.addAndGet(now - due > LATE_NANOS ? 1 : 0);
                longestNanos.accumulateAndGet(System.nanoTime() - now, Math::max);
            }
        }
    }

    private Visit shakeHands(Tls tls) {
        Endpoint relay = args.endpoint("to");
        TlsSocket.Buffers buffers = new TlsSocket.Buffers();
        return () -> TlsSocket.connect(relay, tls, buffers).close();
    }

    private void scrape() throws IOException {
        try (InputStream metrics = open("metrics")) {
            if (metrics.readAllBytes().length == 0) {
                throw new IOException("the admin port's metrics are empty");
            }
        }
    }

    /** What an open page reads, until the run is over. */
    private void watch() throws IOException {
        byte[] some = new byte[4_096];
        try (InputStream events = open("events")) {
            while (System.nanoTime() < control.window().end()) {
                if (events.read(some) < 0) {
                    throw new IOException("the admin port ended the page's events");
                }
            }
        }
    }

    private InputStream open(String path) throws IOException {
        return URI.create("http://" + args.text("admin") + "/" + path).toURL().openStream();
    }
}
