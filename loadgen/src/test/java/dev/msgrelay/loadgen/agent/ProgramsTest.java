package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.inprocess.InProcessMain;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.loadgen.worker.SubscriberMain;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody who has the token may start, and what not. */
class ProgramsTest {
    private static final Programs PROGRAMS = new Programs(
            Set.of(address("10.0.0.2")), Set.of(address("10.0.0.2"), address("10.0.0.1"), address("fd00::1")));

    @Test
    void whatRunsStartIsAllowed() throws Exception {
        allow(PublisherMain.class, "--to 10.0.0.1:5000 --connections 2 --body 100 --rate 0 --processes 4 --real-time");
        allow(SubscriberMain.class, "--from [fd00::1]:5000 --publishers-ahead -1234567890123 --count-only");
        allow(
                RelayMain.class,
                "--publish-port 0 --subscribe-port 0 --json --bind 10.0.0.2 --slow-subscriber backpressure"
                        + " --log-size 16m --event-loops 2");
        allow(InProcessMain.class, "--threads 1 --body 100 --run-length 12 --bind 10.0.0.2");
        allow(PlainRelayMain.class, "--bind 10.0.0.2 --subscribers 8 --buffer 65483");
        allow(PublisherMain.class, "--to 10.0.0.1:5000 --body uniform:16-1000 --seed 1");
        allow(PublisherMain.class, "--bind 10.0.0.2 --body sizes:16x3,1000x1" + ",100000x999999999999".repeat(2_000));
    }

    @Test
    void jvmOptionsOfMemoryAndCollectorAreAllowed() throws Exception {
        List<String> options = List.of(
                "-XX:+UseSerialGC",
                "-Xms64m",
                "-Xmx16g",
                "-Xmn128m",
                "-XX:MaxDirectMemorySize=512m",
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+AlwaysPreTouch",
                "--enable-native-access=ALL-UNNAMED");
        assertThat(checked(options, PublisherMain.class.getName(), List.of()).javaOptions())
                .containsAll(options);
    }

