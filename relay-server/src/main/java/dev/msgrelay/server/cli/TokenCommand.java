package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.journal.disk.OwnFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-server token}: makes the secret of a client, and its hash for the relay. */
@ShortHelp(
        examples = {"relay-server token", "relay-server token --out audit.token", "relay-server token --of audit.token"
        })
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        description = {
            "Makes a token of 256 random bits.",
            "The token is for the client. The line token = \"sha256:...\" is for the file of --config: the relay keeps"
                    + " only the SHA-256. With --out the token goes to a file, and the line to standard output; without,"
                    + " the token goes to standard output, and the line to standard error."
        },
        footer = {
            "",
            "  relay-server token --out orders.token      # prints token = \"sha256:...\"",
            "  relay-client publish --token-file orders.token"
        })
final class TokenCommand implements Callable<Integer> {
    /** Most bytes of a file with a token: much more than any token has. */
    private static final int MOST_BYTES = 4096;

    @Spec
    private CommandSpec spec;

    @ArgGroup
    private Files files;

    private static final class Files {
        @Option(
                names = "--out",
                paramLabel = "FILE",
                required = true,
                description = "Writes the token into this new file, which only its owner may read (mode 600), and"
                        + " prints the line for the configuration on standard output.")
        private Path out;

        @Option(
                names = "--of",
                paramLabel = "FILE",
                required = true,
                description = "Makes no token: prints the line for the token in this file on standard output.")
        private Path of;
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        if (files != null) {
            out.println(line(files.of == null ? write(files.out) : read(files.of)));
        } else {
            Token token = Token.random();
            out.println(token.text());
            if (!out.checkError()) {
                err.println(line(token));
            }
        }
        if (out.checkError()) {
            err.println("relay-server: "
                    + (files == null ? "the token" : "the line for the configuration")
                    + " could not be written to standard output");
            return CommandLine.ExitCode.SOFTWARE;
        }
        return 0;
    }

    private static String line(Token token) {
        return "token = \"" + TokenHash.of(token).text() + '"';
    }

    private Token write(Path file) {
        Token token = Token.random();
        try (Writer to = Channels.newWriter(
                OwnFiles.openPrivate(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                StandardCharsets.US_ASCII)) {
            to.write(token.text() + "\n");
            return token;
        } catch (FileAlreadyExistsException e) {
            throw failed(file + " exists, and may be the token of a client: remove it, or name another file");
        } catch (NoSuchFileException e) {
            throw failed("no token written to " + file + ": there is no such folder");
        } catch (AccessDeniedException e) {
            throw failed("no token written to " + file + ": the folder may not be written to");
        } catch (IOException e) {
            throw failed("no token written to " + file + ": " + e.getMessage());
        }
    }

    private Token read(Path file) {
        String problem;
        try {
            Token token = Token.of(TextFile.read(file, MOST_BYTES).strip());
            String wide = TextFile.wide(file);
            if (wide != null) {
                spec.commandLine().getErr().println("relay-server: WARN " + wide);
            }
            return token;
        } catch (NoSuchFileException e) {
            problem = "there is no such file";
        } catch (AccessDeniedException e) {
            problem = "it may not be read";
        } catch (IOException | IllegalArgumentException e) {
            problem = e.getMessage();
        }
        throw failed(SecretText.file(file) + " holds no token: " + problem);
    }

    private ParameterException failed(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
