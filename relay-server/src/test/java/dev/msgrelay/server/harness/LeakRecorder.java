package dev.msgrelay.server.harness;

import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Netty's leak detector, keeping what it reports instead of only logging it. */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {
    /** What makes every resource of the process be watched by a {@link LeakRecorder}. */
    static final class Factory extends ResourceLeakDetectorFactory {
        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
            return new LeakRecorder<>(resource, samplingInterval);
        }

        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return new LeakRecorder<>(resource, samplingInterval);
        }
    }

    private static final ConcurrentLinkedQueue<String> LEAKS = new ConcurrentLinkedQueue<>();
    private static final Set<Open<?>> OPEN = ConcurrentHashMap.newKeySet();
    /** What was reachable still when garbage was last collected: buffers of constants, and what other threads keep. */
    private static final Set<Open<?>> KEPT = ConcurrentHashMap.newKeySet();

    private LeakRecorder(Class<T> resource, int samplingInterval) {
        super(resource, samplingInterval);
    }

    @Override
    public ResourceLeakTracker<T> track(T resource) {
        return noted(resource, super.track(resource));
    }

    @Override
    public ResourceLeakTracker<T> trackForcibly(T resource) {
        return noted(resource, super.trackForcibly(resource));
    }

    private static <T> ResourceLeakTracker<T> noted(T resource, ResourceLeakTracker<T> tracker) {
        if (tracker == null) {
            return null;
        }
        Open<T> open = new Open<>(resource, tracker);
        OPEN.add(open);
        return open;
    }

    /** A resource that is watched and not released. */
    private static final class Open<T> extends WeakReference<T> implements ResourceLeakTracker<T> {
        private final ResourceLeakTracker<T> tracker;

        Open(T resource, ResourceLeakTracker<T> tracker) {
            super(resource);
            this.tracker = tracker;
        }

        @Override
        public void record() {
            tracker.record();
        }

        @Override
        public void record(Object hint) {
            tracker.record(hint);
        }

        @Override
        public boolean close(T resource) {
            OPEN.remove(this);
            return tracker.close(resource);
        }
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        LEAKS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        LEAKS.add(resourceType);
    }

    /**
     * Where something new is not released: collects garbage, and has every detector look at what was found unreachable.
     * What has been kept already is looked at with the next new one.
     */
    static void collect() throws InterruptedException {
        if (KEPT.containsAll(OPEN)) {
            return;
        }
        // Twice: the collector's queue and the detector's are filled by one thread, in an order of its own.
        for (int i = 0; i < 2; i++) {
            ReferenceQueue<Object> queue = new ReferenceQueue<>();
            PhantomReference<Object> sentinel = new PhantomReference<>(new Object(), queue);
            awaitCollected(sentinel, queue);
        }
        // A detector reports when it is asked to watch the next resource.
        Unpooled.directBuffer(1).release();
        OPEN.removeIf(open -> open.refersTo(null));
        KEPT.retainAll(OPEN);
        KEPT.addAll(OPEN);
    }

    /** The leaks reported so far, which are forgotten by this. */
    static List<String> takeLeaks() {
        return Stream.generate(LEAKS::poll).takeWhile(Objects::nonNull).toList();
    }

    private static void awaitCollected(PhantomReference<Object> sentinel, ReferenceQueue<Object> queue)
            throws InterruptedException {
        for (int second = 0; second < Await.LIMIT_SECONDS; second++) {
            System.gc();
            if (queue.remove(TimeUnit.SECONDS.toMillis(1)) == sentinel) {
                return;
            }
        }
        throw new AssertionError("no garbage collection within " + Await.LIMIT_SECONDS + " s");
    }
}
