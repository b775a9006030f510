package dev.msgrelay.server.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A reader of the head gets a pair that belongs together, whatever the writer is at. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "before the writer")
@Outcome(id = "100, 2", expect = Expect.ACCEPTABLE, desc = "between its two stores")
@Outcome(id = "300, 3", expect = Expect.ACCEPTABLE, desc = "after it")
@Outcome(expect = Expect.FORBIDDEN, desc = "a position and a sequence of different heads")
@State
public class StreamHeadStress {
    private final StreamHead head = new StreamHead();

    public StreamHeadStress() {
        head.set(0, 1);
    }

    @Actor
    public void writer() {
        head.set(100, 2);
        head.set(300, 3);
    }

    @Actor
    public void reader(JJ_Result result) {
        Mark mark = new Mark();
        head.read(mark);
        result.r1 = mark.position();
        result.r2 = mark.sequence();
    }
}
