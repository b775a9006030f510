package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.Aeron;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;

/** A client of Aeron Cluster that is no node: anybody who gets to the ports can be one. */
final class Stranger implements AutoCloseable {
    private final MediaDriver media;
    private final Aeron aeron;
    private final AeronCluster cluster;
    private final Duration wait;

    /** @param driver a folder that is not there yet */
    Stranger(LocalCluster nodes, int node, Path driver, Duration wait) {
        this.wait = wait;
        media = MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(driver.toString())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .publicationTermBufferLength(1 << 20)
                .threadingMode(ThreadingMode.SHARED));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(media.aeronDirectoryName()));
        cluster = AeronCluster.connect(new AeronCluster.Context()
                .aeron(aeron)
                .ownsAeronClient(false)
                .messageTimeoutNs(wait.toNanos())
                .ingressChannel("aeron:udp?term-length=64k")
                .ingressEndpoints(node + "=" + nodes.cluster(node))
                .egressChannel("aeron:udp?endpoint=127.0.0.1:0"));
    }

    /** Returns the beginning of a batch, and zeros. */
    static byte[] batch(int version, int node, long clusterId, int length) {
        ByteBuffer header = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(version).putInt(node).putLong(clusterId);
        return header.array();
    }

    void offer(byte[] batch) {
        long end = System.nanoTime() + wait.toNanos();
        while (cluster.offer(new UnsafeBuffer(batch), 0, batch.length) < 0) {
            assertThat(System.nanoTime() - end).as("offered in vain").isNegative();
            cluster.pollEgress();
            Thread.yield();
        }
    }

    @Override
    public void close() {
        cluster.close();
        aeron.close();
        media.close();
    }
}
