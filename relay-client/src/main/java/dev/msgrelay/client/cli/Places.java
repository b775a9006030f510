package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The places in the stream at which {@code subscribe} starts and ends. Those that are no sequences are asked of the
 * relay, each at most once. Owned by one thread.
 */
final class Places {
    private final StreamQuery.Connection connection;
    private final Supplier<FirstConnection> first;
    private List<Endpoint> endpoints;
    private Optional<StreamQuery.Place> end = Optional.empty();

    /** @param first decides for each query when there is no connection */
    Places(List<Endpoint> endpoints, StreamQuery.Connection connection, Supplier<FirstConnection> first) {
        this.endpoints = endpoints;
        this.connection = connection;
        this.first = first;
    }

    /** The endpoints, the one that was asked first: numbers are those of its stream. */
    List<Endpoint> endpoints() {
        return endpoints;
    }

    /**
     * The end of the run.
     *
     * @throws StreamQuery.NoTimesException it is a time, and the relay has no journal
     * @throws IOException no relay answers
     */
    ReadUntil until(Until wanted) throws IOException, InterruptedException {
        if (!wanted.isAsked()) {
            return new ReadUntil(wanted.sequence(), 0);
        }
        StreamQuery.Place place = wanted.time().isPresent() ? ask(wanted.time()) : endOfStream();
        return new ReadUntil(place.next() - 1, place.epoch());
    }

    /**
     * The start of the run, without a question that is left.
     *
     * @throws IOException no relay answers
     */
    Start start(Start wanted) throws IOException, InterruptedException {
        return wanted.isAsked() ? wanted.in(endOfStream().epoch(), endOfStream().next()) : wanted;
    }

    private StreamQuery.Place endOfStream() throws IOException, InterruptedException {
        if (end.isEmpty()) {
            end = Optional.of(ask(Optional.empty()));
        }
        return end.get();
    }

    private StreamQuery.Place ask(Optional<Instant> time) throws IOException, InterruptedException {
        StreamQuery.Place place = new StreamQuery(connection, first.get()).ask(time);
        List<Endpoint> ordered = new ArrayList<>(endpoints);
        ordered.remove(place.endpoint());
        ordered.add(0, place.endpoint());
        endpoints = List.copyOf(ordered);
        return place;
    }
}
