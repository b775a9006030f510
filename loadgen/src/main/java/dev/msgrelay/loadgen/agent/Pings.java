package dev.msgrelay.loadgen.agent;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Questions for the other side's clock that are on their way. Thread-safe; the clock is passed in. */
final class Pings {
    private final LongSupplier clock;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Ping> waiting = new ConcurrentHashMap<>();

    /** One question. */
    record Ping(long number, long sent, CompletableFuture<ClockOffset.Sample> answer) {}

    Pings(LongSupplier clock) {
        this.clock = clock;
    }

    /** A question that is about to be sent. */
    Ping next() {
        long number = numbers.incrementAndGet();
        Ping ping = new Ping(number, clock.getAsLong(), new CompletableFuture<>());
        waiting.put(number, ping);
        return ping;
    }

    /** An answer has come, now. One that nobody waits for, or that came before, is nothing. */
    void answered(long number, long remote) {
        long received = clock.getAsLong();
        Ping ping = waiting.remove(number);
        if (ping != null) {
            ping.answer().complete(new ClockOffset.Sample(ping.sent(), remote, received));
        }
    }

    /** Nobody waits for it any more. */
    void forget(Ping ping) {
        waiting.remove(ping.number());
    }
}
