package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Puts nothing in order before the test says so. */
final class HeldOrderer implements Orderer {
    final ArrayDeque<Claimant> claims = new ArrayDeque<>();

    final List<String> left = new ArrayList<>();

    /** First numbers of runs of names, in the order in which they came. */
    final List<Long> firsts = new ArrayList<>();

    boolean room = true;
    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();
    private final ArrayDeque<Runnable> ordered = new ArrayDeque<>();
    private NetworkBatchHandler handler;
    private PacketLog log;

    void into(NetworkBatchHandler packs, PacketLog stream) {
        handler = packs;
        log = stream;
    }

    void order() {
        ordered.add(underWay.remove());
    }

    int underWay() {
        return underWay.size();
    }

    private boolean take(ByteBuffer from, int offset, int length, Runnable then) {
        if (!room) {
            return false;
        }
        ByteBuffer copy = ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
        copy.put(0, from, offset, length);
        underWay.add(() -> {
            handler.append(copy, 0, length);
            then.run();
        });
        return true;
    }

    @Override
    public boolean hasRoom() {
        return room;
    }

    @Override
    public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
        take(buffer, offset, length, () -> {});
    }

    @Override
    public boolean submit(RunScan span) {
        return take(span.buffer(), span.offset(), span.wholeBytes(), () -> {});
    }

    @Override
    public boolean submit(RunScan span, String name, ProducerId producer, long first, Numbered whose) {
        long last = first + span.frames() - 1;
        boolean taken =
                take(span.buffer(), span.offset(), span.wholeBytes(), () -> whose.ordered(last, log.lastSequence()));
        if (taken) {
            firsts.add(first);
        }
        return taken;
    }

    @Override
    public boolean claim(String name, ProducerId producer, String owner, Claimant who) {
        return room && claims.add(who);
    }

    @Override
    public void releaseName(String name, ProducerId producer) {
        left.add(name);
    }

    @Override
    public boolean drain() {
        for (Runnable next = ordered.poll(); next != null; next = ordered.poll()) {
            next.run();
        }
        return false;
    }

    @Override
    public boolean hasOrdered() {
        return !ordered.isEmpty();
    }

    @Override
    public boolean hasPlentyOfRoom() {
        return room;
    }

    @Override
    public boolean isEmpty() {
        return underWay.isEmpty() && ordered.isEmpty();
    }

    @Override
    public EpochTable lives() {
        return new EpochTable(List.of(new EpochTable.Epoch(PublisherRig.EPOCH, 0, 1, 0)), 0, 1);
    }

    @Override
    public void setStream(Stream stream) {
        throw new AssertionError("the rig says where it goes");
    }

    @Override
    public ClusterStatus status() {
        throw new AssertionError("nobody asks");
    }

    @Override
    public void close() {
        // It has nothing.
    }
}
