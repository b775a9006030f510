package dev.msgrelay.client;

import java.util.function.LongSupplier;

/**
 * Gets the metrics of a {@link RelayPublisher} or {@link RelaySubscriber}, once, to register them with a library such
 * as Micrometer or OpenTelemetry. The suppliers may be asked at any time, on any thread, and cost a short lock. Losses
 * and reconnects are {@link SessionEvent}s.
 *
 * <pre>{@code
 * publisher.metrics(new ClientMetrics() {
 *     public void counter(String name, LongSupplier value) {
 *         registry.counter("relay.publisher." + name, value);
 *     }
 *
 *     public void gauge(String name, LongSupplier value) {
 *         registry.gauge("relay.publisher." + name, value);
 *     }
 * });
 * }</pre>
 */
public interface ClientMetrics {
    /**
     * A number that only grows.
     *
     * @param name words with underscores, such as {@code settled_bytes}: the client's method {@code settledBytes} tells
     *     the same
     */
    void counter(String name, LongSupplier value);

    /** A number that grows and shrinks, such as {@code lag}. */
    void gauge(String name, LongSupplier value);
}
