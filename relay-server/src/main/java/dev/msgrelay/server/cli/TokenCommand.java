package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.access.TokenHash;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-server token}: makes the secret of a client, and its hash for the relay. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        versionProvider = VersionFromManifest.class,
        description = {
            "Makes a token of 256 random bits.",
            "Prints the token on standard output, for the client, and its SHA-256 on standard error, for the file of"
                    + " --config. The relay keeps only the SHA-256."
        },
        footer = {
            "",
            "  relay-server token > orders.token      # prints token = \"sha256:...\"",
            "  relay-client publish --token-file orders.token"
        })
final class TokenCommand implements Callable<Integer> {
    /** Most bytes of the file: much longer than any token. */
    private static final int MOST_BYTES = 4096;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--of",
            paramLabel = "FILE",
            description = "Prints the SHA-256 of the token in this file, and makes none.")
    private Path file;

    @Override
    public Integer call() {
        Token token = file == null ? Token.random() : read();
        if (file == null) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(token.text());
            if (out.checkError()) {
                spec.commandLine().getErr().println("relay-server: the token could not be written to standard output");
                return CommandLine.ExitCode.SOFTWARE;
            }
        }
        spec.commandLine().getErr().println("token = \"" + TokenHash.of(token).text() + '"');
        return 0;
    }

    private Token read() {
        String problem;
        try {
            return Token.of(TextFile.read(file, MOST_BYTES).strip());
        } catch (NoSuchFileException e) {
            problem = "there is no such file";
        } catch (AccessDeniedException e) {
            problem = "it may not be read";
        } catch (IOException | IllegalArgumentException e) {
            problem = e.getMessage();
        }
        throw new ParameterException(spec.commandLine(), SecretText.file(file) + " holds no token: " + problem);
    }
}
