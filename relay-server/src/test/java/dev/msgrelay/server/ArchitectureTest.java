package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Packages are layers, dependencies point one way, and no ball of classes grows. */
class ArchitectureTest {
    private static final String ROOT = "dev.msgrelay.server";

    /** From the lowest to the highest; those of one layer do not know each other. */
    private static final List<Set<String>> LAYERS = List.of(
            Set.of("memory", "net"),
            Set.of("log"),
            Set.of("flow"),
            Set.of("journal.disk"),
            Set.of("journal.format"),
            Set.of("journal.recover"),
            Set.of("journal.read"),
            Set.of("journal"),
            Set.of("core"),
            Set.of("access"),
            Set.of("tls"),
            Set.of("config"),
            Set.of("ops"),
            Set.of("session"),
            Set.of("ingest", "fanout"),
            Set.of("engine"),
            Set.of(""),
            Set.of("admin"),
            Set.of("cli"));

    private static final int LARGEST_CYCLE = 3;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    private static String packageOf(JavaClass c) {
        return c.getPackageName().equals(ROOT) ? "" : c.getPackageName().substring(ROOT.length() + 1);
    }

    private static int layer(String name) {
        for (int i = 0; i < LAYERS.size(); i++) {
            if (LAYERS.get(i).contains(name)) {
                return i;
            }
        }
        throw new AssertionError("the package '" + name + "' has no layer: give it one");
    }

    private static boolean ours(JavaClass c) {
        return c.getPackageName().equals(ROOT) || c.getPackageName().startsWith(ROOT + ".");
    }

    /** Every dependency between two outer classes of the relay, once. */
    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> result = new TreeMap<>();
        for (JavaClass c : CLASSES) {
            String from = outer(c);
            Set<String> targets = result.computeIfAbsent(from, x -> new TreeSet<>());
            for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass();
                if (ours(target) && !outer(target).equals(from)) {
                    targets.add(outer(target));
                }
            }
        }
        return result;
    }

    private static String outer(JavaClass c) {
        String name = c.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    @Test
    void thereIsSomethingToLookAt() {
        assertThat(CLASSES.size()).isGreaterThan(100);
        assertThat(dependencies().get(ROOT + ".log.LogReader")).contains(ROOT + ".log.PacketLog");
        LAYERS.stream().flatMap(Set::stream).forEach(name -> assertThat(CLASSES)
                .as("package '%s'", name)
                .anyMatch(c -> packageOf(c).equals(name)));
    }

    /** With one order of layers, and nothing pointing up, packages have no cycles. */
    @Test
    void dependenciesPointDown() {
        List<String> wrong = new ArrayList<>();
        for (JavaClass c : CLASSES) {
            for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass();
                if (!ours(target)) {
                    continue;
                }
                String from = packageOf(c);
                String to = packageOf(target.getBaseComponentType());
                boolean down = from.equals(to) || layer(to) < layer(from);
                if (!down) {
                    wrong.add(dependency.getDescription());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void classesHaveNoLargeCycles() {
        List<Set<String>> large = new ArrayList<>();
        for (Set<String> cycle : cycles(dependencies())) {
            if (cycle.size() > LARGEST_CYCLE) {
                large.add(cycle);
            }
        }
        assertThat(large).as("cycles of more than %d classes", LARGEST_CYCLE).isEmpty();
    }

    @Test
    void theSearchFindsCycles() {
        Map<String, Set<String>> graph = new TreeMap<>();
        graph.put("a", Set.of("b", "x"));
        graph.put("b", Set.of("c"));
        graph.put("c", Set.of("d"));
        graph.put("d", Set.of("a"));
        graph.put("x", Set.of("y"));
        graph.put("y", Set.of());
        assertThat(cycles(graph))
                .contains(Set.of("a", "b", "c", "d"), Set.of("x"), Set.of("y"))
                .hasSize(3);
    }

    /** Tarjan's: classes that depend on each other, directly or by way of others. */
    private static List<Set<String>> cycles(Map<String, Set<String>> graph) {
        return new Components(graph).all;
    }

    private static final class Components {
        final List<Set<String>> all = new ArrayList<>();
        private final Map<String, Set<String>> graph;
        private final Map<String, Integer> number = new HashMap<>();
        private final Map<String, Integer> lowest = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();

        Components(Map<String, Set<String>> graph) {
            this.graph = graph;
            graph.keySet().forEach(this::visit);
        }

        private void visit(String c) {
            if (number.containsKey(c)) {
                return;
            }
            number.put(c, number.size());
            lowest.put(c, number.get(c));
            open.push(c);
            for (String target : graph.getOrDefault(c, Set.of())) {
                visit(target);
                if (open.contains(target)) {
                    lowest.merge(c, lowest.get(target), Math::min);
                }
            }
            if (lowest.get(c).equals(number.get(c))) {
                Set<String> component = new TreeSet<>();
                String member;
                do {
                    member = open.pop();
                    component.add(member);
                } while (!member.equals(c));
                all.add(component);
            }
        }
    }
}
