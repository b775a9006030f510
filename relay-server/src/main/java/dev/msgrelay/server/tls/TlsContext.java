package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.net.CertificateDates;
import dev.msgrelay.protocol.net.PemFiles;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all TLS connections of a relay share: certificate and key, which may be loaded anew while they are in use, and the
 * thread on which handshakes are made. Any thread.
 */
public final class TlsContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final String PROTOCOL = "TLSv1.3";
    private static final String KEYS =
            "if it does not know this type of key, use EC of P-256, which all know, or --tls-provider jdk";

    private final TlsProvider provider;
    private final long handshakeMillis;
    private final long recordLimit;
    private final ExecutorService thread;
    // Those that hold memory: within their handshake, open, or at their end.
    private final Set<Channel> present = ConcurrentHashMap.newKeySet();
    // Of the thread: a handshake brings no data, but its library wants to be given room.
    private final ByteBuffer nothing = ByteBuffer.allocateDirect(TlsRecords.SMALL);

    // Null: the thread is the caller's.
    private Future<?> daily;

    // Guarded by this.
    private TlsFiles files;
    private Loaded current;
    private boolean closed;

    /** What the files gave. */
    private record Loaded(SslContext context, List<X509Certificate> chain, List<X509Certificate> authorities) {
        void release() {
            ReferenceCountUtil.release(context);
        }
    }

    /**
     * Loads the files.
     *
     * @param handshakeMillis within which a handshake has to be complete
     * @param recordLimit that one key may protect; the JDK renews its keys by itself
     * @throws IOException a file cannot be read or used; names it and the line
     */
    public TlsContext(TlsFiles files, TlsProvider provider, long handshakeMillis, long recordLimit) throws IOException {
        this(
                files,
                provider,
                handshakeMillis,
                provider.resolve() == TlsProvider.BORINGSSL ? recordLimit : Long.MAX_VALUE,
                Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread made = new Thread(task, "relay-tls");
                    made.setDaemon(true);
                    return made;
                }));
        // Nobody may start or reload it for years.
        daily = ((ScheduledExecutorService) thread)
                .scheduleAtFixedRate(() -> warnings().forEach(LOG::warn), 1, 1, TimeUnit.DAYS);
    }

    /** Likewise, with a limit whatever the provider, and a thread of the caller's, which this one ends. */
    public TlsContext(
            TlsFiles files, TlsProvider provider, long handshakeMillis, long recordLimit, ExecutorService thread)
            throws IOException {
        this.provider = provider;
        this.handshakeMillis = handshakeMillis;
        this.recordLimit = recordLimit;
        this.thread = thread;
        reload(files);
    }

    /**
     * Only looks whether the files can be used.
     *
     * @return what is wrong with the dates of certificates, or will soon be; a line each
     * @throws IOException a file cannot be read or used; names it and the line
     */
    public static List<String> check(TlsFiles files, TlsProvider provider) throws IOException {
        Loaded loaded = load(files, provider);
        loaded.release();
        return warnings(files, loaded);
    }

    /**
     * Loads certificate, key and authorities anew, for the handshakes that come: all of it or nothing. Connections that are
     * there keep theirs. What is wrong with the dates of any of them is logged.
     *
     * @throws IOException a file cannot be read or used; names it and the line. What was in force still is
     */
    public void reload(TlsFiles from) throws IOException {
        Loaded unused = load(from, provider);
        warnings(from, unused).forEach(LOG::warn);
        synchronized (this) {
            // A relay that has ended meanwhile has given back what it had.
            if (!closed) {
                Loaded old = current;
                files = from;
                current = unused;
                unused = old;
            }
        }
        if (unused != null) {
            unused.release();
        }
    }

    private static Loaded load(TlsFiles from, TlsProvider provider) throws IOException {
        List<X509Certificate> chain = PemFiles.certificates(from.certificate());
        PrivateKey key = PemFiles.privateKey(from.key(), chain.get(0).getPublicKey());
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(provider.netty())
                .protocols(PROTOCOL);
        List<X509Certificate> authorities = from.clients() == null ? List.of() : PemFiles.certificates(from.clients());
        if (from.clients() != null) {
            builder.trustManager(authorities)
                    .clientAuth(from.clientsOptional() ? ClientAuth.OPTIONAL : ClientAuth.REQUIRE);
        }
        try {
            return new Loaded(builder.build(), chain, authorities);
        } catch (SSLException | IllegalArgumentException e) {
            throw new IOException(
                    from.certificate() + " and " + from.key() + " cannot be used by " + provider.text() + ": "
                            + e.getMessage() + "; " + KEYS,
                    e);
        }
    }

    private static List<String> warnings(TlsFiles files, Loaded loaded) {
        long now = System.currentTimeMillis();
        List<String> lines = new ArrayList<>(CertificateDates.warnings(files.certificate(), loaded.chain(), now));
        if (files.clients() != null) {
            lines.addAll(CertificateDates.warnings(files.clients(), loaded.authorities(), now));
        }
        return lines;
    }

    /** What is wrong with the dates of certificates and authorities, or will soon be; a line each. */
    public synchronized List<String> warnings() {
        return warnings(files, current);
    }

    /** For how long certificates and authorities hold; below 0: one of them has expired, or is not yet valid. */
    public synchronized long validMillis() {
        List<X509Certificate> all = new ArrayList<>(current.chain());
        all.addAll(current.authorities());
        return CertificateDates.millisLeft(all, System.currentTimeMillis());
    }

    /** Whose TLS it is and why, what certificate it shows, and what it asks of clients, for people. */
    public synchronized String text() {
        String clients = files.clients() == null
                ? "clients show none"
                : (files.clientsOptional() ? "clients may show one of " : "clients must show one of ")
                        + files.clients();
        X509Certificate certificate = current.chain().get(0);
        return "TLS 1.3 by " + provider.text() + "; certificate "
                + certificate.getSubjectX500Principal().getName() + " until "
                + certificate.getNotAfter().toInstant() + "; " + clients;
    }

    long handshakeMillis() {
        return handshakeMillis;
    }

    /** How many records a connection may write. */
    long recordLimit() {
        return recordLimit;
    }

    /** Whether what is read of a record may stay with the library; otherwise there has to be room for all of it. */
    boolean readsInParts() {
        return provider.resolve() == TlsProvider.BORINGSSL;
    }

    /** One for a new connection; the caller releases it. */
    SSLEngine newEngine(ByteBufAllocator allocator) {
        // The one that a handler of Netty's own would have: with one call it writes, or reads, many records.
        return newHandler(allocator).engine();
    }

    /**
     * Netty's own, for a port that is no part of the stream: its writes have to be few and bounded, since it queues what is
     * not sent yet, and its handshakes are made on the channel's own loop. It asks no client for a certificate.
     *
     * @throws IllegalStateException the relay has ended
     */
    public SslHandler newAdminHandler(ByteBufAllocator allocator) {
        SslHandler handler = newHandler(allocator);
        handler.engine().setNeedClientAuth(false);
        return handler;
    }

    private SslHandler newHandler(ByteBufAllocator allocator) {
        SslContext now;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the relay has ended");
            }
            now = current.context();
            ReferenceCountUtil.retain(now);
        }
        try {
            return now.newHandler(allocator);
        } finally {
            ReferenceCountUtil.release(now);
        }
    }

    /** Room for what a handshake does not bring; on the thread only. */
    ByteBuffer nothing() {
        return nothing.clear();
    }

    /** Has the thread do a step of a handshake; each connection has one at most in its line. */
    void execute(Runnable step) {
        thread.execute(step);
    }

    void came(Channel channel) {
        present.add(channel);
    }

    void left(Channel channel) {
        present.remove(channel);
    }

    /** Closes whoever is still there, within a handshake mostly, and waits for that, for a bounded time. */
    public void closeConnections() {
        present.forEach(Channel::close);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (!present.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Ends the thread; no connection may be there any more. */
    @Override
    public void close() {
        if (daily != null) {
            daily.cancel(false);
        }
        thread.shutdown();
        try {
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                LOG.warn("a handshake does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            current.release();
            closed = true;
        }
    }
}
