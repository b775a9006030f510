package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.cli.PublisherState.Beginning;
import dev.msgrelay.client.cli.PublisherState.Run;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class PublisherStateTest {
    @TempDir
    private Path temporary;

    @Test
    void anIdIsKeptForEachName() throws Exception {
        ProducerId orders = id("orders");
        assertThat(orders.isNone()).isFalse();
        assertThat(id("orders")).isEqualTo(orders);
        assertThat(id("Orders")).isNotEqualTo(orders);
        assertThat(id("../orders")).isNotEqualTo(orders);
        assertThat(id("x".repeat(250))).isNotEqualTo(id("x".repeat(251)));
        assertThat(id("ü".repeat(127))).isEqualTo(id("ü".repeat(127)));
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files).as("nothing beside the directory").containsExactly(directory());
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void onlyItsOwnerMayReadIt() throws Exception {
        id("orders");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory().resolve("orders.publisher"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aRunIsKeptAndSoIsItsEnd() throws Exception {
        Run run = new Run(
                "lines of /data/ä=b\\c.txt", -5, Epochs.parse("-5:4000,7:1"), 4711, Run.UNKNOWN, Beginning.NONE);
        try (PublisherState state = open("orders")) {
            assertThat(state.run()).isEqualTo(Run.NONE);
            state.record(run);
        }
        try (PublisherState state = open("orders")) {
            assertThat(state.run()).isEqualTo(run);
            state.record(run.ended(12));
        }
        try (PublisherState state = open("orders")) {
            assertThat(state.run()).isEqualTo(run.ended(12));
            state.record(run.ended(12).with(new Beginning(12, 0xFEDCBA98L)));
        }
        try (PublisherState state = open("orders")) {
            assertThat(state.run().beginning()).isEqualTo(new Beginning(12, 0xFEDCBA98L));
        }
        try (Stream<Path> files = Files.list(directory())) {
            assertThat(files.map(f -> f.getFileName().toString()))
                    .containsExactlyInAnyOrder("orders.publisher", "orders.lock");
        }
    }

    @Test
    void twoRunsDoNotShareAName() throws Exception {
        try (PublisherState state = open("orders")) {
            assertThat(state.run()).isEqualTo(Run.NONE);
            assertThatThrownBy(() -> open("orders"))
                    .isInstanceOf(PublisherState.HeldException.class)
                    .hasMessageContaining("another relay-client publishes as 'orders'")
                    .hasMessageContaining("orders.lock");
            id("payments");
        }
        id("orders");
    }

    @Test
    void aDamagedFileIsNamed() throws Exception {
        id("orders");
        Path file = directory().resolve("orders.publisher");
        for (String damaged : List.of(
                "",
                "input=x\nepoch=1\nfirst-number=1",
                "producer-id=\\u00",
                "producer-id=12",
                "producer-id=" + ProducerId.random().hex() + "\ninput=x\nepoch=1\nfirst-number=1\npublished=-2",
                "producer-id=" + ProducerId.random().hex() + "\ninput=x\nepoch=1\nfirst-number=1\nknown=2",
                "producer-id=" + ProducerId.random().hex() + "\ninput=x\nepoch=1\nfirst-number=y",
                "producer-id=" + ProducerId.random().hex() + "\ninput=x\nepoch=1\nfirst-number=1\nepochs=1",
                "producer-id=" + ProducerId.random().hex() + "\ninput=x")) {
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> open("orders"))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file + " is damaged (")
                    .hasMessageEndingWith("): remove it to begin anew");
        }
    }

    @Test
    void itsPlaceIsThatOfTheDesktopRules() {
        assertThat(PublisherState.defaultDirectory(Map.of("XDG_STATE_HOME", "/x")))
                .isEqualTo(Path.of("/x/relay-client"));
        Path home = ThisMachine.userHome().resolve(".local/state/relay-client");
        assertThat(PublisherState.defaultDirectory(Map.of("XDG_STATE_HOME", "")))
                .isEqualTo(home);
        assertThat(PublisherState.defaultDirectory(Map.of())).isEqualTo(home);
        assertThat(PublisherState.defaultDirectory(Map.of("HOME", "/h")))
                .isEqualTo(Path.of("/h/.local/state/relay-client"));
    }

    private Path directory() {
        return temporary.resolve("state");
    }

    private PublisherState open(String name) throws IOException {
        return PublisherState.open(directory(), name);
    }

    private ProducerId id(String name) throws IOException {
        try (PublisherState state = open(name)) {
            return state.producer();
        }
    }
}
