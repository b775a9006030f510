package dev.msgrelay.loadgen.lab.readers;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.WrongResultException;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.util.List;

/** A client of the ladder. Before the first round every byte that it reads is compared. */
final class ReaderContestant implements Contestant {
    static final Column MESSAGES = Column.higher("messages", "msg/s");
    static final Column BYTES = Column.higher("bytes", "MB/s");
    static final Column READS = Column.lower("reads a message", "");
    static final List<Column> COLUMNS = List.of(MESSAGES, BYTES, READS);

    private static final double SECOND = 1e9;
    private static final double MEGA = 1e6;

    private final Ladder step;
    private final int body;
    private final Benches benches;

    /** Where a go finds what its table shares. */
    interface Benches {
        ReaderBench bench() throws IOException, InterruptedException;

        /** Something in it failed: the next go gets another one. */
        void drop();
    }

    ReaderContestant(Ladder step, int body, Benches benches) {
        this.step = step;
        this.body = body;
        this.benches = benches;
    }

    @Override
    public String name() {
        return step.text();
    }

    @Override
    public void warmUp(Go go) throws IOException, InterruptedException, WrongResultException {
        read(true);
        read(false);
    }

    @Override
    public Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        ReaderBench.Reading reading = read(false);
        double perSecond = reading.messages() * SECOND / reading.nanos();
        return Measurement.of(MESSAGES, perSecond)
                .and(BYTES, perSecond * FrameLayout.frameLength(body) / MEGA)
                .and(READS, (double) reading.reads() / reading.messages());
    }

    private ReaderBench.Reading read(boolean check) throws IOException, InterruptedException, WrongResultException {
        ReaderBench.Reading reading;
        try {
            reading = benches.bench().read(step, check);
        } catch (IOException e) {
            benches.drop();
            throw e;
        }
        verify(reading);
        return reading;
    }

    /** Throws unless all that was sent came, in order and whole. */
    static void verify(ReaderBench.Reading reading) throws WrongResultException {
        if (reading.messages() != reading.sent() || reading.wrong() > 0 || reading.sent() == 0) {
            throw new WrongResultException(reading.sent() + " messages were sent, " + reading.messages() + " came, "
                    + reading.wrong() + " of them wrong");
        }
    }
}
