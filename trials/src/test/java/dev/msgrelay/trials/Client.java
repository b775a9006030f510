package dev.msgrelay.trials;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
     * Of its process.
     *
     * @param endpoints with commas
     */
    List<String> args(String endpoints, int rate) {
        List<String> args = new ArrayList<>(
                List.of("--to", endpoints, "--name", name, "--level", level.flag(), "--notebook", notebook.toString()));
        if (role == Role.PUBLISHER) {
            args.addAll(List.of("--producer", producer.hex(), "--publisher", "" + id, "--rate", "" + rate));
        }
        return args;
    }
}
