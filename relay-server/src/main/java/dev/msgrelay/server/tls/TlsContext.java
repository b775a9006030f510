package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.net.CertificateDates;
import dev.msgrelay.protocol.net.PemFiles;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.net.SocketReads;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A relay's thread for TLS handshakes, and its certificate and key, which a reload replaces. Any thread. */
public final class TlsContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final TlsProvider provider;
    final long handshakeMillis;
    final long recordLimit;
    // Runs the steps of handshakes. The thread's queue is bounded, since a connection has no more than one step in it.
    final ExecutorService thread;
    // Channels that have reserved memory for TLS.
    final Set<Channel> present = ConcurrentHashMap.newKeySet();
    // The target buffer for unwrapped handshake records, which have no data. Owned by the thread of the handshakes.
    final ByteBuffer nothing = ByteBuffer.allocateDirect(TlsRecords.SMALL);

    // Guarded by this object's lock.
    private Loaded current;
    private boolean closed;

    /** @param wide a warning if other users can read the key's file */
    private record Loaded(
            TlsFiles files,
            SslContext context,
            List<X509Certificate> chain,
            List<X509Certificate> authorities,
            Optional<String> wide) {
        List<String> warnings() {
            long now = System.currentTimeMillis();
            List<String> lines = new ArrayList<>(CertificateDates.warnings(files.certificate(), chain, now));
            if (files.clients() != null) {
                lines.addAll(CertificateDates.warnings(files.clients(), authorities, now));
            }
            wide.ifPresent(lines::add);
            return lines;
        }
    }

    /**
     * @param handshakeMillis longest time of a handshake, in milliseconds
     * @param recordLimit most records that one key may protect; ignored with the JDK, which renews its keys by itself
     * @throws IOException a file cannot be read or used; the message names the file and the line
     */
    public TlsContext(TlsFiles files, TlsProvider provider, long handshakeMillis, long recordLimit) throws IOException {
        this(
                files,
                provider,
                handshakeMillis,
                provider.resolve() == TlsProvider.BORINGSSL ? recordLimit : Long.MAX_VALUE,
                new ScheduledThreadPoolExecutor(1, task -> {
                    Thread made = new Thread(task, "relay-tls");
                    made.setDaemon(true);
                    return made;
                }));
        // Warns every day, since a relay may run without a reload until its certificate expires.
        ((ScheduledExecutorService) thread)
                .scheduleAtFixedRate(() -> warnings().forEach(LOG::warn), 1, 1, TimeUnit.DAYS);
    }

    /** A context whose record limit applies to any provider. {@link #close} shuts {@code thread} down. */
    public TlsContext(
            TlsFiles files, TlsProvider provider, long handshakeMillis, long recordLimit, ExecutorService thread)
            throws IOException {
        this.provider = provider;
        this.handshakeMillis = handshakeMillis;
        this.recordLimit = recordLimit;
        this.thread = thread;
        current = loadAndWarn(files);
    }

    /**
     * Returns the {@link #warnings} that a relay with these files would have.
     *
     * @throws IOException a file cannot be read or used; the message names the file and the line
     */
    public static List<String> check(TlsFiles files, TlsProvider provider) throws IOException {
        Loaded loaded = load(files, provider);
        ReferenceCountUtil.release(loaded.context());
        return loaded.warnings();
    }

    /**
     * Loads certificate, key and authorities for later handshakes, and logs warnings. A failure changes nothing.
     *
     * @throws IOException a file cannot be read or used; the message names the file and the line
     */
    public void reload(TlsFiles from) throws IOException {
        Loaded unused = loadAndWarn(from);
        synchronized (this) {
            if (!closed) {
                Loaded old = current;
                current = unused;
                unused = old;
            }
        }
        ReferenceCountUtil.release(unused.context());
    }

    private Loaded loadAndWarn(TlsFiles from) throws IOException {
        Loaded loaded = load(from, provider);
        loaded.warnings().forEach(LOG::warn);
        return loaded;
    }

    private static Loaded load(TlsFiles from, TlsProvider provider) throws IOException {
        List<X509Certificate> chain = PemFiles.certificates(from.certificate());
        PrivateKey key = PemFiles.privateKey(from.key(), chain.get(0).getPublicKey());
        boolean isBoringSsl = provider.resolve() == TlsProvider.BORINGSSL;
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(isBoringSsl ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols("TLSv1.3");
        List<X509Certificate> authorities = from.clients() == null ? List.of() : PemFiles.certificates(from.clients());
        if (from.clients() != null) {
            builder =
                    isBoringSsl ? builder.trustManager(ClientTrust.in(authorities)) : builder.trustManager(authorities);
            builder.clientAuth(from.clientsOptional() ? ClientAuth.OPTIONAL : ClientAuth.REQUIRE);
        }
        try {
            return new Loaded(
                    from, builder.build(), chain, authorities, Optional.ofNullable(TextFile.wide(from.key())));
        } catch (SSLException | IllegalArgumentException e) {
            throw new IOException(
                    from.certificate() + " and " + from.key() + " cannot be used by " + provider.text() + ": "
                            + e.getMessage() + "; if it does not know this type of key, use EC of P-256, which all"
                            + " know, or --tls-provider jdk",
                    e);
        }
    }

    /** Warnings about dates of certificates, and about a key file that other users can read; a line each. */
    public synchronized List<String> warnings() {
        return current.warnings();
    }

    /** Milliseconds until a certificate or authority expires; below 0 if one has expired or is not yet valid. */
    public synchronized long validMillis() {
        List<X509Certificate> all = new ArrayList<>(current.chain());
        all.addAll(current.authorities());
        return CertificateDates.millisLeft(all, System.currentTimeMillis());
    }

    /** A text about the provider, the relay's certificate and the clients' certificates. */
    public synchronized String describe() {
        TlsFiles files = current.files();
        String clients = files.clients() == null
                ? "clients show none"
                : (files.clientsOptional() ? "clients may show one of " : "clients must show one of ")
                        + files.clients();
        X509Certificate certificate = current.chain().get(0);
        return "TLS 1.3 by " + provider.text() + "; certificate "
                + certificate.getSubjectX500Principal().getName() + " until "
                + certificate.getNotAfter().toInstant() + "; " + clients;
    }

    /** Whether the library can unwrap a record in parts, into buffers that are shorter than the record. */
    boolean readsInParts() {
        return provider.resolve() == TlsProvider.BORINGSSL;
    }

    /**
     * Returns Netty's own handler, for the admin port. The handler has no limit for unsent bytes, but the admin port's
     * writes are few and bounded. Handshakes run on the channel's own loop, and ask for no certificate.
     */
    public SslHandler newAdminHandler(ByteBufAllocator allocator) {
        SslHandler handler = newHandler(allocator);
        handler.engine().setNeedClientAuth(false);
        return handler;
    }

    /** Returns a handler with a new engine, which unwraps many records in one call. The caller releases the engine. */
    synchronized SslHandler newHandler(ByteBufAllocator allocator) {
        if (closed) {
            throw new IllegalStateException("the relay has ended");
        }
        return current.context().newHandler(allocator);
    }

    /**
     * Adds TLS to a channel that is not registered yet. The caller adds the connection's handler next.
     *
     * @param pool the part of the budget for all memory of TLS
     * @param reader provides the memory that the connection's input is decrypted into
     * @return false if the memory for TLS is used up
     */
    public boolean secure(Channel channel, Pool pool, SocketReads.Reader reader, Watch watch) {
        int bytes = TlsRecords.bytesOfConnection(readsInParts());
        if (!pool.tryTake(bytes)) {
            return false;
        }
        TlsHandler handler = pool.allocate(bytes, () -> new TlsHandler(this, channel, pool, bytes, reader, watch));
        present.add(channel);
        channel.config().setRecvByteBufAllocator(new SocketReads(handler.in, TlsInput.READS));
        channel.pipeline().addLast(new TlsHandshake(this, handler, watch), handler);
        return true;
    }

    /** Closes the channels that still have memory for TLS, and waits for up to 2 s until they are closed. */
    public void closeConnections() {
        present.forEach(Channel::close);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (!present.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Ends the thread, and releases certificate and key. All connections must be closed before. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                LOG.warn("the TLS thread does not end: a handshake is still running");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            ReferenceCountUtil.release(current.context());
            closed = true;
        }
    }

    /** Counts events of connections, on their channels' loops. */
    public interface Watch {
        /** A handshake is done, and the connection is open. */
        void opened();

        /**
         * A handshake has failed.
         *
         * @param fault the relay's own fault that caused the failure; empty if the client caused it
         */
        void ended(Channel channel, CloseReason reason, String text, Optional<Throwable> fault);

        /** A peer has closed its connection before it sent a byte. */
        void probed(Channel channel);

        /** A client does not speak TLS. Called before {@link #ended}. */
        void plain();

        /** More bytes wait to be sent than the small output buffer holds, and there is no memory for a large one. */
        void small();
    }
}
