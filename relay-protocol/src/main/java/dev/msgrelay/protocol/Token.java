package dev.msgrelay.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * A secret in {@link HelloFrame} that proves a client's identity. The relay keeps only its SHA-256. Immutable; {@link
 * #text} alone shows the secret.
 */
public final class Token {
    /** The token of a client that sends none. */
    public static final Token NONE = new Token("");

    /**
     * Random bits of a token from {@link #random}: too many to guess, so one SHA-256 protects it as well as many rounds
     * would.
     */
    public static final int RANDOM_BITS = 256;

    private final String text;

    private Token(String text) {
        this.text = text;
    }

    /** A new token, from the system's best random numbers: 43 letters, digits, {@code -} and {@code _}. */
    public static Token random() {
        byte[] bits = new byte[RANDOM_BITS / Byte.SIZE];
        new SecureRandom().nextBytes(bits);
        return new Token(Base64.getUrlEncoder().withoutPadding().encodeToString(bits));
    }

    /**
     * A token from its text.
     *
     * @throws IllegalArgumentException the text is empty, longer than {@link Protocol#MAX_NAME} bytes of UTF-8, or has
     *     control characters; the message does not show it
     */
    public static Token of(String text) {
        int length = Fields.utf8(ControlFrames.HELLO, "token", text).length;
        Fields.within(ControlFrames.HELLO, "length of token", length, 1, Protocol.MAX_NAME);
        return new Token(text);
    }

    public boolean isNone() {
        return text.isEmpty();
    }

    /** The secret: for the wire, and for the file that keeps it. */
    public String text() {
        return text;
    }

    /** The hash that a relay keeps of the token: 32 bytes. */
    public byte[] sha256() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(utf8());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    byte[] utf8() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Token that && MessageDigest.isEqual(utf8(), that.utf8());
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Whether there is a token; never the secret. */
    @Override
    public String toString() {
        return isNone() ? "none" : "not shown";
    }
}
