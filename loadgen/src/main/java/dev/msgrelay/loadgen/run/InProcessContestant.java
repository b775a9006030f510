package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.inprocess.InProcessMain;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Our relay with the publishers as threads of its own process.
 *
 * @param runLength messages of one publish; 1: single messages
 * @param relayArgs of {@link InProcessMain}
 * @param javaOptions of its JVM
 * @param build null for this one
 */
public record InProcessContestant(
        int runLength, List<String> relayArgs, List<String> javaOptions, RelayContestant.Build build)
        implements Contestant {
    /** Messages of one publish where nothing else is asked for. */
    public static final int USUAL_RUN = 12;

    /** Of this build. */
    public InProcessContestant(int runLength, List<String> relayArgs, List<String> javaOptions) {
        this(runLength, relayArgs, javaOptions, null);
    }

    @Override
    public String name() {
        return "relay, publishers in its process, " + (runLength == 1 ? "single messages" : "runs of " + runLength);
    }

    @Override
    public Policy policy() {
        return RelayContestant.policy(relayArgs);
    }

    @Override
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        List<String> relay = RelayContestant.withJournal(relayArgs, children);
        List<String> args = new ArrayList<>(relay);
        args.addAll(Contestants.bind(children, false));
        args.addAll(List.of("--threads", "" + load.publishers()));
        args.addAll(
                List.of("--subscribers", "" + (load.subscribers() + load.slow().count())));
        args.addAll(List.of("--body", "" + load.body(), "--seed", "" + load.seed()));
        args.addAll(List.of("--run-length", "" + runLength));
        if (load.unix()) {
            args.addAll(List.of("--subscribe-socket", children.socketPath("subscribe")));
        }
        Child child = start(
                children,
                args,
                javaOptions.equals(RelayContestant.JAVA_OPTIONS) ? RelayContestant.javaOptions(relay) : javaOptions);
        return Contestants.listening(child, "ready", Doors.NONE);
    }

    private Child start(Children children, List<String> args, List<String> options) throws IOException {
        String main = InProcessMain.class.getName();
        if (build != null) {
            List<String> command = build.loadgen(options, main);
            command.addAll(args);
            return children.startCommand("relay", command);
        }
        return children.start(
                children.placement().relay(),
                "relay",
                new Site.JavaProgram(Site.JavaProgram.withNativeAccess(options), main, args));
    }
}
