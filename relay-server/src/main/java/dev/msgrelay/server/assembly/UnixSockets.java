package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.Role;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay's Unix sockets. A listening socket does not notice that its file is gone, and nobody can connect any more: so
 * a thread looks at the files every {@value #LOOK_MILLIS} ms, and binds again where one is missing.
 *
 * <p>Opened and closed by one thread; reports: any thread.
 */
final class UnixSockets {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long LOOK_MILLIS = 2_000;

    /** A look that hangs, as its file system does, does not hold up the end of the relay. */
    private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(1);

    /** Listens on a path for clients of one role. */
    interface Binding {
        UnixSocketFile bind(Role role, Path path) throws IOException;
    }

    private static final class Place {
        private final Role role;
        private final Path path;
        // Null: nobody listens.
        private volatile UnixSocketFile file;
        // Why clients do not get there; null: they do.
        private volatile String problem;

        Place(Role role, Path path, UnixSocketFile file) {
            this.role = role;
            this.path = path;
            this.file = file;
        }
    }

    private final Binding binding;
    private final List<Place> places = new ArrayList<>();
    private final Thread thread = new Thread(this::watch, "relay-sockets");
    // Guarded by this object's lock.
    private boolean closed;

    UnixSockets(Binding binding) {
        this.binding = binding;
    }

    /** Listens on a path; null: there is none. */
    void open(Role role, Path path) throws IOException {
        if (path != null) {
            UnixSocketFile.prepare(path);
            places.add(new Place(role, path, binding.bind(role, path)));
        }
    }

    /** All are open: from now on they are looked at. */
    void start() {
        if (!places.isEmpty()) {
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void watch() {
        while (waits()) {
            places.forEach(this::look);
        }
    }

    private synchronized boolean waits() {
        try {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
            for (long left = LOOK_MILLIS; left > 0 && !closed; ) {
                wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            return false;
        }
        return !closed;
    }

    private void look(Place place) {
        try {
            if (UnixSocketFile.isAnyAt(place.path)) {
                boolean own = place.file != null && place.file.isThere();
                found(place, own ? null : "another program's file is in the place of its own");
            } else {
                bindAgain(place);
            }
        } catch (FileSystemException | RuntimeException e) {
            // Their messages are no sentences.
            found(place, e.toString());
        } catch (IOException e) {
            found(place, e.getMessage());
        }
    }

    private void bindAgain(Place place) throws IOException {
        UnixSocketFile.prepare(place.path);
        if (place.file != null) {
            // Before the new one is there: the close removes a file of this name.
            place.file.close();
            place.file = null;
        }
        UnixSocketFile file = binding.bind(place.role, place.path);
        synchronized (this) {
            if (!closed) {
                place.file = file;
            }
        }
        if (place.file == null) {
            file.close();
            return;
        }
        place.problem = null;
        LOG.warn(
                "unix:{}: its file was gone, and is there again: does a cleaner remove what it does not know?",
                place.path);
    }

    private static void found(Place place, String problem) {
        boolean news = problem != null && !problem.equals(place.problem);
        if (news) {
            LOG.warn("unix:{}: nobody can connect, and the relay is not ready: {}", place.path, problem);
        } else if (problem == null && place.problem != null) {
            LOG.warn("unix:{}: clients can connect again", place.path);
        }
        place.problem = problem;
    }

    /** Whether clients get to each socket, as far as the last look tells. */
    boolean reachable() {
        for (Place place : places) {
            if (place.problem != null) {
                return false;
            }
        }
        return true;
    }

    List<SocketAddress> addresses() {
        List<SocketAddress> addresses = new ArrayList<>();
        for (Place place : places) {
            UnixSocketFile file = place.file;
            if (file != null) {
                addresses.add(file.listener().localAddress());
            }
        }
        return addresses;
    }

    /** Stops listening, and removes the files. */
    void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Place place : places) {
            UnixSocketFile file = place.file;
            try {
                if (file != null) {
                    file.close();
                }
            } catch (IOException e) {
                LOG.warn("cannot remove a Unix socket: {}", e.toString());
            }
        }
    }
}
