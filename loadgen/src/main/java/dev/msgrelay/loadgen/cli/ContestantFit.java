package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.InProcessContestant;
import dev.msgrelay.loadgen.run.Load;
import java.util.Locale;
import picocli.CommandLine.ParameterException;

/** What a load may want of what lies between publishers and subscribers. */
abstract class ContestantFit extends Options {
    /** What that can be. */
    enum Through {
        RELAY,
        PLAIN,
        C,
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
     * @param hello whether it knows HELLO
     * @param several whether it takes publishers at any time, and as many as come
     * @throws ParameterException naming what does not fit
     */
    final void checkClients(Load load, String what, boolean hello, boolean several) {
        Clients clients = load.clients();
        refuse(
                !hello && clients.kind() == Clients.Kind.LIBRARY,
                "--client library says HELLO, which " + what + " does not know");
        refuse(
                !several && clients.churn() > 0,
                "--churn " + clients.churn() + " needs a relay that takes several publishers, not " + what);
    }

    /**
     * Refuses what publishers cannot do that are threads of the relay's process.
     *
     * @throws ParameterException naming what does not fit
     */
    final void checkInProcess(Load load) {
        checkClients(load, "--in-process", true, false);
        int types = load.content().types();
        refuse(types > 1, "--types " + types + " and --in-process exclude each other");
        refuse(load.clients().acks(), "--ack stream and --in-process exclude each other");
        refuse(load.writes().bytes() > 0, "--write-size and --in-process exclude each other");
        refuse(load.rate() > 0, "--in-process and --rate " + load.rate() + " exclude each other");
    }

    /** Messages of one publish, of publishers in the relay's process. */
    static int runLength(Load load) {
        int batch = load.writes().messages();
        return batch == 0 ? InProcessContestant.USUAL_RUN : batch;
    }

    /**
     * The plain relay, or the one in C.
     *
     * @param what on the command line: "--through plain"
     * @param readSize bytes
     * @throws ParameterException naming what does not fit, or is not here
     */
    final Contestant reference(Load load, String what, Through through, int readSize) {
        boolean inC = through == Through.C;
        checkClients(load, what, false, inC);
        refuse(!inC && load.publishers() != 1, what + " takes one publisher, not " + load.publishers());
        refuse(
                inC && load.body().max() > CPrograms.MAX_BODY,
                "--body " + load.body() + " is over the limit of " + what + ", " + CPrograms.MAX_BODY);
        String obstacle = inC ? CPrograms.obstacle() : "";
        refuse(!obstacle.isEmpty(), what + ": " + obstacle);
        return inC ? Contestants.c(readSize) : Contestants.plain(readSize);
    }
}
