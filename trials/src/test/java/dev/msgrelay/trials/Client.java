package dev.msgrelay.trials;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A publisher or a reader of a campaign: the same one, however often its process is killed.
 *
 * @param id of a publisher: stands in its messages, from 1; of a reader 0
 * @param level that the publisher waits for; at which a message comes to the reader
 * @param producer of a publisher; otherwise none
 */
record Client(Role role, long id, String name, Level level, ProducerId producer, Path notebook) {
    enum Role {
        PUBLISHER(PublisherMain.class),
        SUBSCRIBER(SubscriberMain.class),
        /** Starts with the state, and keeps a view. */
        VIEWER(ViewerMain.class),
        /** A viewer with the policy latest, which pauses. */
        SCREEN(ViewerMain.class);

        private final Class<?> main;

        Role(Class<?> main) {
            this.main = main;
        }

        boolean reads() {
            return this != PUBLISHER;
        }
    }

    /** @param notebooks the directory of its notebook, which has its name */
    static Client publisher(long id, String name, Level level, Path notebooks) {
        return new Client(Role.PUBLISHER, id, name, level, ProducerId.random(), notebooks.resolve(name));
    }

    /** Likewise, in any role that reads. */
    static Client reader(Role role, String name, Level level, Path notebooks) {
        return new Client(role, 0, name, level, ProducerId.NONE, notebooks.resolve(name));
    }

    Class<?> main() {
        return role.main;
    }

    /**
     * The job of its process.
     *
     * @param to the relay; of a cluster its nodes
     * @param producer of a publisher, with its number and its messages a second
     */
    record Job(
            Role role,
            List<Endpoint> to,
            String name,
            Level level,
            String producer,
            long publisher,
            int rate,
            String notebook) {}

    /**
     * @param endpoints with commas
     */
    Job job(String endpoints, int rate) {
        List<Endpoint> to = Stream.of(endpoints.split(",")).map(Endpoint::parse).toList();
        return new Job(role, to, name, level, producer.hex(), id, rate, notebook.toString());
    }
}
