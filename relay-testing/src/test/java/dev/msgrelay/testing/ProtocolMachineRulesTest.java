package dev.msgrelay.testing;

/** The rules for relay-protocol, whose own tests can't know this module. */
class ProtocolMachineRulesTest extends MachineRules {
    ProtocolMachineRulesTest() {
        super("../relay-protocol", "protocol.text.UndecodedText");
    }
}
