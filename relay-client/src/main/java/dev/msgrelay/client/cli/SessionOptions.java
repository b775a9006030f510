package dev.msgrelay.client.cli;

import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.TextFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of a client that sends HELLO or reconnects: the same in every command. */
final class SessionOptions {
    /** Most bytes of the file: much longer than any token. */
    private static final int MOST_TOKEN_FILE = 4096;

    static final String TOKEN_FILE_WORDS =
            "The token in this file proves the client's identity, for a relay that requires it. Default: the token file"
                    + " of --context, else the token itself in RELAY_TOKEN of the environment.";

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "The name of this client, in the relay's log and on its page. A subscriber's name keeps no place in"
                            + " the stream: --position does.")
    private String name = "";

    @Option(
            names = "--reconnect",
            paramLabel = "N",
            description = "Make a connection again after a failure: N rounds through the endpoints, with growing waits;"
                    + " endless; none. Default: a lost connection endlessly, a first one that fails not at all.")
    private ReconnectPolicy reconnect;

    @Option(names = "--token-file", paramLabel = "FILE", description = TOKEN_FILE_WORDS)
    private Path tokenFile;

    @Option(
            names = "--plain",
            description =
                    "Send no HELLO, for a relay that does not know HELLO: the client cannot notice missed messages, nor learn"
                            + " what the relay has read.")
    private boolean plain;

    /** The client's name; empty: none was given. */
    String name() {
        return name;
    }

    /** A random name: two runs at the same time must not have the same one. */
    static String madeUpName(String command) {
        return command + "-" + Long.toHexString(new SecureRandom().nextLong());
    }

    boolean isPlain() {
        return plain;
    }

    /**
     * The token of this client; none: no token is given, or HELLO is not sent.
     *
     * @throws IOException the file cannot be read, or holds no token; its content is not shown
     */
    Token token(Context context) throws IOException {
        return plain && tokenFile == null ? Token.NONE : token(tokenFile, context);
    }

    /** The file that the token is read from for each connection; empty: there is none. */
    Optional<Path> tokenFile(Context context) {
        return plain && tokenFile == null ? Optional.empty() : tokenFile(tokenFile, context);
    }

    private static Optional<Path> tokenFile(Path given, Context context) {
        return Optional.ofNullable(given != null ? given : context.path(Context.TOKEN_FILE));
    }

    /**
     * The token of {@code tokenFile}, else of the context, else of the environment. Fails as {@link #token(Context)}.
     */
    static Token token(Path tokenFile, Context context) throws IOException {
        Optional<Path> named = tokenFile(tokenFile, context);
        if (named.isEmpty()) {
            String text = System.getenv().getOrDefault("RELAY_TOKEN", "");
            return text.isBlank() ? Token.NONE : token("RELAY_TOKEN", text);
        }
        Path file = named.get();
        try {
            return token(SecretText.file(file), readTokenFile(file));
            // The causes are left out: their messages have the file's name, which may be the token.
        } catch (NoSuchFileException e) {
            throw new IOException("cannot read the token: no file " + SecretText.tokenFile(file));
        } catch (AccessDeniedException e) {
            throw new IOException("cannot read the token: " + SecretText.file(file) + ": permission denied");
        } catch (FileSystemException e) {
            throw new IOException("cannot read the token: " + SecretText.tokenFile(file)
                    + (e.getReason() == null ? "" : ": " + e.getReason()));
        }
    }

    /**
     * The text of a token's file. Prints a warning if every user of this host can read it.
     *
     * @throws FileSystemException the file cannot be read
     * @throws IOException the file is no text; the message does not show it
     */
    static String readTokenFile(Path file) throws IOException {
        try {
            String text = TextFile.read(file, MOST_TOKEN_FILE).strip();
            if (text.isEmpty()) {
                throw new IOException("it is empty");
            }
            warnIfWide(file);
            return text;
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(SecretText.file(file) + " holds no token: " + e.getMessage());
        }
    }

    /** Prints a warning if every user of this host can read the file, which holds a secret. */
    static void warnIfWide(Path file) throws IOException {
        String wide = TextFile.wide(file);
        if (wide != null) {
            System.err.println("relay-client: WARN " + wide);
        }
    }

    private static Token token(String where, String text) throws IOException {
        try {
            return Token.of(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IOException(where + " holds no token: " + e.getMessage(), e);
        }
    }

    ReconnectPolicy reconnect() {
        return reconnect == null ? ReconnectPolicy.endless() : reconnect;
    }

    FirstConnection firstConnection(List<Endpoint> endpoints) {
        return new FirstConnection(endpoints.size(), reconnect != null);
    }

    /**
     * @throws IllegalArgumentException the text is neither a number of rounds, nor {@code none}, nor {@code endless}
     */
    static ReconnectPolicy rounds(String text) {
        try {
            return switch (text) {
                case "none" -> ReconnectPolicy.none();
                case "endless" -> ReconnectPolicy.endless();
                default -> ReconnectPolicy.rounds(Integer.parseInt(text));
            };
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is neither a number from 0, nor endless, nor none", e);
        }
    }
}
