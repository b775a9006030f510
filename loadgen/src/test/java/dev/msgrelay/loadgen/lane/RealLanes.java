package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What tests with real namespaces share. */
public final class RealLanes {
    public static final Tool TOOL = new Subprocess(120_000);

    private RealLanes() {}

    /** Skips the test where there can be no emulated lanes, and says so. */
    public static void assumePossible() throws InterruptedException {
        LaneTools tools = LaneTools.probe(TOOL);
        ThisMachine.need(tools.available(), tools.reason());
    }

    /** The processes that hold the two namespaces of an emulated lane. */
    public static List<Long> holders(Lane lane) {
        return Stream.of(lane.near(), lane.far())
                .map(site -> site.prefix())
                .map(words -> Long.parseLong(words.get(words.indexOf("--target") + 1)))
                .toList();
    }

    /** What a command prints at an end of a lane. */
    public static String at(Site site, String... command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(site.prefix());
        words.addAll(List.of(command));
        Tool.Completed outcome = TOOL.run(words);
        if (!outcome.succeeded()) {
            throw new IOException(String.join(" ", words) + ": " + outcome.output());
        }
        return outcome.output();
    }

    /** What tc counted of what an end sent. */
    public static JsonNode sentFrom(Site site) throws Exception {
        String json = at(site, "tc", "-s", "-j", "qdisc", "show", "dev", "lane0");
        return Json.parse(json).path(0);
    }

    /** The network namespace of a process, as the kernel numbers them. */
    public static String namespaceOf(long pid) throws IOException {
        return Files.readSymbolicLink(ThisMachine.proc("" + pid, "ns", "net")).toString();
    }

    public static String userNamespaceOf(long pid) throws IOException {
        return Files.readSymbolicLink(ThisMachine.proc("" + pid, "ns", "user")).toString();
    }

    /** All processes of this host. */
    public static Set<Long> processes() throws IOException {
        try (Stream<Path> entries = Files.list(ThisMachine.proc())) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> name.chars().allMatch(Character::isDigit))
                    .map(Long::parseLong)
                    .collect(Collectors.toSet());
        }
    }

    /**
     * The network namespaces that these processes are in, as far as we may see it. The kernel gives the number of a
     * namespace that is gone to the next one: whether it is gone can be asked of processes only that were there before.
     */
    public static Set<String> namespacesOf(Set<Long> processes) {
        return processes.stream().map(RealLanes::namespaceOrNothing).collect(Collectors.toSet());
    }

    private static String namespaceOrNothing(long pid) {
        try {
            return namespaceOf(pid);
        } catch (IOException e) {
            return "of a process that is gone, or another user's";
        }
    }
}
