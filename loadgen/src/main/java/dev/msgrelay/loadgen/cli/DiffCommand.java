package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.report.DiffText;
import dev.msgrelay.loadgen.report.ResultFiles;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** {@code loadgen diff}: compares the results of two shootouts. */
@ShortHelp(examples = {"loadgen diff before after"})
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Sets the results of two shootouts against each other: what differs, and what may be compared.",
            "Each is a directory of --out, or a file that --json printed."
        })
final class DiffCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "A", description = "The results that others are set against.")
    private Path a;

    @Parameters(index = "1", paramLabel = "B", description = "The results that are looked at.")
    private Path b;

    @Override
    public Integer call() throws IOException {
        print(DiffText.of(read(a), read(b)));
        return ExitCodes.DONE;
    }

    private static Results read(Path path) throws IOException {
        Path file = Files.isDirectory(path) ? path.resolve(ResultFiles.JSON) : path;
        String text = Files.readString(file);
        try {
            JsonNode json = Json.parse(text);
            int version = json.path("schemaVersion").asInt(0);
            if (version == Results.SCHEMA_VERSION) {
                return Json.read(json, Results.class);
            }
            throw new IOException(file + " has schemaVersion " + version + ", not " + Results.SCHEMA_VERSION
                    + ": read it with the loadgen that wrote it");
        } catch (JacksonException e) {
            throw new IOException(file + " is no result of loadgen", e);
        }
    }
}
