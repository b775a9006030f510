package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import java.util.List;
import java.util.Locale;

/** What a load may want of what lies between publishers and subscribers. */
abstract class ContestantFit extends Options {
    /** What that can be. */
    enum Through {
        RELAY,
        PLAIN,
        DIRECT,
        NOTHING;

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Refuses clients that want more of what lies between than it can do.
     *
     * @param what on the command line: "--through plain"
     */
    final void checkClients(Load load, String what) {
        refuse(load.tls(), "--tls and " + what + " exclude each other");
        refuse(
                load.clients().kind() == Clients.Kind.LIBRARY,
                "--client library says HELLO, which " + what + " does not know");
    }

    /**
     * Refuses acknowledgements that this relay does not give.
     *
     * @param option how it is given one, with %s in place of the directory: "--journal %s"
     * @param args of the relay
     */
    final void checkJournal(Load load, String option, List<String> args) {
        boolean journal = args.stream().anyMatch(arg -> arg.split("=")[0].equals(RelayContestant.JOURNAL));
        refuse(
                load.clients().acks().needsJournal() && !journal,
                "--ack " + load.clients().acks() + " needs a relay with a journal: give " + option.replace("%s", "DIR")
                        + ", or " + option.replace("%s", RelayContestant.TEMPORARY));
    }

    /**
     * What there can be in place of a relay.
     *
     * @param what on the command line: "--through plain"
     * @param size bytes of reads, or writes
     */
    final Contestant withoutRelay(Load load, String what, Through through, int size) {
        checkClients(load, what);
        refuse(load.publishers() != 1, what + " takes one publisher, not " + load.publishers());
        return switch (through) {
            case PLAIN -> Contestants.plain(size);
            case DIRECT -> Contestants.direct(size);
            case RELAY, NOTHING -> Contestants.none();
        };
    }
}
