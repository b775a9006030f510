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
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Certificate and key of a relay's TLS, which a reload replaces, and the thread of handshakes. Any thread. */
public final class TlsContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final String PROTOCOL = "TLSv1.3";
    private static final String KEYS =
            "if it does not know this type of key, use EC of P-256, which all know, or --tls-provider jdk";

    private final TlsProvider provider;
    final long handshakeMillis;
    final long recordLimit;
    // Each connection has at most one step of its handshake in the queue.
    final ExecutorService thread;
    // Channels with TLS memory: within their handshake, open, or at their end.
    private final Set<Channel> present = ConcurrentHashMap.newKeySet();
    // Owned by the handshakes' thread: a handshake brings no data, but its library asks for an output buffer.
    private final ByteBuffer nothing = ByteBuffer.allocateDirect(TlsRecords.SMALL);

    // Guarded by this object's lock.
    private Loaded current;
    private boolean closed;

    /** @param wide a warning about a key that other users can read; empty: none can */
    private record Loaded(
            TlsFiles files,
            SslContext context,
            List<X509Certificate> chain,
            List<X509Certificate> authorities,
            Optional<String> wide) {
        void release() {
            ReferenceCountUtil.release(context);
        }

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
     * @param handshakeMillis time within which a handshake must be complete
     * @param recordLimit records that one key may protect; without effect for the JDK, which renews its keys by itself
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
        // Daily: the relay may run for years without a reload.
        ((ScheduledExecutorService) thread)
                .scheduleAtFixedRate(() -> warnings().forEach(LOG::warn), 1, 1, TimeUnit.DAYS);
    }

    /** A context with a record limit for any provider, and with the caller's thread, which {@link #close} ends. */
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
     * Returns the {@link #warnings} of a relay with these files.
     *
     * @throws IOException a file cannot be read or used; the message names the file and the line
     */
    public static List<String> check(TlsFiles files, TlsProvider provider) throws IOException {
        Loaded loaded = load(files, provider);
        loaded.release();
        return loaded.warnings();
    }

    /**
     * Loads certificate, key and authorities for later handshakes, all or nothing, and logs warnings.
     *
     * @throws IOException a file cannot be read or used; the message names the file and the line
     */
    public void reload(TlsFiles from) throws IOException {
        use(loadAndWarn(from)).release();
    }

    /** Returns the files that are out of use now: the former ones, or the new ones of a relay that has ended. */
    private synchronized Loaded use(Loaded loaded) {
        if (closed) {
            return loaded;
        }
        Loaded old = current;
        current = loaded;
        return old;
    }

    private Loaded loadAndWarn(TlsFiles from) throws IOException {
        Loaded loaded = load(from, provider);
        loaded.warnings().forEach(LOG::warn);
        return loaded;
    }

    private static Loaded load(TlsFiles from, TlsProvider provider) throws IOException {
        List<X509Certificate> chain = PemFiles.certificates(from.certificate());
        PrivateKey key = PemFiles.privateKey(from.key(), chain.get(0).getPublicKey());
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(provider.resolve() == TlsProvider.BORINGSSL ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols(PROTOCOL);
        List<X509Certificate> authorities = from.clients() == null ? List.of() : PemFiles.certificates(from.clients());
        if (from.clients() != null) {
            builder.trustManager(authorities)
                    .clientAuth(from.clientsOptional() ? ClientAuth.OPTIONAL : ClientAuth.REQUIRE);
        }
        try {
            return new Loaded(
                    from, builder.build(), chain, authorities, Optional.ofNullable(TextFile.wide(from.key())));
        } catch (SSLException | IllegalArgumentException e) {
            throw new IOException(
                    from.certificate() + " and " + from.key() + " cannot be used by " + provider.text() + ": "
                            + e.getMessage() + "; " + KEYS,
                    e);
        }
    }

    /** Warnings about the dates of certificates, and about a key that other users can read; a line each. */
    public synchronized List<String> warnings() {
        return current.warnings();
    }

    /** Milliseconds until the first certificate or authority expires; below 0: one has expired, or is not yet valid. */
    public synchronized long validMillis() {
        List<X509Certificate> all = new ArrayList<>(current.chain());
        all.addAll(current.authorities());
        return CertificateDates.millisLeft(all, System.currentTimeMillis());
    }

    /** The provider and why, the relay's certificate, and the certificate asked of clients, for people. */
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

    /** Whether the library can return a record in parts; otherwise the output needs room for a whole record. */
    boolean readsInParts() {
        return provider.resolve() == TlsProvider.BORINGSSL;
    }

    /** A new engine, that of Netty's handler: one call moves many records. The caller releases it. */
    SSLEngine newEngine(ByteBufAllocator allocator) {
        return newHandler(allocator).engine();
    }

    /**
     * Netty's own handler, for the admin port, whose writes are few and bounded: the handler queues unsent bytes. Its
     * handshakes run on the channel's own loop. It asks clients for no certificate.
     */
    public SslHandler newAdminHandler(ByteBufAllocator allocator) {
        SslHandler handler = newHandler(allocator);
        handler.engine().setNeedClientAuth(false);
        return handler;
    }

    private synchronized SslHandler newHandler(ByteBufAllocator allocator) {
        if (closed) {
            throw new IllegalStateException("the relay has ended");
        }
        return current.context().newHandler(allocator);
    }

    /** An empty buffer for the data of a handshake, which has none. Handshakes' thread only. */
    ByteBuffer nothing() {
        return nothing.clear();
    }

    /**
     * Adds TLS to a channel that is not registered yet; the caller adds the connection's handler next.
     *
     * @param pool the part of the budget that all its memory comes from
     * @param reader names the memory for the connection's bytes
     * @return false where the memory is used up
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

    void remove(Channel channel) {
        present.remove(channel);
    }

    /** Closes the channels that still have TLS memory, most of them within a handshake; waits for that at most 2 s. */
    public void closeConnections() {
        present.forEach(Channel::close);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (!present.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Ends the thread, and releases the files. No connection may be open any more. */
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
            current.release();
            closed = true;
        }
    }

    /** Gets events to count, on the channel's loop. */
    public interface Watch {
        /** A handshake is done, and the connection is open. */
        void opened();

        /** A connection has ended before it was open, perhaps because of a fault of the relay's own. */
        void ended(Channel channel, CloseReason reason, String text, Optional<Throwable> fault);

        /** A connection has ended before its first byte, by its peer. */
        void probed(Channel channel);

        /** A client does not speak TLS. Called before {@link #ended}. */
        void plain();

        /** A write was larger than the small buffer, and there was no memory for a large one. */
        void small();
    }
}
