package dev.msgrelay.server.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** What was read of a slot of the index counts only while the index says that it still holds it. */
@JCStressTest
@Outcome(id = "100, 10", expect = Expect.ACCEPTABLE, desc = "the packet")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "known to be gone")
@Outcome(expect = Expect.FORBIDDEN, desc = "taken from a slot that was being written anew")
@State
public class PacketIndexStress {
    private final PacketIndex index = new PacketIndex(2);

    public PacketIndexStress() {
        index.add(100, 10);
        index.add(200, 20);
    }

    @Actor
    public void writer() {
        index.add(300, 30);
        index.add(400, 40);
    }

    @Actor
    public void reader(JJ_Result result) {
        long position = index.positionOf(0);
        long sequence = index.sequenceOf(0);
        boolean held = index.stillHolds(0);
        result.r1 = held ? position : -1;
        result.r2 = held ? sequence : -1;
    }
}
