package dev.msgrelay.client;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.TextFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Where a client's token comes from; asked for each connection. Immutable, as far as the program's function is. */
final class TokenSource {
    static final TokenSource NONE = of(Token.NONE);

    /** Most bytes of the file: much longer than any token. */
    private static final int MOST_BYTES = 4096;

    private final Source source;
    private final boolean mayChange;

    @FunctionalInterface
    private interface Source {
        Token get() throws IOException;
    }

    private TokenSource(Source source, boolean mayChange) {
        this.source = source;
        this.mayChange = mayChange;
    }

    static TokenSource of(Token token) {
        return new TokenSource(() -> token, false);
    }

    static TokenSource file(Path file) {
        Objects.requireNonNull(file, "file");
        return new TokenSource(() -> read(file), true);
    }

    static TokenSource call(Callable<String> function) {
        Objects.requireNonNull(function, "function");
        return new TokenSource(() -> ask(function), true);
    }

    /** Whether there is no token, now and later. */
    boolean isNone() {
        return this == NONE;
    }

    /** Whether the next connection may have another token. */
    boolean mayChange() {
        return mayChange;
    }

    /**
     * The token for the next connection.
     *
     * @throws IOException the file cannot be read or holds no token, or the function has failed; the message does not
     *     show what is read
     */
    Token get() throws IOException {
        return source.get();
    }

    private static Token read(Path file) throws IOException {
        try {
            return Token.of(TextFile.read(file, MOST_BYTES).strip());
        } catch (NoSuchFileException e) {
            // The cause is left out: its message has the file's name, which may be the token.
            throw new IOException("cannot read the token: no file " + SecretText.tokenFile(file));
        } catch (FileSystemException e) {
            throw new IOException("cannot read the token: " + TextFile.fault(e), e);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(SecretText.file(file) + " holds no token: " + e.getMessage(), e);
        }
    }

    private static Token ask(Callable<String> function) throws IOException {
        try {
            return Token.of(Objects.requireNonNull(function.call(), "it returned null"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("the token's function was interrupted").initCause(e);
        } catch (Exception e) {
            throw new IOException("the token's function failed: " + e.getMessage(), e);
        }
    }
}
