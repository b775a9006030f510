package dev.msgrelay.loadgen.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;

/** The secret that agent and controller share. It is never sent, and never printed but where it is generated. */
public final class Token {
    /** The environment variable that may hold it. */
    public static final String VARIABLE = "RELAY_AGENT_TOKEN";

    /** Who listens to a greeting may try guesses against it at home: a short one would not last. */
    static final int MIN_LENGTH = 16;

    static final int MAX_LENGTH = 256;
    private static final int GENERATED_BYTES = 24;
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private final String text;

    private Token(String text) {
        this.text = text;
    }

    /**
     * @param source for the message: where the text comes from
     * @throws IOException it is too short, too long, or not made of printable ASCII without spaces
     */
    public static Token of(String text, String source) throws IOException {
        String token = text.strip();
        if (token.length() < MIN_LENGTH || token.length() > MAX_LENGTH) {
            throw new IOException("the token in " + source + " has " + token.length() + " characters, not " + MIN_LENGTH
                    + ".." + MAX_LENGTH);
        }
        if (!token.matches("[\\x21-\\x7e]+")) {
            throw new IOException("the token in " + source + " has characters that are not printable ASCII");
        }
        return new Token(token);
    }

    /**
     * Reads it from a file that only its owner may read.
     *
     * @throws IOException naming the file and what is wrong with it
     */
    public static Token fromFile(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("there is no token file " + file);
        }
        try {
            return read(file);
        } catch (AccessDeniedException e) {
            // Its message is the path and no more.
            throw new IOException("the token file " + file + " cannot be read: permission denied", e);
        }
    }

    private static Token read(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> others = EnumSet.copyOf(OTHERS);
            others.retainAll(Files.getPosixFilePermissions(file));
            if (!others.isEmpty()) {
                throw new IOException("others may read or write the token file " + file + ": chmod 600 it");
            }
        }
        if (Files.size(file) > 2 * MAX_LENGTH) {
            throw new IOException("the token file " + file + " has " + Files.size(file) + " bytes: it holds no token");
        }
        return of(Files.readString(file, StandardCharsets.ISO_8859_1), file.toString());
    }

    /** A new one that nobody guesses: 192 random bits, 32 characters. */
    public static Token generate() {
        byte[] random = new byte[GENERATED_BYTES];
        new SecureRandom().nextBytes(random);
        return new Token(Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    }

    byte[] key() {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The secret itself, for the one who has to be told it. */
    public String secret() {
        return text;
    }

    /** Says nothing, so that no log has it by accident. */
    @Override
    public String toString() {
        return "token";
    }
}
