package dev.msgrelay.client;

import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The JDK's trust in a relay's certificate, unchanged; a certificate of another name is refused with the names that it
 * has, which the JDK leaves out. Any thread.
 */
final class NamingTrust extends X509ExtendedTrustManager {
    /** Most names that are shown: the other side chooses them. */
    private static final int MOST_NAMES = 5;

    private static final int LONGEST_NAME = 60;

    /** Kinds of alternative names in a certificate (RFC 5280). */
    private static final int DNS = 2;

    private static final int ADDRESS = 7;

    private final X509ExtendedTrustManager trust;

    private NamingTrust(X509ExtendedTrustManager trust) {
        this.trust = trust;
    }

    /** The same managers; those that check certificates name what they refuse. */
    static TrustManager[] of(TrustManager... managers) {
        TrustManager[] naming = managers.clone();
        for (int i = 0; i < naming.length; i++) {
            naming[i] = naming[i] instanceof X509ExtendedTrustManager extended ? new NamingTrust(extended) : naming[i];
        }
        return naming;
    }

    /** The names of a certificate: alternative ones, or else that of its subject. */
    static String names(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            for (List<?> name : all == null ? List.<List<?>>of() : all) {
                if (name.get(0).equals(DNS) || name.get(0).equals(ADDRESS)) {
                    names.add(shown(name.get(1)));
                }
            }
        } catch (CertificateParsingException e) {
            return "names that cannot be read";
        }
        if (names.isEmpty()) {
            return shown(certificate.getSubjectX500Principal());
        }
        int more = names.size() - MOST_NAMES;
        return String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMES)))
                + (more > 0 ? " and " + ShortText.counted(more, "more name") : "");
    }

    private static String shown(Object name) {
        return ShortText.cut(PrintableText.line(String.valueOf(name)), LONGEST_NAME);
    }

    private static CertificateException named(CertificateException refused, X509Certificate... chain) {
        // The JDK's own class alone is that of a name; subclasses have other reasons.
        boolean ofAName = refused.getClass() == CertificateException.class
                && refused.getMessage() != null
                && refused.getCause() == null;
        return ofAName && chain.length > 0
                ? new CertificateException(
                        refused.getMessage().replaceFirst("\\.$", "") + "; the certificate is for " + names(chain[0]))
                : refused;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        try {
            trust.checkServerTrusted(chain, type, engine);
        } catch (CertificateException e) {
            throw named(e, chain);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        try {
            trust.checkServerTrusted(chain, type, socket);
        } catch (CertificateException e) {
            throw named(e, chain);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trust.checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        trust.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        trust.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trust.checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
