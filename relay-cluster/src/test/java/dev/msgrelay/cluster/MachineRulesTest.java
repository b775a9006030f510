package dev.msgrelay.cluster;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(".", "cluster.AeronParts", "cluster.cli.LocalCluster");
    }
}
