package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.text.Durations;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that say when {@code subscribe} ends, beside {@code --count}. */
final class EndOptions {
    private static final Duration LONGEST_IDLE = Duration.ofDays(1);

    @Option(
            names = "--until",
            paramLabel = "END",
            description =
                    "End when all is read up to this message: the newest one at the start (head), this sequence, or the"
                            + " last one before a time, as with --from. Exit code 5 if messages up to there are missing. The"
                            + " client asks for head and a time over a second connection. A sequence beyond the newest is"
                            + " waited for; a lost connection meanwhile is made again as --reconnect says. With --from"
                            + " state only head: the end of the state, which the connection itself tells.")
    private Until until;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            description =
                    "End when no message has come for this time, such as 5s; with --interval it is a longer one. Exit"
                            + " code 0 if a message came before, 4 if none did or --until or --count is not reached, 1"
                            + " if there is no connection by then.")
    private Duration idle;

    /**
     * Checks the options.
     *
     * @param behindTheNewest the run begins with new messages
     * @param withState it begins with the newest of each type
     * @param skipsToNewest the relay may replace messages by newer ones on the way
     */
    void check(
            EndpointOptions limits, boolean plain, boolean behindTheNewest, boolean withState, boolean skipsToNewest) {
        if (plain) {
            limits.refuse(until != null, "--until needs numbers, which --plain does without");
            limits.refuse(idle != null, "--idle needs a connection that is never silent, which --plain does without");
        }
        limits.refuse(
                behindTheNewest && until != null && until.isAsked(),
                "--until names older messages: --from or --position says where to begin");
        // A type that changes on the way comes behind any message that is named before: it would be left out.
        limits.refuse(
                withState && until != null && !until.isHead(),
                "--until with --from state can be head alone, the end of the state: a type that changes meanwhile comes"
                        + " behind any message or time named before");
        limits.refuse(
                skipsToNewest && !withState && until != null,
                "--until and --policy latest exclude each other, and so do --until and --interval: what takes a message's"
                        + " place may come behind the end; with --from state, --until head goes");
        if (idle != null) {
            limits.check("--idle", idle, LONGEST_IDLE);
        }
    }

    /** Refuses a silence that is no longer than the one between two sendings of {@code --interval}. */
    void checkIdle(EndpointOptions limits, Duration interval) {
        if (idle != null) {
            limits.refuse(
                    idle.compareTo(interval) <= 0,
                    "--idle " + Durations.format(idle) + " is not over --interval " + Durations.format(interval)
                            + ": nothing comes between two of its sendings");
        }
    }

    Optional<Until> until() {
        return Optional.ofNullable(until);
    }

    Optional<Duration> idle() {
        return Optional.ofNullable(idle);
    }
}
