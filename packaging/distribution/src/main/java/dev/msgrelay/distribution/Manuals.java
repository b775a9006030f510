package dev.msgrelay.distribution;

import dev.msgrelay.client.cli.RelayClientMain;
import dev.msgrelay.cluster.cli.RelayClusterMain;
import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.server.cli.RelayServerMain;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Attributes;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes the manual pages, and the completion for bash, zsh and fish, of each command that is shipped. */
public final class Manuals {
    private Manuals() {}

    /** Arguments: the directory for manual pages, that for the completion's scripts. */
    public static void main(String[] args) throws IOException {
        Path manuals = Files.createDirectories(Path.of(args[0]));
        Path completions = Files.createDirectories(Path.of(args[1]));
        for (CommandLine command : List.of(
                RelayServerMain.commandLine(),
                RelayClientMain.commandLine(),
                RelayClusterMain.commandLine(),
                LoadgenMain.commandLine(new LoadgenMain()))) {
            named(command);
            int code = ManPageGenerator.generateManPage(
                    manuals.toFile(), null, new boolean[0], true, command.getCommandSpec());
            if (code != 0) {
                throw new IOException("no manual of " + command.getCommandName() + ": exit code " + code);
            }
            String name = command.getCommandName();
            Files.writeString(completions.resolve(name), AutoComplete.bash(name, command));
            Files.writeString(completions.resolve("_" + name), Completions.zsh(command));
            Files.writeString(completions.resolve(name + ".fish"), Completions.fish(command));
        }
        convert(manuals);
    }

    /**
     * A page begins with what a command is for, in one line: the first sentence of its description. A synopsis of our
     * own keeps its lines, and its brackets, which at the begin of a line would mean something else.
     */
    private static void named(CommandLine command) {
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        String description = String.join(" ", usage.description()).strip();
        usage.header(description.replaceFirst("\\.( .*)?$", "")).description(description);
        usage.customSynopsis(Stream.of(usage.customSynopsis())
                .map(line -> line.replace("Usage: ", "").strip().replace("[", "{startsb}") + " +")
                .toArray(String[]::new));
        command.getSubcommands().values().forEach(Manuals::named);
    }

    /** Makes a page of each source, beside it. */
    private static void convert(Path manuals) throws IOException {
        Options options = Options.builder()
                .backend("manpage")
                .safe(SafeMode.UNSAFE)
                .attributes(Attributes.builder().attribute("reproducible", "").build())
                .build();
        try (Asciidoctor asciidoctor = Asciidoctor.Factory.create();
                Stream<Path> sources = Files.list(manuals)) {
            List<String> wrong = new ArrayList<>();
            asciidoctor.registerLogHandler(line -> wrong.add(line.getCursor() + ": " + line.getMessage()));
            for (File source : sources.filter(path -> path.toString().endsWith(".adoc"))
                    .map(Path::toFile)
                    .sorted()
                    .toList()) {
                asciidoctor.convertFile(source, options);
            }
            if (!wrong.isEmpty()) {
                throw new IOException(String.join("; ", wrong));
            }
        }
    }
}
