package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.Role;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay's Unix sockets. Nobody can connect to a socket whose file was removed, and the socket does not notice the
 * removal. So a thread looks at the files every {@value #LOOK_MILLIS} ms, and binds again where a file is missing.
 *
 * <p>One thread opens and closes the sockets. Any thread may call {@code reachable} and {@code addresses}.
 */
final class UnixSockets {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long LOOK_MILLIS = 2_000;

    /** Longest wait, at the relay's end, for a running look at the files. A look hangs if the file system hangs. */
    private static final long CLOSE_MILLIS = 1_000;

    /** Listens on a path for clients of one role. */
    interface Binding {
        UnixSocketFile bind(Role role, Path path) throws IOException;
    }

    private static final class Place {
        private final Role role;
        private final Path path;
        private volatile Optional<UnixSocketFile> file;
        // The reason why clients cannot connect; empty if they can.
        private volatile String problem = "";

        Place(Role role, Path path, UnixSocketFile file) {
            this.role = role;
            this.path = path;
            this.file = Optional.of(file);
        }
    }

    private final Binding binding;
    private final List<Place> places = new ArrayList<>();
    // The executor's shutdown is guarded by this object's lock.
    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(1, UnixSockets::newThread);

    UnixSockets(Binding binding) {
        this.binding = binding;
    }

    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "relay-sockets");
        thread.setDaemon(true);
        return thread;
    }

    void open(Role role, Path path) throws IOException {
        UnixSocketFile.prepare(path);
        places.add(new Place(role, path, binding.bind(role, path)));
    }

    /** Begins to look at the files. All sockets must be open by now. */
    void start() {
        if (!places.isEmpty()) {
            looks.scheduleWithFixedDelay(
                    () -> places.forEach(this::look), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look(Place place) {
        try {
            if (!UnixSocketFile.isAnyAt(place.path)) {
                bindAgain(place);
            } else if (place.file.isPresent() && place.file.get().isThere()) {
                report(place, "");
            } else {
                report(place, "another program's file is in the place of its own");
            }
        } catch (FileSystemException | RuntimeException e) {
            // Without the class, the messages of these exceptions say too little: often they are only a path.
            report(place, e.toString());
        } catch (IOException e) {
            report(place, e.getMessage());
        }
    }

    private void bindAgain(Place place) throws IOException {
        UnixSocketFile.prepare(place.path);
        if (place.file.isPresent()) {
            // The old socket is closed first, because its close removes any file of this name.
            place.file.get().close();
            place.file = Optional.empty();
        }
        UnixSocketFile file = binding.bind(place.role, place.path);
        synchronized (this) {
            if (!looks.isShutdown()) {
                place.file = Optional.of(file);
            }
        }
        if (place.file.isEmpty()) {
            file.close();
            return;
        }
        place.problem = "";
        LOG.warn(
                "unix:{}: its file was gone, and is there again: does a cleaner remove what it does not know?",
                place.path);
    }

    private static void report(Place place, String problem) {
        if (!problem.isEmpty() && !problem.equals(place.problem)) {
            LOG.warn("unix:{}: nobody can connect, and the relay is not ready: {}", place.path, problem);
        } else if (problem.isEmpty() && !place.problem.isEmpty()) {
            LOG.warn("unix:{}: clients can connect again", place.path);
        }
        place.problem = problem;
    }

    /** Whether clients could connect to each socket at the last look. */
    boolean reachable() {
        return places.stream().allMatch(place -> place.problem.isEmpty());
    }

    List<SocketAddress> addresses() {
        return places.stream()
                .flatMap(place -> place.file.stream())
                .map(file -> file.listener().localAddress())
                .toList();
    }

    /** Stops listening, and removes the files. */
    void close() {
        synchronized (this) {
            looks.shutdown();
        }
        try {
            looks.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Place place : places) {
            try {
                if (place.file.isPresent()) {
                    place.file.get().close();
                }
            } catch (IOException e) {
                LOG.warn("cannot remove a Unix socket: {}", e.toString());
            }
        }
    }
}
