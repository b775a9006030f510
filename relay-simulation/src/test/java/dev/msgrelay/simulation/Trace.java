package dev.msgrelay.simulation;

/** The last events of a run, kept as numbers so that to keep them costs nothing worth mentioning. */
final class Trace {
    private static final int KEPT = 64;

    /** Whose events are printed as they happen; all of them: an empty string. */
    private static final String ALL = System.getProperty("sim.trace");

    private final long[] steps = new long[KEPT];
    private final String[] who = new String[KEPT];
    private final String[] what = new String[KEPT];
    private final long[] first = new long[KEPT];
    private final long[] second = new long[KEPT];
    private int next;
    private long digest;

    void add(long step, String whoActs, String whatItDoes, long a, long b) {
        digest = (digest ^ step) * 31 + whoActs.hashCode();
        digest = (digest ^ a) * 1_000_003 + b;
        digest = (digest ^ digest >>> 29) * 0x9E37_79B9_7F4A_7C15L + whatItDoes.hashCode();
        if (ALL != null && whoActs.startsWith(ALL)) {
            System.out.println("step " + step + "  " + whoActs + "  " + whatItDoes + ' ' + a + ' ' + b);
        }
        int slot = next++ % KEPT;
        steps[slot] = step;
        who[slot] = whoActs;
        what[slot] = whatItDoes;
        first[slot] = a;
        second[slot] = b;
    }

    /** Of all events so far. */
    long digest() {
        return digest;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = Math.max(0, next - KEPT); i < next; i++) {
            int slot = i % KEPT;
            text.append("  step ")
                    .append(steps[slot])
                    .append("  ")
                    .append(who[slot])
                    .append("  ")
                    .append(what[slot])
                    .append(' ')
                    .append(first[slot])
                    .append(' ')
                    .append(second[slot])
                    .append('\n');
        }
        return text.toString();
    }
}
