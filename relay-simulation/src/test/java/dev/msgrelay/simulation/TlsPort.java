package dev.msgrelay.simulation;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.server.tls.TlsRecords;
import java.io.IOException;
import java.util.Set;
import javax.net.ssl.SSLContext;

/** What a relay of the simulation needs to speak TLS, and its clients. By the JDK, so that it is there everywhere. */
public final class TlsPort {
    private static final int RECORD = 17 << 10;

    /** Made once: it takes longer than a run. */
    private static final class Keys {
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
    }

    private final SimThread thread = new SimThread();
    private final TlsContext context;
    private final Set<?> present;

    public TlsPort(World world) {
        try {
            context = new TlsContext(
                    Keys.FILES,
                    TlsProvider.JDK,
                    world.config().clients().handshakeTimeout().toMillis(),
                    world.config().tls().recordsPerKey(),
                    thread);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        present = Sessions.get(context, "present");
    }

    /** Certificate and key of the relay. */
    public static TlsFiles files() {
        return Keys.FILES;
    }

    /** Who trusts it. */
    public static SSLContext client() {
        return Keys.CLIENT;
    }

    public TlsContext context() {
        return context;
    }

    /** Where handshakes are made. */
    public SimThread thread() {
        return thread;
    }

    /** Whether no connection holds memory of TLS any more, those that have failed included. */
    public boolean isEmpty() {
        return present.isEmpty();
    }

    /** Of the memory in the budget, what is the library's, and so none of the allocator's. */
    public long ofTheLibrary() {
        return present.size() * (long) (TlsRecords.bytesOfConnection(true) - RECORD);
    }

    /** What records have come to: it goes as soon as nothing is expected any more, before the rest does. */
    public long mayBeGone() {
        return present.size() * (long) RECORD;
    }
}