    /** It keeps a JDK before 24 from starting: whether it is given is not the controller's business. */
    @Test
    void theAgentsOwnJdkDecidesOnUnsafeMemoryAccess() throws Exception {
        String option = "--sun-misc-unsafe-memory-access=allow";
        boolean wanted = Runtime.version().feature() >= 24;
        for (List<String> given : List.of(List.<String>of(), List.of(option))) {
            assertThat(checked(given, RelayMain.class.getName(), List.of()).javaOptions())
                    .isEqualTo(wanted ? List.of(option) : List.of());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-javaagent:/tmp/x.jar",
                "-agentlib:jdwp=transport=dt_socket,server=y,address=*:5005",
                "-agentpath:/tmp/x.so",
                "-Xrunjdwp:server=y",
                "@/tmp/options",
                "-XX:OnOutOfMemoryError=id",
                "-XX:OnError=id",
                "-XX:+HeapDumpOnOutOfMemoryError",
                "-XX:HeapDumpPath=/tmp/x",
                "-XX:ErrorFile=/tmp/x",
                "-XX:LogFile=/tmp/x",
                "-XX:+LogVMOutput",
                "-XX:VMOptionsFile=/tmp/x",
                "-XX:Flags=/tmp/x",
                "-XX:SharedArchiveFile=/tmp/x",
                "-XX:ArchiveClassesAtExit=/tmp/x",
                "-XX:StartFlightRecording=filename=/tmp/x",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+UseSerialGC -javaagent:x",
                "-XX:+UseSerialGC\n-javaagent:x",
                "-Xlog:gc:file=/tmp/x",
                "-Xloggc:/tmp/x",
                "-Xbootclasspath/a:/tmp",
                "-Dcom.sun.management.jmxremote.port=9",
                "-Djava.security.manager=x",
                "-cp",
                "/tmp",
                "-jar",
                "--class-path=/tmp",
                "--module-path=/tmp",
                "--patch-module=java.base=/tmp",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--source",
                "-Xmx17g",
                "-Xmx999999999m",
                "-Xmx17179869185",
                "-Xmx",
                "java.lang.Runtime",
                ""
            })
    void otherJvmOptionsAreRefused(String option) {
        assertThatThrownBy(() -> checked(List.of(option), PublisherMain.class.getName(), List.of()))
                .isInstanceOf(ProtocolException.class)
                .message()
                .startsWith("the JVM option '")
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dev.msgrelay.loadgen.cli.LoadgenMain",
                "dev.msgrelay.server.cli.RelayServerMain",
                "dev.msgrelay.loadgen.worker.PublisherMain ",
                "dev/msgrelay/loadgen/worker/PublisherMain",
                "jdk.internal.jshell.tool.JShellToolProvider",
                "-version",
                ""
            })
    void otherProgramsAreRefused(String main) {
        assertThatThrownBy(() -> checked(List.of(), main, List.of()))
                .hasMessage("'" + main + "' is not one of the programs that this agent starts");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--publish-socket x",
                "--some-file x",
                "--out x",
                "--x /etc/passwd",
                "--x ../x",
                "--x a/b",
                "--x a\\b",
                "--x @args",
                "@args",
                "--x ~",
                "--x $HOME",
                "--x `id`",
                "--x a|b",
                "--x unix:x",
                "--body file:x",
                "--body FILE:x",
                "--x http:x",
                "--X 1",
                "--x=1",
                "-x",
                "--",
                "---x"
            })
    void argumentsThatNameFilesAreRefused(String args) {
        assertThatThrownBy(() -> check(PublisherMain.class, args))
                .message()
                .matches("the argument '.*' is not allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--publish-socket x",
                "--journal x",
                "--bind=10.0.0.2",
                "10.0.0.2",
                "-h",
                "@args",
                "--json extra --json @x"
            })
    void theRelayTakesOnlyOptionsThatTuneIt(String args) {
        assertThatThrownBy(() -> check(RelayMain.class, args)).hasMessageContaining("is not allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--to 10.0.0.3:80",
                "--from 127.0.0.1:80",
                "--to [fd00::2]:80",
                "--to localhost:80",
                "--to bad.cafe:80",
                "--to 10.1:80",
                "--to 167772161:80",
                "--to 10.0.0.1",
                "--to :80",
                "--to 10.0.0.1:123456"
            })
    void processesTalkToTheHostsOfTheRunOnly(String args) {
        assertThatThrownBy(() -> check(SubscriberMain.class, args))
                .message()
                .containsPattern("do not connect to '|is not ADDRESS:PORT|is not allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "127.0.0.1", "10.0.0.1", "localhost", "10.0.0.3"})
    void processesListenOnTheAgentsAddressOnly(String address) {
        assertThatThrownBy(() -> check(RelayMain.class, "--bind " + address))
                .hasMessage("this agent's processes do not listen on '" + address + "', only 10.0.0.2");
    }

    @Test
    void listsAreBounded() {
        assertThatThrownBy(() -> checked(List.of(), PublisherMain.class.getName(), Collections.nCopies(129, "--x")))
                .hasMessage("129 arguments are more than 128");
        assertThatThrownBy(() ->
                        checked(Collections.nCopies(33, "-Xshare:auto"), PublisherMain.class.getName(), List.of()))
                .hasMessage("33 JVM options are more than 32");
        assertThatThrownBy(() -> check(PublisherMain.class, "--x " + "1".repeat(49_153)))
                .hasMessage("an argument of 49153 characters is over 49152");
    }

    private static void allow(Class<?> main, String args) throws Exception {
        assertThat(check(main, args).args()).isEqualTo(List.of(args.split(" ")));
    }

    private static JavaProgram check(Class<?> main, String args) throws Exception {
        return checked(List.of(), main.getName(), List.of(args.split(" ")));
    }

    private static JavaProgram checked(List<String> options, String main, List<String> args) throws Exception {
        return PROGRAMS.checked(new JavaProgram(options, main, args));
    }

    private static InetAddress address(String literal) {
        return Programs.literal(literal);
    }
}
