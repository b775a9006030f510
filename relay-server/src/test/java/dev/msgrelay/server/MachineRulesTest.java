package dev.msgrelay.server;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(
                ".",
                "server.RelayParts",
                "server.access.User",
                "server.admin.Metrics",
                "server.cli.CommandOutput",
                "server.cli.RelayServerMain",
                "server.cli.VersionFromManifest",
                "server.engine.MachineMemory");
    }
}
