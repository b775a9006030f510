package dev.msgrelay.client;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(
                ".",
                "client.cli.Context",
                "client.cli.CopyCommand",
                "client.cli.EndpointOptions",
                "client.cli.MessageCommand",
                "client.cli.PathProbe",
                "client.cli.PublishCommand",
                "client.cli.RelayClientMain",
                "client.cli.SessionOptions",
                "client.cli.Start",
                "client.cli.TopCommand");
    }
}
