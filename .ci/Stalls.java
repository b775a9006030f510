import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isInterface;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.nameContains;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.ThreadLocalRandom;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/**
 * A Java agent: at the beginning of any method of this project the thread that calls it may stand still for some
 * milliseconds, as it does on a busy machine. The first calls of each method are stopped most often, since what happens
 * once is where tests and programs rely on being quick. A thread stands still for a small part of its time.
 */
public final class Stalls {
    private static final int SHORT_MILLIS = 30;
    private static final int LONG_MILLIS = 300;

    /** One stall in so many is a long one. */
    private static final int LONG = 5;

    private static final int FIRST_CALLS = 4;
    private static final int EARLY_CALLS = 100;

    // One in so many calls is stopped: of the first ones of a method, of the early ones, of the rest.
    private static final boolean OFTEN = Boolean.getBoolean("stalls.often");
    private static final int FIRST = OFTEN ? 2 : 6;
    private static final int EARLY = OFTEN ? 6 : 40;
    private static final int LATER = OFTEN ? 300 : 3_000;

    /** A thread goes on for so many times as long as it stood still, at least. */
    private static final int REST = OFTEN ? 2 : 6;

    // Calls by hash of the method's name. A count that two threads lose changes nothing.
    private static final int[] CALLS = new int[1 << 16];
    private static final ThreadLocal<long[]> NOT_BEFORE = new ThreadLocal<>();

    private Stalls() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        new AgentBuilder.Default()
                .disableClassFormatChanges()
                .type(nameStartsWith("dev.msgrelay").and(not(isInterface())).and(not(nameContains("$Proxy"))))
                .transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Entry.class)
                        .on(isMethod().and(not(isAbstract())).and(not(isNative())))))
                .installOn(instrumentation);
    }

    /** Copied into each method. */
    static final class Entry {
        private Entry() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin String method) {
            Stalls.stallPerhaps(method);
        }
    }

    public static void stallPerhaps(String method) {
        int hash = method.hashCode();
        int calls = CALLS[(hash ^ hash >>> 16) & CALLS.length - 1]++;
        int oneIn = calls < FIRST_CALLS ? FIRST : calls < EARLY_CALLS ? EARLY : LATER;
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextInt(oneIn) != 0) {
            return;
        }
        long now = System.nanoTime();
        long[] notBefore = NOT_BEFORE.get();
        if (notBefore == null) {
            notBefore = new long[] {now};
            NOT_BEFORE.set(notBefore);
        }
        if (now - notBefore[0] < 0) {
            return;
        }
        int millis = 1 + random.nextInt(random.nextInt(LONG) == 0 ? LONG_MILLIS : SHORT_MILLIS);
        notBefore[0] = now + millis * 1_000_000L * (1 + REST);
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
