package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.config.AdminConfig.Secret;
import dev.msgrelay.server.tls.TlsFiles;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Settings as JSON, under the names of the records' components. A value of an unknown type is not shown, only its
 * class, so that no secret is shown by mistake. Of a {@link Secret} only whether it is set is shown.
 */
final class ConfigJson {
    private static final String CONFIG = Secret.class.getPackageName();

    private ConfigJson() {}

    /** Adds the components of a record, as members of the current object. */
    static void members(JsonLine line, Record settings) {
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            Object value = valueOf(component, settings);
            if (component.isAnnotationPresent(Secret.class)) {
                line.text(component.getName(), value == null ? null : "set");
            } else {
                member(line, component.getName(), value);
            }
        }
    }

    private static void member(JsonLine line, String name, Object value) {
        if (value instanceof Record inner
                && (inner instanceof TlsFiles
                        || inner.getClass().getPackageName().equals(CONFIG))) {
            line.object(name, members -> members(members, inner));
        } else if (value instanceof Boolean truth) {
            line.truth(name, truth);
        } else if (value instanceof Integer || value instanceof Long) {
            line.number(name, ((Number) value).longValue());
        } else {
            line.text(name, asText(value));
        }
    }

    private static String asText(Object value) {
        if (value instanceof Duration time) {
            return Durations.format(time);
        }
        if (value instanceof Enum<?> word) {
            return word.name().toLowerCase(Locale.ROOT);
        }
        if (value instanceof Collection<?> list) {
            return list.stream().map(ConfigJson::asText).collect(Collectors.joining(","));
        }
        if (value == null
                || value instanceof String
                || value instanceof Path
                || value instanceof Number
                || value instanceof Network
                || value instanceof TypeRanges) {
            return value == null ? null : value.toString();
        }
        return "(" + value.getClass().getSimpleName() + ")";
    }

    private static Object valueOf(RecordComponent component, Record settings) {
        try {
            return component.getAccessor().invoke(settings);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }
}
