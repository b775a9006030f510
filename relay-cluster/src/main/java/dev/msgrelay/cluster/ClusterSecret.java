package dev.msgrelay.cluster;

import dev.msgrelay.protocol.text.TextFile;
import io.aeron.security.Authenticator;
import io.aeron.security.AuthenticatorSupplier;
import io.aeron.security.CredentialsSupplier;
import io.aeron.security.DefaultAuthenticatorSupplier;
import io.aeron.security.NullCredentialsSupplier;
import io.aeron.security.SessionProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.agrona.collections.LongHashSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secret of the cluster's nodes. Without it a client cannot add entries to the log, nor read a node's archive.
 * Nodes send a digest of the secret with the cluster's name, never the secret itself. Immutable.
 */
final class ClusterSecret {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final int LEAST_BYTES = 16;
    private static final int MOST_BYTES = 4_096;
    private static final byte[] NOTHING = {};

    // Empty: there is no secret, and every client is accepted.
    private final Optional<byte[]> shown;

    private ClusterSecret(Optional<byte[]> shown) {
        this.shown = shown;
    }

    /** @throws IOException the file cannot be used; the message has its name, and nothing of its content */
    static ClusterSecret of(ClusterFile cluster) throws IOException {
        return new ClusterSecret(
                cluster.secretFile().isPresent()
                        ? Optional.of(digest(read(cluster.secretFile().get()), cluster.name()))
                        : Optional.empty());
    }

    /** The secret without white space at its beginning and end. */
    private static byte[] read(Path file) throws IOException {
        byte[] all;
        try {
            all = TextFile.bytes(file, MOST_BYTES);
        } catch (NoSuchFileException e) {
            throw new IOException("cluster.secret-file " + file + ": there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException("cluster.secret-file " + file + ": it may not be read", e);
        } catch (IOException e) {
            throw new IOException("cluster.secret-file " + file + " cannot be read: " + e.getMessage(), e);
        }
        int from = 0;
        int to = all.length;
        while (from < to && isSpace(all[from])) {
            from++;
        }
        while (to > from && isSpace(all[to - 1])) {
            to--;
        }
        if (to - from < LEAST_BYTES) {
            throw new IOException("cluster.secret-file " + file + " has " + (to - from)
                    + " bytes, and a secret has " + LEAST_BYTES + " to " + MOST_BYTES
                    + ": make one with openssl rand -hex 32");
        }
        return Arrays.copyOfRange(all, from, to);
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\t' || b == '\r' || b == '\n';
    }

    /** Logs a warning if every user of this machine can read the file. */
    static void warnIfOpen(ClusterFile cluster) throws IOException {
        if (cluster.secretFile().isEmpty()) {
            return;
        }
        Path file = cluster.secretFile().get();
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null && view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ)) {
            LOG.warn("cluster.secret-file {} can be read by everybody on this machine: chmod 600", file);
        }
    }

    private static byte[] digest(byte[] secret, String cluster) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return mac.doFinal(("relay-cluster " + cluster).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each JDK has HmacSHA256", e);
        } finally {
            Arrays.fill(secret, (byte) 0);
        }
    }

    /** Credentials of a node, for other nodes and for its own archive. */
    CredentialsSupplier credentials() {
        return shown.<CredentialsSupplier>map(Credentials::new).orElseGet(NullCredentialsSupplier::new);
    }

    /** The check of other nodes' credentials. */
    AuthenticatorSupplier authenticator() {
        return shown.<AuthenticatorSupplier>map(digest -> () -> new Gate(digest))
                .orElseGet(DefaultAuthenticatorSupplier::new);
    }

    private record Credentials(byte[] shown) implements CredentialsSupplier {
        @Override
        public byte[] encodedCredentials() {
            return shown.clone();
        }

        @Override
        public byte[] onChallenge(byte[] challenge) {
            return NOTHING;
        }
    }

    /** Accepts sessions with the right digest. On the thread of the consensus, or of the archive. */
    private static final class Gate implements Authenticator {
        /** Number of each session that copies a log: Aeron numbers it only after it is accepted. */
        private static final long NO_NUMBER = -1;

        /** Time after wrong credentials without a number, in which all sessions without a number are refused. */
        private static final long CLOSED_MILLIS = TimeUnit.SECONDS.toMillis(60);

        private final byte[] shown;
        // Sessions with the right digest that are not accepted yet. Strangers cannot make it grow.
        private final LongHashSet right = new LongHashSet();
        private boolean wrong;
        private long wrongMillis;

        Gate(byte[] shown) {
            this.shown = shown;
        }

        @Override
        public void onConnectRequest(long session, byte[] credentials, long nowMillis) {
            if (MessageDigest.isEqual(credentials, shown)) {
                right.add(session);
                return;
            }
            right.remove(session);
            if (session == NO_NUMBER) {
                wrong = true;
                wrongMillis = nowMillis;
            }
        }

        @Override
        public void onChallengeResponse(long session, byte[] credentials, long nowMillis) {
            right.remove(session);
        }

        @Override
        public void onConnectedSession(SessionProxy session, long nowMillis) {
            long number = session.sessionId();
            // Sessions without a number cannot be told apart. While one of them may be a stranger's, all are refused.
            boolean doubtful = number == NO_NUMBER && wrong && nowMillis - wrongMillis < CLOSED_MILLIS;
            if (!right.contains(number) || doubtful) {
                session.reject();
            } else if (session.authenticate(NOTHING) && number != NO_NUMBER) {
                right.remove(number);
            }
        }

        @Override
        public void onChallengedSession(SessionProxy session, long nowMillis) {
            session.reject();
        }
    }
}
