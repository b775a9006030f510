package dev.msgrelay.simulation;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.server.tls.TlsRecords;
import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** What a relay of the simulation needs to speak TLS, and its clients. By the JDK, so that it is there everywhere. */
final class TlsPort {
    private static final int RECORD = 17 << 10;

    // Made once: it takes longer than a run.
    static final TlsFiles FILES;
    static final SSLContext CLIENT;

    static {
        try {
            Certificates certificates = Certificates.ofOneLength();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    certificates.close();
                } catch (IOException e) {
                    System.err.println("files of certificates are left: " + e);
                }
            }));
            FILES = certificates.relayFiles();
            CLIENT = certificates.client();
        } catch (Exception e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Where handshakes are made, without a thread: what it is given is done when the run's one thread gets to it. */
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
                @Override
                public void execute(Runnable task) {
                    getQueue().add(task);
                }
            };

    final Queue<Runnable> tasks = thread.getQueue();
    final TlsContext context;
    private final Set<?> present;

    TlsPort(World world) {
        try {
            context = new TlsContext(
                    FILES,
                    TlsProvider.JDK,
                    world.config.clients().handshakeTimeout().toMillis(),
                    world.config.tls().recordsPerKey(),
                    thread);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        present = Sessions.get(context, "present");
    }

    /** Whether no connection holds memory of TLS any more, those that have failed included. */
    boolean isEmpty() {
        return present.isEmpty();
    }

    /** Of the memory in the budget, what is the library's, and so none of the allocator's. */
    long ofTheLibrary() {
        return present.size() * (long) (TlsRecords.bytesOfConnection(true) - RECORD);
    }

    /** What records have come to: it goes as soon as nothing is expected any more, before the rest does. */
    long mayBeGone() {
        return present.size() * (long) RECORD;
    }
}
