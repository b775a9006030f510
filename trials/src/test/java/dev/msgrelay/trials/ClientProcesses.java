package dev.msgrelay.trials;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.rig.Child;
import dev.msgrelay.loadgen.rig.Child.Event;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.trials.Client.Role;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The publishers and subscribers of a campaign, each of which can be killed and started again. One thread owns them.
 */
final class ClientProcesses {
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(300);
    private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(180);
    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long LOOK_MILLIS = 20;

    private final Children children;
    private final Site site;
    private final List<Client> clients;
    private final int rate;
    private final Function<Client, String> endpoints;
    private final Map<Client, Child> running = new HashMap<>();

    /**
     * @param rate messages a second of each publisher
     * @param endpoints where a client connects, with commas
     */
    ClientProcesses(Children children, Site site, List<Client> clients, int rate, Function<Client, String> endpoints) {
        this.children = children;
        this.site = site;
        this.clients = List.copyOf(clients);
        this.rate = rate;
        this.endpoints = endpoints;
    }

    List<Client> all() {
        return clients;
    }

    List<Client> all(Role role) {
        return clients.stream().filter(client -> client.role() == role).toList();
    }

    /** Starts them, and waits until they are connected. */
    void start() throws IOException, RunException, InterruptedException {
        for (Client client : clients) {
            start(client);
        }
        for (Client client : clients) {
            running.get(client).await("ready", READY_NANOS);
        }
    }

    void start(Client client) throws IOException {
        running.put(
                client,
                children.startWorker(site, client.name(), client.main(), client.job(endpoints.apply(client), rate)));
    }

    void kill(Client client) throws InterruptedException {
        children.kill(running.get(client));
    }

    /**
     * Throws when one that was not killed has ended or failed.
     *
     * @throws RunException naming it and what it said
     */
    void checkHealthy() throws RunException {
        for (Child client : running.values()) {
            client.checkHealthy();
        }
    }

    /** Messages that publishers of a level have said to be acknowledged, lately. */
    long acknowledged(Level level) {
        return all(Role.PUBLISHER).stream()
                .filter(client -> client.level() == level)
                .mapToLong(this::acknowledged)
                .sum();
    }

    long acknowledged(Client publisher) {
        return latest(running.get(publisher), "acknowledged");
    }

    /** A number in what a client's process said last of its progress; 0: it has said nothing. */
    static long latest(Child client, String field) {
        Event event = client.latest("progress");
        return event == null ? 0 : event.json().path(field).asLong(0);
    }

    /**
     * Publishers end, and wait for their acknowledgements; subscribers get what there is.
     *
     * @return the message that comes next to each subscriber
     * @throws RunException somebody did not come to an end, naming it
     */
    long finish() throws RunException, InterruptedException {
        List<Client> publishers = all(Role.PUBLISHER);
        publishers.forEach(one -> running.get(one).send("window", new Window(0, 0, 0)));
        long last = 0;
        for (Client publisher : publishers) {
            last = Math.max(
                    last,
                    running.get(publisher)
                            .await("result", FLUSH_NANOS)
                            .path("sequence")
                            .asLong(0));
        }
        return awaitCaughtUp(last);
    }

    /**
     * All subscribers stand at the same message behind this one, in what they said since the last publisher had ended.
     */
    private long awaitCaughtUp(long last) throws RunException, InterruptedException {
        List<Client> subscribers =
                clients.stream().filter(client -> client.role().reads()).toList();
        long since = System.nanoTime();
        while (true) {
            long[] places = subscribers.stream()
                    .map(one -> running.get(one).latest("progress"))
                    .filter(event -> event != null && event.nanos() > since)
                    .mapToLong(event -> event.json().path("next").asLong(0))
                    .toArray();
            if (places.length == subscribers.size()
                    && Arrays.stream(places).distinct().count() <= 1
                    && Arrays.stream(places).allMatch(place -> place > last)) {
                return places.length == 0 ? 0 : places[0];
            }
            checkHealthy();
            if (System.nanoTime() - since > CATCH_UP_NANOS) {
                throw new RunException("after " + TimeUnit.NANOSECONDS.toSeconds(CATCH_UP_NANOS)
                        + " s subscribers do not stand at the same message behind " + last + ": "
                        + subscribers.stream()
                                .map(one -> one.name() + " at " + latest(running.get(one), "next"))
                                .toList());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }
}
