package dev.msgrelay.loadgen.cli;

import dev.msgrelay.protocol.Policy;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@link Policy}, by its flag, for picocli; also the names that help texts list. */
final class PolicyConverter implements ITypeConverter<Policy>, Iterable<String> {
    @Override
    public Policy convert(String value) {
        try {
            return Policy.ofFlag(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    @Override
    public Iterator<String> iterator() {
        return Policy.DECIDED.stream().map(Policy::flag).iterator();
    }
}
