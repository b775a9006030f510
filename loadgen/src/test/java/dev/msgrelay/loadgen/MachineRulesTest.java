package dev.msgrelay.loadgen;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(
                ".",
                "loadgen.cli.ConnectOptions",
                "loadgen.cli.RunCommand",
                "loadgen.host.Doctor",
                "loadgen.host.Machine",
                "loadgen.host.Site",
                "loadgen.host.Subprocess",
                "loadgen.lane.Iperf3",
                "loadgen.lane.Namespace",
                "loadgen.report.ProgressLine",
                "loadgen.rig.AdminPort",
                "loadgen.rig.Children",
                "loadgen.rig.LoadRun",
                "loadgen.rig.OwnCertificate",
                "loadgen.rig.RunDirectory",
                "loadgen.worker.PublisherMain");
    }
}
