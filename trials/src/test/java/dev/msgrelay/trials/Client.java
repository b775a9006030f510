package dev.msgrelay.trials;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A publisher or a subscriber of a campaign: the same one, however often its process is killed.
 *
 * @param id of a publisher: stands in its messages, from 1; of a subscriber 0
 * @param level that the publisher waits for; at which a message comes to the subscriber
 * @param producer of a publisher; otherwise none
 */
record Client(Role role, long id, String name, Level level, ProducerId producer, Path notebook) {
    enum Role {
        PUBLISHER,
        SUBSCRIBER
    }

    /** @param notebooks the directory of its notebook, which has its name */
    static Client publisher(long id, String name, Level level, Path notebooks) {
        return new Client(Role.PUBLISHER, id, name, level, ProducerId.random(), notebooks.resolve(name));
    }

    /** Likewise. */
    static Client subscriber(String name, Level level, Path notebooks) {
        return new Client(Role.SUBSCRIBER, 0, name, level, ProducerId.NONE, notebooks.resolve(name));
    }

    Class<?> main() {
        return role == Role.PUBLISHER ? PublisherMain.class : SubscriberMain.class;
    }

    /**
     * The job of its process.
     *
     * @param to the relay; of a cluster its nodes
     * @param producer of a publisher, with its number and its messages a second
     */
    record Job(
            List<Endpoint> to, String name, Level level, String producer, long publisher, int rate, String notebook) {}

    /**
     * @param endpoints with commas
     */
    Job job(String endpoints, int rate) {
        List<Endpoint> to = Stream.of(endpoints.split(",")).map(Endpoint::parse).toList();
        return new Job(to, name, level, producer.hex(), id, rate, notebook.toString());
    }
}
