package dev.msgrelay.trials;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * How long a publisher heard of nothing when something went wrong.
 *
 * <pre>
 *   acknowledged   x x x x x         x x x x
 *                        ^ it happens
 *                          |-------| the silence
 * </pre>
 *
 * What was under way is still acknowledged, so the longest of those silences counts that begin within a second.
 */
final class Silence {
    private static final long BEGINS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long[] moments;
    private final double[] seconds;
    private int first;
    private long before;

    private Silence(long[] moments) {
        this.moments = moments;
        this.seconds = new double[moments.length];
        this.before = moments.length == 0 ? 0 : moments[0];
    }

    /**
     * After each of these moments, in seconds; 0 where nothing was acknowledged any more.
     *
     * @param notebook a publisher's
     * @param moments {@link System#nanoTime}, in their order
     */
    static double[] seconds(Path notebook, long... moments) throws IOException {
        Silence silence = new Silence(moments);
        acknowledgements(notebook, silence::acknowledged);
        return silence.seconds;
    }

    /**
     * The longest time in which none of these publishers heard of anything, in seconds, between a moment and the last
     * that any of them heard.
     */
    static double longest(List<Path> notebooks, long from) throws IOException {
        LongStream.Builder all = LongStream.builder();
        for (Path notebook : notebooks) {
            acknowledgements(notebook, all::add);
        }
        long before = from;
        long longest = 0;
        for (long nanos : all.build().filter(one -> one > from).sorted().toArray()) {
            longest = Math.max(longest, nanos - before);
            before = nanos;
        }
        return longest / 1e9;
    }

    private static void acknowledgements(Path notebook, LongConsumer nanos) throws IOException {
        Notebook.read(notebook, (kind, a, b, c) -> {
            if (kind == Notebook.Kind.ACKNOWLEDGED) {
                nanos.accept(b);
            }
        });
    }

    private void acknowledged(long nanos) {
        while (first < moments.length && moments[first] + BEGINS_NANOS < before) {
            first++;
        }
        for (int i = first; i < moments.length && moments[i] < nanos; i++) {
            double length = (nanos - Math.max(before, moments[i])) / 1e9;
            seconds[i] = Math.max(seconds[i], length);
        }
        before = nanos;
    }
}
