package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LocalClusterTest {
    @Test
    void portsOfNodesThatAreNotStartedAreTheirs() throws Exception {
        List<LocalCluster> all = new ArrayList<>();
        Set<Integer> udp = new HashSet<>();
        Set<Integer> tcp = new HashSet<>();
        try {
            for (int i = 0; i < 60; i++) {
                LocalCluster cluster = new LocalCluster(7);
                all.add(cluster);
                for (int node = 1; node <= 7; node++) {
                    udp.add(cluster.cluster(node).port());
                    tcp.add(cluster.publishAt(node).get(0).port());
                    tcp.add(cluster.subscribe(node).port());
                }
            }
        } finally {
            for (LocalCluster cluster : all) {
                cluster.close();
            }
        }
        assertThat(udp).hasSize(60 * 7);
        assertThat(tcp).hasSize(2 * 60 * 7);
    }
}
