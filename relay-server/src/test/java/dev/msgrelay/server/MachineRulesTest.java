package dev.msgrelay.server;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(
                ".",
                "server.access.User",
                "server.admin.Metrics",
                "server.assembly.MachineLimits",
                "server.assembly.RelayParts",
                "server.cli.CommandOutput",
                "server.cli.RelayServerMain");
    }
}
