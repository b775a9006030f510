package dev.msgrelay.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * What a client proves in {@link HelloFrame} that it is who it is: a secret that it shares with the relay, which keeps its
 * SHA-256 only. Immutable; no text of it shows the secret but {@link #text}.
 */
public final class Token {
    /** Of a client that says none. */
    public static final Token NONE = new Token("");

    /** Bits that {@link #random} draws: too many to be guessed, so that one SHA-256 protects it as well as many would. */
    public static final int RANDOM_BITS = 256;

    private final String text;

    private Token(String text) {
        this.text = text;
    }

    /** A new one, of the system's best random numbers: 43 letters, digits, {@code -} and {@code _}. */
    public static Token random() {
        byte[] bits = new byte[RANDOM_BITS / Byte.SIZE];
        new SecureRandom().nextBytes(bits);
        return new Token(Base64.getUrlEncoder().withoutPadding().encodeToString(bits));
    }

    /**
     * A token that somebody was given.
     *
     * @throws IllegalArgumentException it is empty, longer than {@link Protocol#MAX_NAME} bytes of UTF-8, or holds control
     *     characters; the message does not show it
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

    /** What a relay keeps of it: 32 bytes. */
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

    /** Whether there is one. */
    @Override
    public String toString() {
        return isNone() ? "none" : "not shown";
    }
}
