package dev.msgrelay.server.access;

import dev.msgrelay.protocol.Token;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The SHA-256 of a token, which the relay keeps instead of the token. Compared in constant time. Immutable. */
public final class TokenHash {
    private static final String PREFIX = "sha256:";
    private static final Pattern TEXT = Pattern.compile(PREFIX + "\\p{XDigit}{64}");

    private final byte[] sha256;

    private TokenHash(byte[] sha256) {
        this.sha256 = sha256;
    }

    public static TokenHash of(Token token) {
        return new TokenHash(token.sha256());
    }

    /**
     * Parses the form of {@link #text}.
     *
     * @throws IllegalArgumentException the text has another form; the message does not show it, since it may be a token
     */
    public static TokenHash parse(String text) {
        if (!TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException("a token is kept as " + PREFIX
                    + " and 64 hexadecimal digits, which 'relay-server token' prints;"
                    + " this is something else, and not shown");
        }
        return new TokenHash(HexFormat.of().parseHex(text.substring(PREFIX.length())));
    }

    /** The form used in files: {@code sha256:} and 64 hexadecimal digits. */
    public String text() {
        return PREFIX + HexFormat.of().formatHex(sha256);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TokenHash that && MessageDigest.isEqual(sha256, that.sha256);
    }

    /** The first four bytes of the hash, which reveal nothing about the token. */
    @Override
    public int hashCode() {
        return sha256[0] << 24 | (sha256[1] & 0xFF) << 16 | (sha256[2] & 0xFF) << 8 | sha256[3] & 0xFF;
    }

    @Override
    public String toString() {
        return text().substring(0, PREFIX.length() + 8) + "...";
    }
}
