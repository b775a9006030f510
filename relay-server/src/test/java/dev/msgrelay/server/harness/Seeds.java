package dev.msgrelay.server.harness;

import dev.msgrelay.testing.ThisMachine;
import java.util.Random;

/** Random numbers of tests: another seed at every run, printed; {@code -Drelay.test.seed=N} repeats one. */
public final class Seeds {
    private Seeds() {}

    /** A generator whose seed is printed along with the test's name. */
    public static Random random(String test) {
        long seed = ThisMachine.setting("relay.test.seed", System.nanoTime());
        System.out.println("seed of " + test + ": -Drelay.test.seed=" + seed);
        return new Random(seed);
    }
}
